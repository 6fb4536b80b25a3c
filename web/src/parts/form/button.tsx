import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button'
import styles from './button.module.css'

interface Props extends Omit<ButtonProps, 'className' | 'style'> {
  readonly look?: 'primary' | 'danger' | 'quiet'
}

/** A button that does something. Whatever opens a page is a link. */
export function Button({ look, ...props }: Props) {
  return <AriaButton {...props} className={look ? `${styles.button} ${styles[look]}` : `${styles.button}`} />
}
