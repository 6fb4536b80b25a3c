import type { ButtonHTMLAttributes, Ref } from 'react'
import { Icon } from '../icon.tsx'
import type { IconName } from '../icons.ts'
import { tip } from '../state/tips.tsx'
import styles from './icon-button.module.css'

interface Props extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-expanded' | 'aria-haspopup'> {
  readonly ref?: Ref<HTMLButtonElement>
  /** Its name for screen readers and its tooltip. */
  readonly name: string
  /** The key with the same effect. */
  readonly shortcut?: string
  readonly icon: IconName
  readonly filled?: boolean
  readonly onPress: () => void
}

/** A button with an icon. A native one: pages have many, and each opened conversation creates some. */
export function IconButton({ name, shortcut, icon, filled = false, onPress, ...props }: Props) {
  return (
    <button
      {...props}
      type="button"
      {...tip(name, shortcut)}
      className={styles.button}
      data-filled={filled || undefined}
      onClick={onPress}
    >
      <Icon name={icon} filled={filled} />
    </button>
  )
}
