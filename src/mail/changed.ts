import type { NewEvent } from '#/events/append.ts'
import type { Change, MailboxRef } from '#/ports/mail-host.ts'
import type { Held } from '#/ports/recording.ts'
import { normalKeywords } from './normal-keywords.ts'

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
  pairs: readonly { readonly before: Held; readonly after: Held }[],
): NewEvent[] {
  return pairs.map(({ before, after }) => {
    const added = after.keywords.filter((keyword) => !before.keywords.includes(keyword))
    const removed = before.keywords.filter((keyword) => !after.keywords.includes(keyword))
    const data = {
      folder: target,
      uid: after.uid,
      ...(source !== target && { moved_from: { folder: source, uid: before.uid } }),
      ...(before.seen !== after.seen && { unread: !after.seen }),
      ...(before.flagged !== after.flagged && { starred: after.flagged }),
      ...(added.length > 0 && { added_labels: added }),
      ...(removed.length > 0 && { removed_labels: removed }),
    }
    return { organizationId, type: 'message.changed', mailboxId, data }
  })
}

/** The events of deleted messages. */
export function deleted(
  { organizationId, mailboxId }: MailboxRef,
  folder: string,
  uids: readonly number[],
): NewEvent[] {
  return uids.map((uid) => ({ organizationId, type: 'message.deleted', mailboxId, data: { folder, uid } }))
}

/** The event of a saved draft. A draft that replaces another is reported as moved, since its uid is new. */
export function saved({ organizationId, mailboxId }: MailboxRef, uid: number, before: number | undefined): NewEvent {
  const movedFrom = before === undefined ? {} : { moved_from: { folder: 'drafts', uid: before } }
  return { organizationId, type: 'message.changed', mailboxId, data: { folder: 'drafts', uid, ...movedFrom } }
}
