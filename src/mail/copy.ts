import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import { type By, insertNewEventsBy } from '#/events/append.ts'
import { countsStored } from './counts-stored.ts'
import { type FolderRef, lockFolderRefs, uidRows } from './folders.ts'
import { integers, packed } from './packed.ts'
import { storedType } from './received.ts'
import { indexFor } from './search/copied.ts'

/** The uids of messages, and of what became of each. */
export interface CopiedTo {
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** Copies messages to a folder of the same mailbox or of another one of the organization, with their flags (RFC 9051, section 6.4.7), and
 *  writes events. Octets are shared. Locks folders, contents and the storage in use, in that order. */
export async function copyMessages(
  tx: Tx,
  from: FolderRef,
  uids: readonly number[],
  to: FolderRef,
  by: By,
): Promise<CopiedTo> {
  const folders = await lockFolderRefs(tx, from, to)
  const [source, target] = [folders(from), folders(to)]
  const { organizationId, mailboxId } = to.mailbox
  const isWithin = from.mailbox.mailboxId === mailboxId
  if (!isWithin) await indexFor(tx, to.mailbox, source.id, uids)
  const { rows } = await sql<{ uids: string | null }>`
    with held as materialized (
      select uid, ${target.uid_next - 1} + row_number() over (order by uid) as new_uid, content_id, received_at, size_bytes,
        seen, flagged, answered, forwarded, deleted, draft, keywords, sender, id_hash, strong, weak, filtered_by,
        id as copied_id, coalesce(email_id, id) as email_id
      from ${uidRows(source.id, uids)} wanted join mail_messages using (folder_id, uid)
    ), content as materialized (
      select id from mail_contents where organization_id = ${organizationId} and id in (select content_id from held)
      order by id for update
    ), shared as (
      update mail_contents shared set copies = shared.copies + more.copies
      from content join (select content_id, count(*)::integer as copies from held group by content_id) more
        on more.content_id = content.id
      where shared.id = content.id
    ), messages as (
      insert into mail_messages (folder_id, uid, modseq, content_id, received_at, size_bytes, seen, flagged, answered,
        forwarded, deleted, draft, keywords, sender, id_hash, strong, weak, filtered_by, email_id, succeeds)
      select ${target.id}::bigint, new_uid, ${target.modseq + 1}::bigint, content_id, received_at, size_bytes, seen, flagged,
        answered, forwarded, deleted, draft, keywords, sender, id_hash, strong, weak, filtered_by, email_id,
        case when ${isWithin}::boolean then copied_id end
      from held order by uid
      returning uid, id
    ), keywords as (
      insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
      select ${target.id}::bigint, unnest(keywords), received_at, new_uid, seen from held
    ), counted_in as (
      /* announced */ update mail_folders folder set uid_next = folder.uid_next + added.total, modseq = folder.modseq + 1,
        total = folder.total + added.total, unread = folder.unread + added.unread,
        size_bytes = folder.size_bytes + added.bytes
      from (
        select count(*)::integer as total, (count(*) filter (where not seen))::integer as unread,
          sum(size_bytes::bigint) as bytes from held
      ) added
      where folder.id = ${target.id} and added.total > 0
    ), new_events as (
      select ${organizationId}::uuid as organization_id, ${storedType(target.name)}::text as type,
        ${mailboxId}::uuid as mailbox_id, jsonb_build_object('folder', ${target.name}::text, 'uid', uid, 'id', id) as data
      from messages order by uid
    ), logged as (${insertNewEventsBy(by)}), stored as (
      -- Asks for the contents, whose locks come before that of the storage: the parts of a statement have no order of their own.
      select ${organizationId}::uuid as organization_id, sum(size_bytes::bigint) as bytes
      from held where (select count(*) from content) > 0 having count(*) > 0
    ), ${sql.raw(countsStored.text)}
    select (select ${packed(sql`int4send(uid::integer)`)} from (select uid from held order by uid) held) as uids`.execute(
    tx,
  )
  const copied = [...integers(rows[0]?.uids ?? null)]
  return { from: copied, to: copied.map((_, index) => target.uid_next + index) }
}
