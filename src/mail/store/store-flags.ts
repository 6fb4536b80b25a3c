import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { type By, insertNewEventsBy, newEvents } from '#/base/event-log/append.ts'
import {
  type Change,
  changeInSql,
  changing,
  type MessageFlag,
  messageFlags,
  present,
  type Recording,
} from './change.ts'
import { type Folder, type FolderAt, lockFolders, uidRows } from './folders.ts'
import { labelled, unlabelled, withoutLabels } from './keywords.ts'
import { bytes, integers, packed } from './packed.ts'

/** What a change of flags did. Uids and messages are in ascending order. */
export interface Stored {
  /** The folder, as it is called. */
  readonly folder: string
  /** The messages that were there. */
  readonly present: Uint32Array
  /** The answer of the recording. */
  readonly recorded: unknown
  /** Those that had changed after `unchangedSince`. */
  readonly modified: Uint32Array
  /** Those that were changed, as they are now, unless the change is recorded. All have the same modification sequence. */
  readonly changed: readonly ChangedFlags[]
  readonly modseq: number
}

/** A message's flags. */
export interface ChangedFlags extends Readonly<Record<MessageFlag, boolean>> {
  readonly uid: number
  readonly keywords: readonly string[]
  /** The modification sequence of the change before. */
  readonly modseqBefore: number
}

interface Options {
  readonly recording?: Recording | undefined
  /** Messages that have changed after this modification sequence stay as they are (RFC 7162, section 3.1.3). */
  readonly unchangedSince?: number | undefined
}

/** Changes flags and keywords of messages in a folder, and writes events, in one statement, which answers few bytes for many messages. Messages
 *  that are in that state already keep their modification sequence. */
export async function storeFlags(
  tx: Tx,
  at: FolderAt,
  uids: readonly number[],
  change: Omit<Change, 'folder'>,
  by?: By,
  { recording, unchangedSince = Number.MAX_SAFE_INTEGER }: Options = {},
): Promise<Stored> {
  const folder = (await lockFolders(tx, at))(at)
  const { mailbox } = at
  const modseq = folder.modseq + 1
  const { columns, differs, keywordColumns, relabels, assignments, told } = changeInSql(change)
  const { rows } = await sql<StoredRow>`
    with ${present.rows} as materialized (
      select held.ctid as place, uid, uid as new_uid, held.id, modseq, received_at, ${columns}
      from ${uidRows(folder.id, uids)} wanted join mail_messages held using (folder_id, uid)
      order by uid
    ), ${changing.rows} as materialized (
      select *, ${keywordColumns} from ${present.rows} where modseq <= ${unchangedSince}::bigint and (${differs})
    ), marked as (
      update mail_messages message set modseq = ${modseq}${assignments}
      from changing where message.ctid = changing.place
    ), counted as (
      /* announced */ update mail_folders set modseq = ${modseq},
        unread = unread + (select count(*) filter (where not new_seen) - count(*) filter (where not seen) from changing)
      where id = ${folder.id} and exists (select from changing)
    ), ${relabels ? sql`${relabelled(folder)},` : sql``} ${newEvents.rows} as (
      select ${mailbox.organizationId}::uuid as organization_id, 'message.changed' as type, ${mailbox.mailboxId}::uuid as mailbox_id,
        jsonb_strip_nulls(jsonb_build_object('folder', ${folder.name}::text, 'uid', uid, 'id', id${told})) as data
      from changing
    ), logged as (${insertNewEventsBy(by)})${recording ? sql`, ${recording.ctes({ mailbox, source: folder, target: folder })}` : sql``}
    select present, ${
      recording
        ? sql`${recording.answer} as recorded`
        : sql`changed.*, (select ${packed(sql`int4send(uid::integer)`)} from present where modseq > ${unchangedSince}::bigint) as modified`
    }
    from (select ${packed(sql`int4send(uid::integer)`)} as present from present) present${recording ? sql`` : changedRows}`.execute(
    tx,
  )
  const [row] = rows
  return {
    ...{ folder: folder.name, modseq, recorded: row?.recorded },
    ...{ present: integers(row?.present), modified: integers(row?.modified), changed: row ? changedIn(row) : [] },
  }
}

/** Rows of keywords say whether their message is seen: once that changes, all of them do. The new ones wait for the deletion of the others,
 *  whose keys they may have. */
function relabelled(folder: Folder): RawBuilder<unknown> {
  const rows = (all: RawBuilder<unknown>, some: RawBuilder<unknown>) =>
    sql`case when ${changing.seen} = ${changing.new_seen} then ${some} else ${all} end`
  const isDeleted = sql`(select count(*) from ${withoutLabels.rows}) >= 0`
  return sql`${unlabelled(folder, changing, rows(changing.keywords, changing.removed))},
    ${labelled(folder, changing, rows(changing.new_keywords, changing.added), isDeleted)}`
}

const changedRows = sql`, (
  select ${packed(sql`int4send(uid::integer)`)} as changed,
    ${packed(sql.raw(messageFlags.map((flag) => `boolsend(new_${flag})`).join(' || ')))} as flags,
    json_agg(modseq) as before, case when bool_or(new_keywords <> '{}') then json_agg(new_keywords) end as keywords
  from changing
) changed`

function changedIn({ changed, flags, before, keywords }: StoredRow): ChangedFlags[] {
  const all = bytes(flags)
  return Array.from(integers(changed), (uid, index) => {
    const own = messageFlags.map((flag, at) => [flag, all[index * messageFlags.length + at] === 1])
    return {
      uid,
      keywords: keywords?.[index] ?? [],
      modseqBefore: before?.[index] ?? 0,
      ...(Object.fromEntries(own) as Record<MessageFlag, boolean>),
    }
  })
}

interface StoredRow {
  readonly present: string | null
  readonly recorded?: unknown
  readonly modified?: string | null
  readonly changed?: string | null
  readonly flags?: string | null
  readonly before?: readonly number[] | null
  readonly keywords?: readonly string[][] | null
}
