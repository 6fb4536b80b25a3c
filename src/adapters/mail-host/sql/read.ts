import { type RawBuilder, sql } from 'kysely'
import { pieceBytes } from '#/bytes.ts'
import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { Address } from '#/mime/address.ts'
import type { Applied, ListQuery, MailboxRef, Stored, Summary } from '#/ports/mail-host.ts'
import { type Folder, findFolder, uidRows } from './folders.ts'

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
  const { rows } = await sql<SummaryRow & { content_id: number; filtered_by: Applied[] | null; bytes: string | null }>`
    select ${summaryColumns}, message.content_id, message.filtered_by, ${inBase64(sql`content.bytes`)} as bytes
    from mail_messages message join mail_contents content on content.id = message.content_id
    where message.folder_id = ${folder.id} and message.uid = ${uid}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { bytes, content_id } = row
  const only = bytes === null ? undefined : Buffer.from(bytes, 'base64')
  return {
    summary: summaryOf(row, folder.name),
    filteredBy: row.filtered_by ?? [],
    async *pieces() {
      if (only) yield only
      else yield* piecesOf(db, mailbox.organizationId, content_id, row.size_bytes)
    },
  }
}

async function* piecesOf(db: Db, organizationId: string, content: number, size: number): AsyncGenerator<Buffer> {
  for (let number = 0; number * pieceBytes < size; number++) {
    const { rows } = await sql<{ piece: string }>`
      select ${inBase64(sql`piece.bytes`)} as piece
      from mail_pieces piece join mail_contents content on content.id = piece.content_id
      where piece.content_id = ${content} and piece.number = ${number}
        and content.organization_id = ${organizationId}`.execute(db)
    const [row] = rows
    if (!row) throw notFound('message')
    yield Buffer.from(row.piece, 'base64')
  }
}

/** As node-postgres has it, a value is text: in hexadecimal, its usual form, a MiB holds the event loop for 11 ms, in
 *  base64 for 4. */
function inBase64(bytes: RawBuilder<unknown>): RawBuilder<string> {
  return sql`encode(${bytes}, 'base64')`
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
