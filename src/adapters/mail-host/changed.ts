import type { NewEvent } from '#/events/append.ts'
import type { Change, MailboxRef, Place } from '#/ports/mail-host.ts'
import type { Held } from '#/ports/recording.ts'
import { normalKeywords } from './keywords.ts'

/** What a change makes of a message. */
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

/** Whether anything of a message has changed but its place. */
export function differ({ before, after }: { readonly before: Held; readonly after: Held }): boolean {
  return (
    before.seen !== after.seen ||
    before.flagged !== after.flagged ||
    before.keywords.join(' ') !== after.keywords.join(' ')
  )
}

/** The events of messages that were changed, or moved. */
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

/** The same where nobody knows what was before: what was asked for. */
export function changedAsAsked(
  { organizationId, mailboxId }: MailboxRef,
  source: string,
  places: ReadonlyMap<number, Place>,
  { seen, flagged, addKeywords = [], removeKeywords = [] }: Change,
): NewEvent[] {
  return [...places].map(([uid, place]) => {
    const data = {
      ...place,
      ...(source !== place.folder && { moved_from: { folder: source, uid } }),
      ...(seen !== undefined && { unread: !seen }),
      ...(flagged !== undefined && { starred: flagged }),
      ...(addKeywords.length > 0 && { added_labels: [...addKeywords] }),
      ...(removeKeywords.length > 0 && { removed_labels: [...removeKeywords] }),
    }
    return { organizationId, type: 'message.changed', mailboxId, data }
  })
}

/** The events of messages that are gone for good. */
export function deleted(
  { organizationId, mailboxId }: MailboxRef,
  folder: string,
  uids: readonly number[],
): NewEvent[] {
  return uids.map((uid) => ({ organizationId, type: 'message.deleted', mailboxId, data: { folder, uid } }))
}

/** The event of a draft that was saved. One that replaces another is told as having moved: it has another uid. */
export function saved({ organizationId, mailboxId }: MailboxRef, uid: number, before: number | undefined): NewEvent {
  const movedFrom = before === undefined ? {} : { moved_from: { folder: 'drafts', uid: before } }
  return { organizationId, type: 'message.changed', mailboxId, data: { folder: 'drafts', uid, ...movedFrom } }
}
