import type { ButtonHTMLAttributes, Ref } from 'react'
import { Icon, type IconName } from '../icon.tsx'
import { tip } from '../state/tips.tsx'
import styles from './icon-button.module.css'

interface Props extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-expanded' | 'aria-haspopup'> {
  readonly ref?: Ref<HTMLButtonElement>
  /** What it does: its name to those who hear it, and what is said where it is pointed at. */
  readonly name: string
  /** The key that does the same. */
  readonly shortcut?: string
  readonly icon: IconName
  readonly filled?: boolean
  readonly onPress: () => void
}

/** A button that is a picture. It is the browser's own: a page has many, and each conversation that is opened makes some. */
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
