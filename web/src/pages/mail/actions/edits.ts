import type { EventMessage, UpdateManyMessagesBody } from '../../../api/generated.ts'

/** A change of a message. */
export type Change = Omit<UpdateManyMessagesBody, 'uids' | 'ids'>

/** One change of several messages of a folder. */
export interface Edit {
  readonly ids: readonly string[]
  readonly change: Change
}

/** The fields of a message that an edit or an event can change, except its folder. */
export interface State {
  readonly id: string
  readonly unread: boolean
  readonly starred: boolean
  readonly answered: boolean
  readonly forwarded: boolean
  readonly labels: readonly string[]
}

/** The message after the change. */
export function changed<T extends State>(message: T, { unread, starred, add_labels, remove_labels }: Change): T {
  const labels = new Set([...message.labels, ...(add_labels ?? [])])
  for (const keyword of remove_labels ?? []) labels.delete(keyword)
  return {
    ...message,
    unread: unread ?? message.unread,
    starred: starred ?? message.starred,
    labels: [...labels],
  }
}

/** Whether the message is in the state after the change, in its folder. */
export function isLeftBy(change: Change, message: State): boolean {
  return change.folder === undefined && isSame(message, changed(message, change))
}

/** Whether the message is in the state of an event, in its folder. */
export function isStateOf({ moved_from, ...event }: EventMessage, message: State): boolean {
  const { unread, starred, added_labels: add_labels = [], removed_labels: remove_labels = [] } = event
  const told = { ...(unread !== undefined && { unread }), ...(starred !== undefined && { starred }) }
  const after = changed(message, { ...told, add_labels, remove_labels })
  const { answered = message.answered, forwarded = message.forwarded } = event
  return moved_from === undefined && isSame(message, { ...after, answered, forwarded })
}

function isSame(one: State, other: State): boolean {
  const [labels, others] = [new Set(one.labels), new Set(other.labels)]
  const isSameLabels = labels.size === others.size && [...labels].every((keyword) => others.has(keyword))
  const flags = ['unread', 'starred', 'answered', 'forwarded'] as const
  return flags.every((flag) => one[flag] === other[flag]) && isSameLabels
}
