import { type RawBuilder, sql } from 'kysely'
import { type Relation, relation } from '#/base/db/relation.ts'
import type { Db } from '#/base/db/schema.ts'
import type { Folder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'

export type KeywordTotal = { readonly keyword: string; readonly total: number; readonly unread: number }

/** A CTE `unlabelled`, for a statement with messages of a locked folder in another CTE: their rows of these keywords, by which they are listed,
 *  are deleted. The folder is a column, so that PostgreSQL, without fresh statistics, does not read all of its rows. */
export function unlabelled(
  { id }: Pick<Folder, 'id'>,
  messages: Relation<'received_at' | 'uid'>,
  keywords: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`without as materialized (
      select ${id}::bigint as folder_id, unnest(${keywords}) as keyword, ${messages.received_at}, ${messages.uid} from ${messages.rows}
    ), unlabelled as (
      delete from mail_keywords label using without
      where label.folder_id = without.folder_id and label.keyword = without.keyword
        and label.received_at = without.received_at and label.uid = without.uid
      returning label.uid
    )`
}

/** Of another statement: the rows of keywords that `unlabelled` has deleted. */
export const withoutLabels = relation('unlabelled', 'uid')

/** A CTE that makes such rows. */
export function labelled(
  { id }: Pick<Folder, 'id'>,
  messages: Relation<'received_at' | 'new_uid' | 'new_seen'>,
  keywords: RawBuilder<unknown>,
  condition = sql`true`,
): RawBuilder<unknown> {
  return sql`labelled as (
      insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
      select ${id}::bigint, unnest(${keywords}), ${messages.received_at}, ${messages.new_uid}, ${messages.new_seen}
      from ${messages.rows} where ${condition}
    )`
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
