import type { ReactNode } from 'react'
import { Checkbox, type CheckboxProps } from 'react-aria-components/Checkbox'
import styles from './check.module.css'

interface Props extends Omit<CheckboxProps, 'className' | 'style' | 'children'> {
  readonly children: ReactNode
}

/** Yes or no. */
export function Check({ children, ...props }: Props) {
  return (
    <Checkbox {...props} className={`${styles.check}`}>
      <span className={styles.box} aria-hidden="true" />
      {children}
    </Checkbox>
  )
}
