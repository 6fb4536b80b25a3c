import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { type By, insertNewEventsBy, newEvents } from '#/base/event-log/append.ts'
import { indexFor } from '#/mail/search-index/copied.ts'
import { type Change, changeInSql, changing, present, type Recording, unrecorded } from './change.ts'
import type { CopiedTo } from './copy.ts'
import { come, left } from './counted.ts'
import { type FolderAt, lockFolders, uidRows } from './folders.ts'
import { integers, longIntegers, packed } from './packed.ts'
import { storeFlags } from './store-flags.ts'
import { storedType } from './stored-type.ts'

export interface Moved extends CopiedTo {
  /** The ids of those that have moved, as they are now. */
  readonly ids: ArrayLike<number>
  /** The modification sequence of the folder that they were in. */
  readonly modseq: number
  /** The answer of the recording. */
  readonly recorded: unknown
}

interface Options {
  /** What else changes. */
  readonly change?: Omit<Change, 'folder'>
  readonly recording?: Recording
}

/** Moves messages to a folder of the same mailbox or of another one, and writes events, in one statement. A message keeps its id within a
 *  mailbox; in another it is a new one, and is deleted here. One in the folder already stays there. */
export async function moveMessages(
  tx: Tx,
  from: FolderAt,
  uids: readonly number[],
  to: FolderAt,
  by?: By,
  { change = {}, recording = unrecorded }: Options = {},
): Promise<Moved> {
  const folders = await lockFolders(tx, from, to)
  const [source, target] = [folders(from), folders(to)]
  if (source.id === target.id) {
    const { present, recorded } = await storeFlags(tx, from, uids, change, by, { recording })
    return { from: [...present], to: [...present], ids: [], modseq: source.modseq, recorded }
  }
  const isElsewhere = from.mailbox.mailboxId !== to.mailbox.mailboxId
  if (isElsewhere) await indexFor(tx, to.mailbox, source.id, uids)
  const { columns, keywordColumns, assignments, told } = changeInSql(change)
  const { organizationId } = from.mailbox
  const place = sql`'folder', ${target.name}::text, 'uid', new_uid, 'id', new_id`
  const events = isElsewhere
    ? sql`select 'message.deleted' as type, ${from.mailbox.mailboxId}::uuid as mailbox_id, 0 as nth, uid,
          jsonb_build_object('folder', ${source.name}::text, 'uid', uid, 'id', id) as data from changing
        union all select ${storedType(target.name)}, ${to.mailbox.mailboxId}::uuid, 1, uid, jsonb_build_object(${place}) from changing
        order by nth, uid`
    : sql`select 'message.changed' as type, ${from.mailbox.mailboxId}::uuid as mailbox_id, jsonb_strip_nulls(jsonb_build_object(${place},
          'moved_from', jsonb_build_object('folder', ${source.name}::text, 'uid', uid, 'id', id)${told})) as data
        from changing order by uid`
  const { rows } = await sql<{ uids: string | null; ids: string | null; recorded: unknown }>`
    with ${present.rows} as materialized (
      select held.ctid as place, uid, ${target.uid_next - 1}::bigint + row_number() over (order by uid) as new_uid, id,
        ${isElsewhere ? sql`nextval('mail_messages_id_seq')` : sql`id`} as new_id, received_at, size_bytes, ${columns}
      from ${uidRows(source.id, uids)} wanted join mail_messages held using (folder_id, uid) order by uid
    ), ${changing.rows} as materialized (
      select *, ${keywordColumns} from ${present.rows}
    ), moved as (
      update mail_messages message set folder_id = ${target.id}, uid = new_uid, modseq = ${target.modseq + 1}, id = new_id,
        email_id = ${isElsewhere ? sql`coalesce(message.email_id, message.id)` : sql`message.email_id`}, succeeds = null, saved_at = now()${assignments}
      from changing where message.ctid = changing.place
    ), ${left(source, changing)}, ${come(target, changing)}, ${newEvents.rows} as (
      select ${organizationId}::uuid as organization_id, event.* from (${events}) event
    ), logged as (${insertNewEventsBy(by)}), ${recording.ctes({ mailbox: from.mailbox, source, target })}
    select ${packed(sql`int4send(uid::integer)`)} as uids, ${packed(sql`int8send(new_id)`)} as ids, ${recording.answer} as recorded
    from changing`.execute(tx)
  const moved = [...integers(rows[0]?.uids)]
  return {
    ...{ from: moved, to: moved.map((_, index) => target.uid_next + index) },
    ...{ modseq: source.modseq + moved.length, ids: longIntegers(rows[0]?.ids), recorded: rows[0]?.recorded },
  }
}
