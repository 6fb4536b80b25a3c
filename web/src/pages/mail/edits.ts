import type { ChangeMessagesBody } from '../../api/generated.ts'

/** What is done to a message. */
export type Change = Omit<ChangeMessagesBody, 'uids'>

/** One change of several messages of a folder. */
export interface Edit {
  readonly uids: readonly number[]
  readonly change: Change
}

/** What an edit can change of a message, but for its folder. */
export interface State {
  readonly uid: number
  readonly unread: boolean
  readonly starred: boolean
  readonly labels: readonly string[]
}

/** The message as the change leaves it. */
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
