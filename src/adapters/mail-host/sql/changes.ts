import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { FolderChanges, FolderState, ThreadRows } from '#/ports/folder-changes.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { findFolder, noSuchFolder } from './folders.ts'

/** New messages in a step: read in 5 to 10 ms on the embedded database, which serves nobody else meanwhile, and taken
 *  up in 2 to 4, which hold the event loop. Twice as many would save a twentieth of the time in all. */
const rowsAtOnce = 2048

/** Bytes of ids and senders in a step, unless one message alone has more: a References field may be megabytes long. */
const bytesAtOnce = 4 << 20

/** The next step for a reader that holds `since`. One look at the folder where nothing changed. */
export async function changes(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  since: FolderState | undefined,
): Promise<FolderChanges> {
  const folder = await findFolder(db, mailbox, name)
  const from = since?.uidValidity === folder.id ? since : { uidValidity: folder.id, modseq: 0, uidNext: 1 }
  const reset = from !== since
  if (!reset && from.modseq === folder.modseq && from.uidNext === folder.uid_next) return unchanged(from, folder.total)
  // Twice as far as that many messages reach on average. Where PostgreSQL takes the folder for small, for want of fresh
  // statistics, it reads and sorts all that is in question, which must not be the rest of the folder at every step.
  const until = from.uidNext + rowsAtOnce * Math.ceil(folder.uid_next / Math.max(1, folder.total))
  for (let limit = rowsAtOnce; ; limit = Math.ceil(limit / 16)) {
    const step = await readStep(db, from, until, limit)
    if (!step) throw noSuchFolder(name)
    if (!reset && from.modseq < step.expunged_from) return changes(db, mailbox, name, undefined)
    if (step.fits || limit === 1) return present(from, step, { reset, until, limit })
  }
}

interface Step {
  uid_next: number
  modseq: number
  expunged_from: number
  total: number
  /** False: the rows were more than `bytesAtOnce` and are left out. */
  fits: boolean
  uid: Buffer | null
  seen: Buffer | null
  received: Buffer | null
  sender: Buffer | null
  sender_length: Buffer | null
  id: Buffer | null
  strong: Buffer | null
  strong_length: Buffer | null
  weak: Buffer | null
  weak_length: Buffer | null
  flagged_uid: Buffer | null
  flagged_seen: Buffer | null
  expunged: Buffer | null
}

/** One statement, so that all of it is of one instant. Every column comes as one value, since node-postgres takes seven
 *  times as long over a row for each message. */
async function readStep(db: Db, from: FolderState, until: number, limit: number): Promise<Step | undefined> {
  const { rows } = await sql<Step>`
    with arrived as materialized (
      select uid, seen, received_at, textsend(sender) as sender, id_hash, strong, weak
      from mail_messages
      where folder_id = ${from.uidValidity} and uid >= ${from.uidNext} and uid < ${until}
      order by uid limit ${limit}
    ), size as (
      select coalesce(sum(octet_length(strong) + octet_length(weak) + octet_length(sender)), 0) <= ${bytesAtOnce}
        or ${limit} = 1 as fits from arrived
    )
    select folder.uid_next, folder.modseq, folder.expunged_from, folder.total, size.fits, new.*, changed.*, gone.*
    from mail_folders folder, size, (
      select string_agg(int4send(uid::integer), '') as uid, string_agg(boolsend(seen), '') as seen,
        string_agg(timestamptz_send(received_at), '') as received,
        string_agg(sender, '') as sender, string_agg(int4send(octet_length(sender)), '') as sender_length,
        string_agg(coalesce(id_hash, '\\x0000000000000000'), '') as id,
        string_agg(strong, '') as strong, string_agg(int4send(octet_length(strong)), '') as strong_length,
        string_agg(weak, '') as weak, string_agg(int4send(octet_length(weak)), '') as weak_length
      from arrived where (select fits from size)
    ) new, (
      select string_agg(int4send(uid::integer), '') as flagged_uid, string_agg(boolsend(seen), '') as flagged_seen
      from mail_messages
      where folder_id = ${from.uidValidity} and modseq > ${from.modseq} and uid < ${from.uidNext}
    ) changed, (
      select string_agg(int4send(uid::integer), '') as expunged
      from mail_expunged
      where folder_id = ${from.uidValidity} and modseq > ${from.modseq} and uid < ${from.uidNext}
    ) gone
    where folder.id = ${from.uidValidity}`.execute(db)
  return rows[0]
}

function present(
  from: FolderState,
  step: Step,
  { reset, until, limit }: { reset: boolean; until: number; limit: number },
): FolderChanges {
  const uid = integers(step.uid)
  const next = uid.length === limit ? (uid.at(-1) ?? 0) + 1 : until
  const more = next < step.uid_next
  return {
    state: { uidValidity: from.uidValidity, modseq: step.modseq, uidNext: more ? next : step.uid_next },
    reset,
    more,
    exists: step.total,
    rows: {
      uid,
      seen: step.seen ?? none,
      receivedAt: times(step.received),
      sender: step.sender ?? none,
      senderLength: integers(step.sender_length),
      id: step.id ?? none,
      strong: step.strong ?? none,
      strongLength: integers(step.strong_length),
      weak: step.weak ?? none,
      weakLength: integers(step.weak_length),
    },
    flags: { uid: integers(step.flagged_uid), seen: step.flagged_seen ?? none },
    expunged: integers(step.expunged),
  }
}

const none = Buffer.alloc(0)
const noIntegers = new Uint32Array(0)
const noRows: ThreadRows = {
  uid: noIntegers,
  seen: none,
  receivedAt: new Float64Array(0),
  sender: none,
  senderLength: noIntegers,
  id: none,
  strong: none,
  strongLength: noIntegers,
  weak: none,
  weakLength: noIntegers,
}

function unchanged(state: FolderState, exists: number): FolderChanges {
  const flags = { uid: noIntegers, seen: none }
  return { state, reset: false, more: false, exists, rows: noRows, flags, expunged: noIntegers }
}

/** From what `int4send` writes: four bytes each, big-endian. */
function integers(bytes: Buffer | null): Uint32Array {
  if (!bytes) return noIntegers
  const aligned = new Uint8Array(bytes)
  Buffer.from(aligned.buffer).swap32()
  return new Uint32Array(aligned.buffer)
}

/** From what `timestamptz_send` writes: microseconds since 2000 in eight bytes each, big-endian. */
function times(bytes: Buffer | null): Float64Array {
  const halves = integers(bytes)
  const times = new Float64Array(halves.length / 2)
  for (let index = 0; index < times.length; index++) {
    const high = (halves[2 * index] ?? 0) | 0
    times[index] = year2000 + (high * 2 ** 32 + (halves[2 * index + 1] ?? 0)) / 1000
  }
  return times
}

const year2000 = Date.UTC(2000)
