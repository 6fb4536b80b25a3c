import type { NewEvent } from '#/events/append.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { normalKeywords } from './normal-keywords.ts'
import type { Held } from './recording.ts'
import type { Change } from './update.ts'

/** A message after a change. */
export function applier({
  seen,
  flagged,
  addKeywords = [],
  removeKeywords = [],
}: Change): <Message extends Held>(message: Message) => Message {
  const added = normalKeywords(addKeywords)
  const removed = normalKeywords(removeKeywords)
  const rewords = added.length > 0 || removed.length > 0
  return (message) => ({
    ...message,
    seen: seen ?? message.seen,
    flagged: flagged ?? message.flagged,
    keywords: rewords
      ? normalKeywords([...message.keywords, ...added].filter((keyword) => !removed.includes(keyword)))
      : message.keywords,
  })
}

/** Whether the change affects more than a message's place. */
export function differ({ before, after }: { readonly before: Held; readonly after: Held }): boolean {
  return (
    before.seen !== after.seen ||
    before.flagged !== after.flagged ||
    before.keywords.join(' ') !== after.keywords.join(' ')
  )
}

/** The events of changed or moved messages. */
export function changed(
  { organizationId, mailboxId }: MailboxRef,
  source: string,
  target: string,
  pairs: readonly { readonly before: Held; readonly after: Held & Named }[],
): NewEvent[] {
  return pairs.map(({ before, after }) => {
    const added = after.keywords.filter((keyword) => !before.keywords.includes(keyword))
    const removed = before.keywords.filter((keyword) => !after.keywords.includes(keyword))
    const { id, uid } = after
    const data = {
      ...{ id, folder: target, uid },
      ...(source !== target && { moved_from: { id, folder: source, uid: before.uid } }),
      ...(before.seen !== after.seen && { unread: !after.seen }),
      ...(before.flagged !== after.flagged && { starred: after.flagged }),
      ...(added.length > 0 && { added_labels: added }),
      ...(removed.length > 0 && { removed_labels: removed }),
    }
    return { organizationId, type: 'message.changed', mailboxId, data }
  })
}

/** A message of a folder. */
export interface Named {
  readonly uid: number
  readonly id: number
}

/** The events of deleted messages. */
export function deleted(
  { organizationId, mailboxId }: MailboxRef,
  folder: string,
  messages: readonly Named[],
): NewEvent[] {
  return messages.map(({ uid, id }) => {
    return { organizationId, type: 'message.deleted', mailboxId, data: { id, folder, uid } }
  })
}
