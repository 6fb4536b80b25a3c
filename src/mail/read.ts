import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { pieceBytes } from '#/event-loop/pieces.ts'
import { publicId } from '#/message-id.ts'
import type { Address } from '#/mime/address/address.ts'
import { type HeaderFacts, headerFacts } from '#/mime/header/header-facts.ts'
import { readHeaders } from '#/mime/header/headers.ts'
import type { Applied, ListPlace, ListQuery, MailboxRef, Stored, Summary } from '#/ports/mail-host.ts'
import { type Folder, findFolder, uidRows } from './folders.ts'

/** One page, read in the index from the nearer end of the list. */
export async function list(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  query: ListQuery,
): Promise<{ total: number; messages: Summary[] }> {
  const folder = await findFolder(db, mailbox, name)
  const total = await countMatching(db, folder, query)
  const offset = query.page * query.limit
  if (query.after) return { total, messages: await pageOf(db, folder, query, 'desc', query.limit, offset) }
  if (offset >= total) return { total, messages: [] }
  if (offset <= total / 2) return { total, messages: await pageOf(db, folder, query, 'desc', query.limit, offset) }
  // The page is counted from the oldest message, and must be of the same moment as the total.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const folder = await findFolder(tx, mailbox, name)
      const total = await countMatching(tx, folder, query)
      const after = total - offset - query.limit
      const limit = query.limit + Math.min(0, after)
      if (limit <= 0) return { total, messages: [] }
      return { total, messages: await pageOf(tx, folder, query, 'asc', limit, Math.max(0, after)) }
    })
}

/** The messages of a folder that a query lists, to select from. Each kind has an index in order. */
function matching(folder: Folder, { unread, keyword }: ListQuery): RawBuilder<unknown> {
  const read = unread === undefined ? sql`` : unread ? sql`and not seen` : sql`and seen`
  if (keyword === undefined) return sql`mail_messages where folder_id = ${folder.id} ${read}`
  return sql`mail_keywords where folder_id = ${folder.id} and keyword = ${keyword.toLowerCase()} ${read}`
}

function behind(after: ListPlace | undefined): RawBuilder<unknown> {
  return after ? sql`and (received_at, uid) < (${new Date(after.receivedAt)}, ${after.uid}::bigint)` : sql``
}

async function countMatching(db: Db, folder: Folder, { keyword, unread }: ListQuery): Promise<number> {
  const counted = keyword === undefined ? folder : await keywordTotals(db, folder, keyword.toLowerCase())
  if (unread === undefined) return counted.total
  return unread ? counted.unread : counted.total - counted.unread
}

async function keywordTotals(db: Db, folder: Folder, keyword: string): Promise<{ total: number; unread: number }> {
  const totals = await db
    .selectFrom('mail_keyword_totals')
    .select(['total', 'unread'])
    .where('folder_id', '=', folder.id)
    .where('keyword', '=', keyword)
    .executeTakeFirst()
  return totals ?? { total: 0, unread: 0 }
}

function pageOf(
  db: Db,
  folder: Folder,
  query: ListQuery,
  direction: 'asc' | 'desc',
  limit: number,
  offset: number,
): Promise<Summary[]> {
  const order = direction === 'asc' ? sql`asc` : sql`desc`
  return summariesOf(
    db,
    folder,
    sql`(select folder_id, uid from ${matching(folder, query)} ${behind(query.after)}
         order by received_at ${order}, uid ${order} limit ${limit} offset ${offset})`,
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

export async function uidsAfter(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  uid: number,
  most: number,
): Promise<number[]> {
  const folder = await findFolder(db, mailbox, name)
  const { rows } = await sql<{ uid: number }>`
    select uid from mail_messages where folder_id = ${folder.id} and uid > ${uid} order by uid limit ${most}`.execute(
    db,
  )
  return rows.map((row) => row.uid)
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
  facts: HeaderFacts | null
  /** The beginning of a message without all facts. */
  head: string | null
}

/** Bytes that are read of a message stored before all facts were. */
const headBytes = 16 << 10

export const summaryColumns = sql`message.id, message.uid, content.message_id, content.thread_root, content.subject, content.from_name,
  content.from_address, content.recipients, message.received_at, message.seen, message.flagged, message.answered,
  message.forwarded, message.keywords, content.has_attachment, content.preview, message.size_bytes, content.facts - array['senders', 'groups'] as facts,
  case when content.facts -> 'automatic' is null then ${inBase64(sql`substring(coalesce(content.bytes,
    (select bytes from mail_pieces where content_id = content.id and number = 0)) for ${headBytes})`)} end as head`

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

export const storedColumns = sql`${summaryColumns}, message.content_id, message.filtered_by, ${inBase64(sql`content.bytes`)} as bytes`

export function storedOf(db: Db, organizationId: string, row: StoredRow, folder: string): Stored {
  const { bytes, content_id } = row
  const only = bytes === null ? undefined : Buffer.from(bytes, 'base64')
  return {
    summary: summaryOf(row, folder),
    filteredBy: row.filtered_by ?? [],
    async *pieces() {
      if (only) yield only
      else yield* piecesOf(db, organizationId, content_id, row.size_bytes)
    },
  }
}

export async function* piecesOf(db: Db, organizationId: string, content: number, size: number): AsyncGenerator<Buffer> {
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

/** node-postgres returns text. In hexadecimal, its usual form, a MiB holds the event loop for 11 ms, in base64 for 4. */
function inBase64(bytes: RawBuilder<unknown>): RawBuilder<string> {
  return sql`encode(${bytes}, 'base64')`
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
    facts: row.facts && row.head === null ? row.facts : factsIn(Buffer.from(row.head ?? '', 'base64')),
  }
}

function factsIn(head: Buffer): HeaderFacts {
  return headerFacts(head, readHeaders(head).headers)
}
