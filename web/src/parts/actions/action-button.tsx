import type { ComponentProps, Ref } from 'react'
import { Button } from '../form/button.tsx'
import { IconButton } from '../form/icon-button.tsx'
import type { Ready } from './action.ts'

interface Props extends Pick<ComponentProps<typeof IconButton>, 'aria-expanded' | 'aria-haspopup'> {
  readonly action: Ready
  readonly ref?: Ref<HTMLButtonElement>
  /** Of a button with the name of the action in place of its icon. */
  readonly look?: NonNullable<ComponentProps<typeof Button>['look']>
}

/** The button of an action, with its icon if it has one. */
export function ActionButton({ action, look, ...props }: Props) {
  const { name, short = name, icon, shortcut, isOn } = action
  if (icon === undefined || look !== undefined)
    return (
      <Button {...(look && { look })} onPress={action.do}>
        {short}
      </Button>
    )
  return (
    <IconButton {...props} name={short} {...(shortcut && { shortcut })} icon={icon} filled={isOn} onPress={action.do} />
  )
}
