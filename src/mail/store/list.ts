import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { MessagePlace } from '#/http/schemas/cursor.ts'
import { type Folder, findFolder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { type Summary, summariesOf } from './read.ts'

export type ListQuery = { limit: number; page: number; unread?: boolean; keyword?: string; after?: MessagePlace }

/** Newest received first, those after `after` only. `page` counts from 0. `total` is exact and includes those before `after`. The page is read in the index from the nearer end of the list. */
export async function listMessages(
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

function behind(after: MessagePlace | undefined): RawBuilder<unknown> {
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

/** The lowest uids above this one, in ascending order. */
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
