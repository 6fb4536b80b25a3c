import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import type { MailboxRef } from './mailbox-ref.ts'

export type KeywordTotal = { readonly keyword: string; readonly total: number; readonly unread: number }

/** A message's keywords, with the columns by which its rows in mail_keywords are found. */
export interface Keyworded {
  readonly uid: number
  readonly received_at: Date
  readonly seen: boolean
  readonly keywords: readonly string[]
}

export async function dropKeywords(tx: Tx, folderId: number, messages: readonly Keyworded[]): Promise<void> {
  const rows = rowsOf(messages)
  if (rows.length === 0) return
  await sql`
    with gone as materialized (
      select ${folderId}::bigint as folder_id, gone.*
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as gone
        (keyword text, received_at timestamptz, uid bigint)
    )
    delete from mail_keywords label using gone
    where label.folder_id = gone.folder_id and label.keyword = gone.keyword
      and label.received_at = gone.received_at and label.uid = gone.uid`.execute(tx)
}

export async function addKeywords(tx: Tx, folderId: number, messages: readonly Keyworded[]): Promise<void> {
  const rows = rowsOf(messages)
  if (rows.length === 0) return
  await sql`
    insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
    select ${folderId}, keyword, received_at, uid, seen
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as come
      (keyword text, received_at timestamptz, uid bigint, seen boolean)`.execute(tx)
}

/** Updates the rows by which messages with a keyword are listed. */
export async function keepKeywords(
  tx: Tx,
  folderId: number,
  pairs: readonly { readonly before: Keyworded; readonly after: Keyworded }[],
): Promise<void> {
  await dropKeywords(
    tx,
    folderId,
    pairs.map(({ before, after }) => without(before, after)),
  )
  await addKeywords(
    tx,
    folderId,
    pairs.map(({ before, after }) => without(after, before)),
  )
}

/** The message with only those keywords whose rows differ from the other's. */
function without(message: Keyworded, { seen, keywords }: Keyworded): Keyworded {
  if (message.seen !== seen) return message
  return { ...message, keywords: message.keywords.filter((keyword) => !keywords.includes(keyword)) }
}

/** The number of messages with each keyword: sums of the folders' counters. */
export async function keywordTotals(db: Db, mailboxes: readonly MailboxRef[]): Promise<KeywordTotal[]> {
  const organizations = mailboxes.map(({ organizationId }) => organizationId)
  const ids = mailboxes.map(({ mailboxId }) => mailboxId)
  const { rows } = await sql<KeywordTotal>`
    select held.keyword, sum(held.total)::bigint as total, sum(held.unread)::bigint as unread
    from unnest(${organizations}::uuid[], ${ids}::uuid[]) as wanted (organization_id, mailbox_id)
    join mail_folders folder using (organization_id, mailbox_id)
    join mail_keyword_totals held on held.folder_id = folder.id
    where held.total > 0
    group by held.keyword order by held.keyword`.execute(db)
  return rows
}

function rowsOf(messages: readonly Keyworded[]): (Omit<Keyworded, 'keywords'> & { readonly keyword: string })[] {
  return messages.flatMap(({ uid, received_at, seen, keywords }) =>
    keywords.map((keyword) => ({ keyword, received_at, seen, uid })),
  )
}
