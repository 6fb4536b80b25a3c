import type { ThreadMessage } from '../../../api/generated.ts'
import type { Row } from '../queries.ts'

/** A conversation that an action applies to. */
export interface Subject {
  readonly id: string
  /** Oldest first. */
  readonly ids: readonly string[]
  readonly unread: boolean
  readonly starred: boolean
  readonly labels: ReadonlySet<string>
}

type Part = Pick<ThreadMessage, 'id' | 'unread' | 'starred' | 'labels'>

/** `messages` are its known messages. */
export function subjectOf(
  { id, ids, unread }: Pick<Row, 'id' | 'ids'> & Partial<Row>,
  messages: readonly Part[],
): Subject {
  return {
    id,
    ids,
    // The list knows it also of messages that it has not loaded.
    unread: unread ?? messages.some((one) => one.unread),
    starred: messages.some(({ starred }) => starred),
    labels: new Set(messages.flatMap(({ labels }) => labels)),
  }
}
