import { sql } from 'kysely'
import { relation } from '#/base/db/relation.ts'
import type { Tx } from '#/base/db/schema.ts'
import { type By, insertNewEventsBy, newEvents } from '#/base/event-log/append.ts'
import { indexFor } from '#/mail/search-index/copied.ts'
import { come } from './counted.ts'
import { countsStored, storedBytes } from './counts-stored.ts'
import { type FolderRef, lockFolders, uidRows } from './folders.ts'
import { integers, packed } from './packed.ts'
import { storedType } from './stored-type.ts'

/** The uids of messages, and of what became of each. */
export interface CopiedTo {
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** The copies, as they will be in their folder. */
const copied = relation('copied', 'new_uid', 'new_seen', 'size_bytes', 'received_at', 'new_keywords')

const same = sql.raw(
  'content_id, received_at, size_bytes, flagged, answered, forwarded, deleted, draft, sender, id_hash, strong, weak, filtered_by',
)

/** Copies messages to a folder of the same mailbox or of another one of the organization, with their flags (RFC 9051, section 6.4.7), and
 *  writes events. Octets are shared. Locks folders, contents and the storage in use, in that order. */
export async function copyMessages(
  tx: Tx,
  from: FolderRef,
  uids: readonly number[],
  to: FolderRef,
  by: By,
): Promise<CopiedTo> {
  const folders = await lockFolders(tx, from, to)
  const [source, target] = [folders(from), folders(to)]
  const { organizationId, mailboxId } = to.mailbox
  const isWithin = from.mailbox.mailboxId === mailboxId
  if (!isWithin) await indexFor(tx, to.mailbox, source.id, uids)
  const { rows } = await sql<{ uids: string | null }>`
    with ${copied.rows} as materialized (
      select uid, ${target.uid_next - 1} + row_number() over (order by uid) as new_uid, seen as new_seen, keywords as new_keywords, ${same},
        ${isWithin ? sql`id` : sql`null::bigint`} as succeeds, coalesce(email_id, id) as email_id
      from ${uidRows(source.id, uids)} wanted join mail_messages using (folder_id, uid) order by uid
    ), content as materialized (
      select id from mail_contents where organization_id = ${organizationId} and id in (select content_id from copied)
      order by id for update
    ), shared as (
      update mail_contents shared set copies = shared.copies + more.copies
      from content join (select content_id, count(*)::integer as copies from copied group by content_id) more
        on more.content_id = content.id
      where shared.id = content.id
    ), messages as (
      insert into mail_messages (folder_id, uid, modseq, seen, keywords, ${same}, email_id, succeeds)
      select ${target.id}::bigint, new_uid, ${target.modseq + 1}::bigint, new_seen, new_keywords, ${same}, email_id, succeeds
      from copied order by uid
      returning uid, id
    ), ${come(target, copied)}, ${newEvents.rows} as (
      select ${organizationId}::uuid as organization_id, ${storedType(target.name)}::text as type,
        ${mailboxId}::uuid as mailbox_id, jsonb_build_object('folder', ${target.name}::text, 'uid', uid, 'id', id) as data
      from messages order by uid
    ), logged as (${insertNewEventsBy(by)}), ${storedBytes.rows} as (
      -- Asks for the contents, whose locks come before that of the storage: the parts of a statement have no order of their own.
      select ${organizationId}::uuid as organization_id, sum(size_bytes::bigint) as bytes
      from copied where (select count(*) from content) > 0 having count(*) > 0
    ), ${countsStored}
    select ${packed(sql`int4send(uid::integer)`)} as uids from copied`.execute(tx)
  const uidsFrom = [...integers(rows[0]?.uids)]
  return { from: uidsFrom, to: uidsFrom.map((_, index) => target.uid_next + index) }
}
