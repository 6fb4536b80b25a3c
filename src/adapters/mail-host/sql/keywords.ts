import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'

/** A message's keywords, with what else its rows in mail_keywords are found by. */
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

function rowsOf(messages: readonly Keyworded[]): (Omit<Keyworded, 'keywords'> & { readonly keyword: string })[] {
  return messages.flatMap(({ uid, received_at, seen, keywords }) =>
    keywords.map((keyword) => ({ keyword, received_at, seen, uid })),
  )
}
