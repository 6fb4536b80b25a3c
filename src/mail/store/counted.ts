import { type RawBuilder, sql } from 'kysely'
import type { Folder } from './folders.ts'
import { labelled, unlabelled } from './keywords.ts'

/** Modification sequences for which expunges are logged. A reader with an older state reads the folder again. */
const remembered = 10_000

/** CTEs for a statement that removes the messages of another CTE, `uid`, `seen`, `size_bytes`, `received_at` and `keywords`, from a locked folder.
 *  Each is logged under a modification sequence of its own. */
export function left(folder: Folder, messages: 'gone' | 'changing'): RawBuilder<unknown> {
  const { id, modseq } = folder
  return sql`left_messages as materialized (
      select ${modseq}::bigint + count(*) as modseq, count(*)::integer as total, (count(*) filter (where not seen))::integer as unread,
        coalesce(sum(size_bytes::bigint), 0) as bytes from ${sql.ref(messages)}
    ), expunged as (
      insert into mail_expunged (folder_id, modseq, uid)
      select ${id}::bigint, ${modseq}::bigint + row_number() over (order by uid), uid from ${sql.ref(messages)}
    ), forgotten as (
      delete from mail_expunged where folder_id = ${id} and modseq <= (select modseq from left_messages) - ${remembered}::bigint
    ), counted_out as (
      /* announced */ update mail_folders folder set modseq = gone.modseq,
        expunged_from = greatest(folder.expunged_from, gone.modseq - ${remembered}::bigint), total = folder.total - gone.total,
        unread = folder.unread - gone.unread, size_bytes = folder.size_bytes - gone.bytes
      from left_messages gone where folder.id = ${id} and gone.total > 0
    ), ${unlabelled(folder, messages, 'keywords')}`
}

/** CTEs for a statement that adds the messages of another CTE, `new_uid`, `new_seen`, `size_bytes`, `received_at` and `new_keywords`, to a locked
 *  folder. */
export function come(folder: Folder, messages: 'changing' | 'copied'): RawBuilder<unknown> {
  return sql`counted_in as (
      /* announced */ update mail_folders folder set uid_next = folder.uid_next + added.total, modseq = folder.modseq + 1,
        total = folder.total + added.total, unread = folder.unread + added.unread, size_bytes = folder.size_bytes + added.bytes
      from (
        select count(*)::integer as total, (count(*) filter (where not new_seen))::integer as unread,
          sum(size_bytes::bigint) as bytes from ${sql.ref(messages)}
      ) added
      where folder.id = ${folder.id} and added.total > 0
    ), ${labelled(folder, messages, 'new_keywords')}`
}
