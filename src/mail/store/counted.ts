import { type RawBuilder, sql } from 'kysely'
import type { Relation } from '#/base/db/relation.ts'
import type { Folder } from './folders.ts'
import { labelled, unlabelled } from './keywords.ts'

/** Modification sequences for which expunges are logged. A reader with an older state reads the folder again. */
const remembered = 10_000

/** CTEs for a statement that removes messages from a locked folder. Each is logged under a modification sequence of its own. */
export function left(
  folder: Folder,
  messages: Relation<'uid' | 'seen' | 'size_bytes' | 'received_at' | 'keywords'>,
): RawBuilder<unknown> {
  const { id, modseq } = folder
  return sql`left_messages as materialized (
      select ${modseq}::bigint + count(*) as modseq, count(*)::integer as total,
        (count(*) filter (where not ${messages.seen}))::integer as unread, coalesce(sum(${messages.size_bytes}::bigint), 0) as bytes
      from ${messages.rows}
    ), expunged as (
      insert into mail_expunged (folder_id, modseq, uid)
      select ${id}::bigint, ${modseq}::bigint + row_number() over (order by ${messages.uid}), ${messages.uid} from ${messages.rows}
    ), forgotten as (
      delete from mail_expunged where folder_id = ${id} and modseq <= (select modseq from left_messages) - ${remembered}::bigint
    ), counted_out as (
      /* announced */ update mail_folders folder set modseq = gone.modseq,
        expunged_from = greatest(folder.expunged_from, gone.modseq - ${remembered}::bigint), total = folder.total - gone.total,
        unread = folder.unread - gone.unread, size_bytes = folder.size_bytes - gone.bytes
      from left_messages gone where folder.id = ${id} and gone.total > 0
    ), ${unlabelled(folder, messages, messages.keywords)}`
}

/** CTEs for a statement that adds messages to a locked folder. */
export function come(
  folder: Folder,
  messages: Relation<'new_uid' | 'new_seen' | 'size_bytes' | 'received_at' | 'new_keywords'>,
): RawBuilder<unknown> {
  return sql`counted_in as (
      /* announced */ update mail_folders folder set uid_next = folder.uid_next + added.total, modseq = folder.modseq + 1,
        total = folder.total + added.total, unread = folder.unread + added.unread, size_bytes = folder.size_bytes + added.bytes
      from (
        select count(*)::integer as total, (count(*) filter (where not ${messages.new_seen}))::integer as unread,
          sum(${messages.size_bytes}::bigint) as bytes from ${messages.rows}
      ) added
      where folder.id = ${folder.id} and added.total > 0
    ), ${labelled(folder, messages, messages.new_keywords)}`
}
