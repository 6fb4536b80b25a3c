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

/** What brings back each message as it was before the change: nothing for one that the change leaves as it is. */
export function inverseOf(states: readonly State[], change: Change): Edit[] {
  const groups = new Map<string, { uids: number[]; change: Change }>()
  for (const state of states) {
    const back = backOf(state, change)
    const name = JSON.stringify(back)
    if (name === '{}') continue
    const group = groups.get(name) ?? { uids: [], change: back }
    group.uids.push(state.uid)
    groups.set(name, group)
  }
  return [...groups.values()]
}

function backOf(state: State, { unread, starred, add_labels = [], remove_labels = [] }: Change): Change {
  const added = add_labels.filter((keyword) => !state.labels.includes(keyword))
  const removed = remove_labels.filter((keyword) => state.labels.includes(keyword))
  return {
    ...(unread !== undefined && unread !== state.unread && { unread: state.unread }),
    ...(starred !== undefined && starred !== state.starred && { starred: state.starred }),
    ...(added.length > 0 && { remove_labels: added }),
    ...(removed.length > 0 && { add_labels: removed }),
  }
}
