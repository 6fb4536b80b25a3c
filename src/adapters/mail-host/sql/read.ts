import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { Address } from '#/mime/address.ts'
import type { Applied, ListQuery, MailboxRef, Stored, Summary } from '#/ports/mail-host.ts'
import { type Folder, findFolder, uidRows } from './folders.ts'

/** Bytes of a message fetched at once: they come as hexadecimal text, and decoding it holds the event loop, for 10 ms a
 *  MiB. */
const pieceBytes = 1 << 20

export async function list(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  query: ListQuery,
): Promise<{ total: number; messages: Summary[] }> {
  const folder = await findFolder(db, mailbox, name)
  const [total, messages] = [await countMatching(db, folder, query), await pageOf(db, folder, query)]
  return { total, messages }
}

/** Those of the folder that the query asks for, to select from: an index holds each kind in order. */
function matching(folder: Folder, { unread, keyword }: ListQuery): RawBuilder<unknown> {
  if (keyword === undefined) {
    const condition = unread === undefined ? sql`` : unread ? sql`and not seen` : sql`and seen`
    return sql`mail_messages where folder_id = ${folder.id} ${condition}`
  }
  const labelled = sql`folder_id = ${folder.id} and keyword = ${keyword.toLowerCase()}`
  if (unread === undefined) return sql`mail_keywords where ${labelled}`
  return sql`mail_keywords join mail_messages using (folder_id, received_at, uid)
    where ${labelled} and ${unread ? sql`not seen` : sql`seen`}`
}

async function countMatching(db: Db, folder: Folder, query: ListQuery): Promise<number> {
  if (query.keyword === undefined) {
    if (query.unread === undefined) return folder.total
    return query.unread ? folder.unread : folder.total - folder.unread
  }
  const { rows } = await sql<{ count: number }>`select count(*) from ${matching(folder, query)}`.execute(db)
  return rows[0]?.count ?? 0
}

async function pageOf(db: Db, folder: Folder, query: ListQuery): Promise<Summary[]> {
  // Only the index is read for what comes before the page.
  return summariesOf(
    db,
    folder,
    sql`(select folder_id, uid from ${matching(folder, query)}
         order by received_at desc, uid desc limit ${query.limit} offset ${query.page * query.limit})`,
    sql`message.received_at desc, message.uid desc`,
  )
}

export async function summaries(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  uids: readonly number[],
): Promise<Summary[]> {
  const folder = await findFolder(db, mailbox, name)
  return summariesOf(db, folder, uidRows(folder.id, uids), sql`message.uid`)
}

interface SummaryRow {
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
  keywords: string[]
  has_attachment: boolean
  preview: string
  size_bytes: number
}

const summaryColumns = sql`message.uid, content.message_id, content.thread_root, content.subject, content.from_name,
  content.from_address, content.recipients, message.received_at, message.seen, message.flagged, message.keywords,
  content.has_attachment, content.preview, message.size_bytes`

async function summariesOf(
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

export async function read(db: Db, mailbox: MailboxRef, name: string, uid: number): Promise<Stored | undefined> {
  const folder = await findFolder(db, mailbox, name)
  const { rows } = await sql<SummaryRow & { content_id: number; filtered_by: Applied[] | null; start: Buffer }>`
    select ${summaryColumns}, message.content_id, message.filtered_by,
      substring(content.bytes from 1 for ${pieceBytes}) as start
    from mail_messages message join mail_contents content on content.id = message.content_id
    where message.folder_id = ${folder.id} and message.uid = ${uid}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const pieces = [row.start]
  for (let at = pieceBytes; at < row.size_bytes; at += pieceBytes) {
    const piece = await pieceOf(db, mailbox.organizationId, row.content_id, at)
    if (!piece) return undefined
    pieces.push(piece)
  }
  const [raw = row.start] = pieces.length > 1 ? [Buffer.concat(pieces, row.size_bytes)] : pieces
  return { summary: summaryOf(row, folder.name), raw, filteredBy: row.filtered_by ?? [] }
}

/** Undefined where the message has gone meanwhile. */
async function pieceOf(db: Db, organizationId: string, content: number, at: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ piece: Buffer }>`
    select substring(bytes from ${at + 1}::integer for ${pieceBytes}) as piece from mail_contents
    where id = ${content} and organization_id = ${organizationId}`.execute(db)
  return rows[0]?.piece
}

function summaryOf(row: SummaryRow, folder: string): Summary {
  return {
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
    keywords: row.keywords,
    hasAttachment: row.has_attachment,
    preview: row.preview,
    sizeBytes: row.size_bytes,
  }
}
