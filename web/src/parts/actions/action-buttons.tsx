import type { ComponentProps } from 'react'
import type { Ready } from './action.ts'
import { ActionButton } from './action-button.tsx'

interface Props extends Pick<ComponentProps<typeof ActionButton>, 'look'> {
  readonly actions: readonly Ready[]
  /** The names of those that are shown; all by default. */
  readonly only?: readonly string[]
}

/** The buttons of actions. */
export function ActionButtons({ actions, only, ...props }: Props) {
  const shown = actions.filter(({ name }) => only?.includes(name) ?? true)
  return shown.map((action) => <ActionButton key={action.name} action={action} {...props} />)
}
