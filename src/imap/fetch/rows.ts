import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { type FolderRef, uidRows } from '#/mail/store/folders.ts'
import { integers, packed, times } from '#/mail/store/packed.ts'
import { flagColumns, type StoredFlags } from '../selected/flags.ts'

/** A message in its folder, without what it says. */
export interface Row extends StoredFlags {
  readonly uid: number
  readonly modseq: number
  readonly id: number
  readonly sizeBytes: number
  /** In milliseconds. */
  readonly receivedAt: number
  readonly savedAt: number
}

type Packed = Record<'uid' | 'modseq' | 'flags', string | null> & {
  /** Of those that have any. */
  readonly keywords: (readonly [uid: number, keywords: string[]])[] | null
} & { readonly [other in 'id' | 'size' | 'received' | 'saved']?: string | null }

/** The flags as one number, a bit for each: a value for each flag would take twice as long. */
const flagBits = sql.raw(flagColumns.map(([, column], bit) => `${column}::integer * ${1 << bit}`).join(' + '))
const packedFlags = sql`${packed(sql`int4send(uid::integer)`)} as uid, ${packed(sql`int8send(modseq)`)} as modseq,
  ${packed(sql`int4send(${flagBits})`)} as flags,
  json_agg(json_build_array(uid, keywords)) filter (where keywords <> '{}') as keywords`
/** What few ask for beside flags. */
const packedOthers = sql`, ${packed(sql`int8send(id)`)} as id, ${packed(sql`int4send(size_bytes)`)} as size,
  ${packed(sql`timestamptz_send(received_at)`)} as received, ${packed(sql`timestamptz_send(saved_at)`)} as saved`
const columns = sql.raw(
  [
    'uid',
    'modseq',
    'coalesce(email_id, id) as id',
    'size_bytes',
    'received_at',
    'saved_at',
    'keywords',
    ...flagColumns.map(([, name]) => name),
  ].join(),
)

/** Of a message of which nothing else is asked for. */
export function rowOf(uid: number): Row {
  return { ...nothing, uid }
}

const nothing = {
  ...{ modseq: 0, id: 0, sizeBytes: 0, receivedAt: 0, savedAt: 0, keywords: [] },
  ...{ answered: false, flagged: false, deleted: false, seen: false, draft: false, forwarded: false },
}

/** The messages with these ascending uids, in one row, since node-postgres takes seven times as long for one each. Unless
 *  `withOthers`, what is beside flags is 0. */
export async function readRows(
  db: Db,
  { mailbox, folderId }: FolderRef,
  uids: readonly number[],
  withOthers: boolean,
): Promise<Row[]> {
  const [first = 0, last = 0] = [uids[0], uids.at(-1)]
  // Uids without many gaps are read as one range of the index, four times as fast.
  const isDense = last - first < 2 * uids.length
  const messages = isDense
    ? sql`mail_messages where folder_id = ${folderId} and uid between ${first} and ${last}`
    : sql`${uidRows(folderId, uids)} wanted join mail_messages using (folder_id, uid) where true`
  const { rows } = await sql<Packed>`
    select ${packedFlags} ${withOthers ? packedOthers : sql``} from (
      select ${columns} from ${messages} and exists (
        select from mail_folders folder
        where id = ${folderId} and organization_id = ${mailbox.organizationId} and mailbox_id = ${mailbox.mailboxId}
      ) order by uid
    ) those`.execute(db)
  const found = rows.flatMap(unpacked)
  if (!isDense) return found
  const wanted = new Set(uids)
  return found.filter(({ uid }) => wanted.has(uid))
}

function unpacked(packed: Packed): Row[] {
  const [modseqs, ids] = [longs(packed.modseq), longs(packed.id ?? null)]
  const [flags, sizes] = [integers(packed.flags), integers(packed.size ?? null)]
  const [received, saved] = [times(packed.received ?? null), times(packed.saved ?? null)]
  const keywords = new Map(packed.keywords ?? [])
  return Array.from(integers(packed.uid), (uid, index) => {
    const bits = flags[index] ?? 0
    return {
      uid,
      modseq: modseqs(index),
      id: ids(index),
      sizeBytes: sizes[index] ?? 0,
      receivedAt: received[index] ?? 0,
      savedAt: saved[index] ?? 0,
      keywords: keywords.get(uid) ?? [],
      // In the order of `flagColumns`.
      answered: (bits & 1) > 0,
      flagged: (bits & 2) > 0,
      deleted: (bits & 4) > 0,
      seen: (bits & 8) > 0,
      draft: (bits & 16) > 0,
      forwarded: (bits & 32) > 0,
    }
  })
}

/** The output of `int8send`. */
export function longs(base64: string | null): (index: number) => number {
  const halves = integers(base64)
  return (index) => (halves[2 * index] ?? 0) * 2 ** 32 + (halves[2 * index + 1] ?? 0)
}
