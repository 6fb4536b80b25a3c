import type { ButtonProps } from 'react-aria-components/Button'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import { Icon, type IconName } from './icon.tsx'
import styles from './icon-button.module.css'

interface Props extends Omit<ButtonProps, 'className' | 'style' | 'children' | 'aria-label'> {
  /** What it does: its name to those who hear it, and what is said where it is pointed at. */
  readonly name: string
  /** The key that does the same. */
  readonly shortcut?: string
  readonly icon: IconName
  readonly filled?: boolean
}

/** A button that is a picture. */
export function IconButton({ name, shortcut, icon, filled = false, ...props }: Props) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...props} aria-label={name} className={`${styles.button}`} data-filled={filled || undefined}>
        <Icon name={icon} filled={filled} />
      </AriaButton>
      <Tooltip className={`${styles.tip}`} offset={4}>
        {name}
        {shortcut !== undefined && <kbd>{shortcut}</kbd>}
      </Tooltip>
    </TooltipTrigger>
  )
}
