import { query } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { appendEvents, type By, type NewEvent } from '#/events/append.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { Done } from '../changing/change.ts'
import { forwardedKeyword } from '../reading/contents.ts'

/** What events show of a message. */
interface Marks {
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered?: boolean
  readonly forwarded?: boolean
  readonly keywords: readonly string[]
}

/** A change of a message by Mailroom itself. */
export interface OwnChange {
  readonly folder: string
  readonly uid: number
  /** By `marksText`; null if the message was removed. */
  readonly became: string | null
  /** The same before the change, with the modification sequence. */
  readonly before?: string
  readonly modseq?: number
  /** The folder from which a message was moved. */
  readonly fromFolder?: string
  readonly fromUid?: number
}

/** Flags and keywords as comparable text. */
export function marksText({ seen, flagged, answered = false, forwarded = false, keywords }: Marks): string {
  const flags = { '\\seen': seen, '\\flagged': flagged, '\\answered': answered, [forwardedKeyword]: forwarded }
  const marks = new Set([...Object.entries(flags).flatMap(([flag, is]) => (is ? flag : [])), ...keywords])
  return [...marks]
    .map((mark) => mark.toLowerCase())
    .sort()
    .join(' ')
}

/** The result of a change of messages. A change within a folder includes messages that were in that state already: they have
 *  events too. */
export function ownChangesOf({ source, target, present, pairs }: Done): OwnChange[] {
  const isMove = source.name !== target.name
  const differing = new Set(pairs.map(({ before }) => before.uid))
  const alike = isMove
    ? []
    : present.filter(({ uid }) => !differing.has(uid)).map((one) => ({ before: one, after: one }))
  return [...pairs, ...alike].flatMap(({ before, after }): OwnChange[] => {
    const was = { before: marksText(before), modseq: before.modseq }
    const now = { folder: target.name, uid: after.uid, became: marksText(after) }
    if (!isMove) return [{ ...now, ...was }]
    const place = { folder: source.name, uid: before.uid }
    return [
      { ...place, ...was, became: null },
      { ...now, fromFolder: place.folder, fromUid: place.uid },
    ]
  })
}

/** Messages that Mailroom removed from a folder. */
export function went(folder: string, uids: readonly number[]): OwnChange[] {
  return uids.map((uid) => ({ folder, uid, became: null }))
}

/** Records, while the mailbox is watched, Mailroom's own changes, in the transaction that logs their events. To be called
 *  before `appendEvents`. Whoever logs changes by others has locked the watch meanwhile, so that no event comes after a
 *  newer one. */
export async function recordOwn(tx: Tx, mailbox: MailboxRef, changes: readonly OwnChange[]): Promise<void> {
  if (changes.length === 0) return
  await query(tx)`
    insert into imap_changes
      (organization_id, mailbox_id, folder, uid, became, before, modseq, from_folder, from_uid)
    select watch.organization_id, watch.id, change.folder, change.uid, change.became, change.before, change.modseq,
      change."fromFolder", change."fromUid"
    from (
      select id, organization_id from imap_watches
      where id = ${mailbox.mailboxId} and organization_id = ${mailbox.organizationId} for share
    ) watch
    cross join jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as change
      (folder text, uid bigint, became text, before text, modseq bigint, "fromFolder" text, "fromUid" bigint)`
}

/** Mailroom's work on the server. */
export interface OwnDone {
  readonly mailbox: MailboxRef
  readonly own: readonly OwnChange[]
  readonly events: readonly NewEvent[]
  readonly by: By | undefined
  /** Other work of the transaction. */
  readonly settle?: ((tx: Tx) => Promise<void>) | undefined
}

/** Logs Mailroom's own changes. If the process dies before, they are logged as those of a mail program. */
export async function logOwnChanges(db: Db, { mailbox, own, events, by, settle }: OwnDone): Promise<void> {
  if (events.length === 0 && !settle) return
  await db.transaction().execute(async (tx) => {
    await recordOwn(tx, mailbox, own)
    await appendEvents(tx, events, by)
    await settle?.(tx)
  })
}
