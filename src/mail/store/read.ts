import { type RawBuilder, sql } from 'kysely'
import type { AppliedFilter as Applied } from '#/base/db/schema/mail.ts'
import type { Db } from '#/base/db/schema.ts'
import { publicId } from '#/base/text/message-id.ts'
import type { Address } from '#/formats/mime/address/address.ts'
import type { HeaderFacts } from '#/formats/mime/header/header-facts.ts'
import { type Folder, findFolder, uidRows } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { inBase64, octetsOf, whole } from './octets.ts'

export interface Summary {
  /** As others are shown it (src/base/text/message-id.ts). */
  readonly id: string
  readonly uid: number
  readonly folder: string
  readonly messageId: string | null
  /** The first strong reference, else the message's own id. It names the conversation (docs/reference/threads.md). */
  readonly threadRoot: string | null
  readonly subject: string
  readonly from: Address | null
  /** The first 100. */
  readonly to: readonly Address[]
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly forwarded: boolean
  readonly keywords: readonly string[]
  readonly hasAttachment: boolean
  readonly preview: string
  readonly sizeBytes: number
  readonly facts: HeaderFacts
}

export interface Stored {
  readonly summary: Summary
  readonly filteredBy: readonly Applied[]
  /** The message's bytes in pieces of at most a MiB. Each is fetched when needed, since few callers need all of a large
   *  message in memory. Throws `not_found` if the message is deleted meanwhile. May be called again. */
  pieces(): AsyncIterable<Buffer>
}

/** Those of the uids that are in the folder, in ascending order. */
export async function readSummaries(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  uids: readonly number[],
): Promise<Summary[]> {
  const folder = await findFolder(db, mailbox, name)
  return summariesOf(db, folder, uidRows(folder.id, uids), sql`message.uid`)
}

export interface SummaryRow {
  id: number
  uid: number
  message_id: string | null
  thread_root: string | null
  subject: string
  from_name: string | null
  from_address: string | null
  recipients: Address[]
  received_at: Date
  seen: boolean
  flagged: boolean
  answered: boolean
  forwarded: boolean
  keywords: string[]
  has_attachment: boolean
  preview: string
  size_bytes: number
  facts: HeaderFacts
}

export const summaryColumns = sql`message.id, message.uid, content.message_id, content.thread_root, content.subject, content.from_name,
  content.from_address, content.recipients, message.received_at, message.seen, message.flagged, message.answered,
  message.forwarded, message.keywords, content.has_attachment, content.preview, message.size_bytes, 
  content.facts - array['senders', 'groups'] as facts`

/** Of rows of folder and uid. */
export async function summariesOf(
  db: Db,
  folder: Folder,
  wanted: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<Summary[]> {
  const { rows } = await sql<SummaryRow>`
    select ${summaryColumns}
    from ${wanted} wanted
    join mail_messages message using (folder_id, uid)
    join mail_contents content on content.id = message.content_id
    order by ${order}`.execute(db)
  return rows.map((row) => summaryOf(row, folder.name))
}

/** Undefined if it is not there. */
export async function readStored(db: Db, mailbox: MailboxRef, name: string, uid: number): Promise<Stored | undefined> {
  const folder = await findFolder(db, mailbox, name)
  const { rows } = await sql<StoredRow>`
    select ${storedColumns}
    from mail_messages message join mail_contents content on content.id = message.content_id
    where message.folder_id = ${folder.id} and message.uid = ${uid}`.execute(db)
  return rows[0] && storedOf(db, mailbox.organizationId, rows[0], folder.name)
}

export interface StoredRow extends SummaryRow {
  content_id: number
  filtered_by: Applied[] | null
  bytes: string | null
}

export const storedColumns = sql`${summaryColumns}, message.content_id, message.filtered_by, ${inBase64(whole)} as bytes`

export function storedOf(db: Db, organizationId: string, row: StoredRow, folder: string): Stored {
  const { bytes, content_id } = row
  const only = bytes === null ? undefined : Buffer.from(bytes, 'base64')
  return {
    summary: summaryOf(row, folder),
    filteredBy: row.filtered_by ?? [],
    async *pieces() {
      if (only) yield only
      else yield* octetsOf(db, organizationId, content_id, { start: 0, end: row.size_bytes })
    },
  }
}

export function summaryOf(row: SummaryRow, folder: string): Summary {
  return {
    id: publicId(row.id),
    uid: row.uid,
    folder,
    messageId: row.message_id,
    threadRoot: row.thread_root,
    subject: row.subject,
    from: row.from_address === null ? null : { name: row.from_name ?? '', address: row.from_address },
    to: row.recipients,
    receivedAt: row.received_at,
    seen: row.seen,
    flagged: row.flagged,
    answered: row.answered,
    forwarded: row.forwarded,
    keywords: row.keywords,
    hasAttachment: row.has_attachment,
    preview: row.preview,
    sizeBytes: row.size_bytes,
    facts: row.facts,
  }
}
