import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { FolderState } from './folders.ts'
import { findFolder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { bytes, integers, longIntegers, packed, times } from './packed.ts'

/** One step from a reader's copy towards the current folder. Steps are bounded, so that a large folder delays neither the
 *  event loop nor other requests. The reader applies a step, then requests the next from `state` while there is `more`. After the
 *  last step its copy is the folder at one moment. Between steps it may have a change and lack an earlier one. */
export interface FolderChanges {
  /** The reader's state once it has applied the step. */
  readonly state: FolderState
  /** The reader's copy is invalid. It starts again; `rows` are the folder's first. */
  readonly reset: boolean
  /** Whether newer messages or earlier changes remain. */
  readonly more: boolean
  /** Messages in the folder. A reader with another number after the last step has missed a change. */
  readonly exists: number
  readonly rows: ThreadRows
  /** Messages of the reader's copy whose flags may have changed, and their numbers, which a copy takes over from what it succeeds. */
  readonly flags: { readonly uid: Uint32Array; readonly seen: Uint8Array; readonly number: Float64Array }
  /** May include messages that the reader never had. */
  readonly expunged: Uint32Array
}

/** What threading needs of new messages, in ascending uid. Stored by column: 100,000 objects would take six times as long to
 *  read. Ids are 8 bytes each, hashed by `idHash`; texts are UTF-8. Both are concatenated. */
export interface ThreadRows {
  readonly uid: Uint32Array
  readonly seen: Uint8Array
  /** Their own (src/base/text/message-id.ts). */
  readonly number: Float64Array
  /** Milliseconds since the epoch. */
  readonly receivedAt: Float64Array
  /** Addresses in lower case, without names; empty without From. */
  readonly sender: Buffer
  readonly senderLength: Uint32Array
  /** Eight zeros without a Message-ID. */
  readonly id: Buffer
  /** References first, then In-Reply-To: the first names the conversation. Lengths are in bytes, as above. */
  readonly strong: Buffer
  readonly strongLength: Uint32Array
  readonly weak: Buffer
  readonly weakLength: Uint32Array
}

/** New messages in a step. The embedded database reads them in 5 to 10 ms and serves nothing else meanwhile; the reader
 *  applies them in 2 to 4, which hold the event loop. Twice as many would save a twentieth of the total time. */
const rowsAtOnce = 2048

/** Bytes of ids and senders in a step, unless one message has more: it may have 100,000 ids, which take 30 ms to apply. */
const bytesAtOnce = 512 << 10

/** What was added, changed and removed since the state, a step of it; everything without a state, or with an invalid one. Reads the folder's row only if nothing has changed. */
export async function folderChanges(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  since: FolderState | undefined,
): Promise<FolderChanges> {
  const folder = await findFolder(db, mailbox, name)
  const from = since?.uidValidity === folder.id ? since : { uidValidity: folder.id, modseq: 0, uidNext: 1 }
  const reset = from !== since
  if (!reset && from.modseq === folder.modseq && from.uidNext === folder.uid_next) return unchanged(from, folder.total)
  // Twice as many uids as that many messages have on average. Without fresh statistics PostgreSQL takes the folder for small
  // and sorts the whole range, which must not be the rest of the folder in each step.
  const until = from.uidNext + rowsAtOnce * Math.ceil(folder.uid_next / Math.max(1, folder.total))
  for (let limit = rowsAtOnce; ; limit = Math.ceil(limit / 16)) {
    const step = await readStep(db, from, until, limit)
    // It went meanwhile, or its mailbox did: asking again says which.
    if (!step) return folderChanges(db, mailbox, name, since)
    if (!reset && from.modseq < step.expunged_from) return folderChanges(db, mailbox, name, undefined)
    if (step.fits || limit === 1) return present(from, step, { reset, until, limit })
  }
}

interface Step {
  uid_next: number
  modseq: number
  expunged_from: number
  total: number
  /** False if the rows exceeded `bytesAtOnce` and are left out. */
  fits: boolean
  uid: string | null
  seen: string | null
  number: string | null
  received: string | null
  sender: string | null
  sender_length: string | null
  id: string | null
  strong: string | null
  strong_length: string | null
  weak: string | null
  weak_length: string | null
  flagged_uid: string | null
  flagged_seen: string | null
  flagged_number: string | null
  expunged: string | null
}

/** One statement, so that all data is of one moment. Each column is one value: node-postgres takes seven times as long for a
 *  row per message. In base64, which is decoded three times as fast as hexadecimal, the usual form of bytes. */
async function readStep(db: Db, from: FolderState, until: number, limit: number): Promise<Step | undefined> {
  const arrived = sql`(
    select uid, seen, id, received_at, textsend(sender) as sender, id_hash, strong, weak from mail_messages
    where folder_id = ${from.uidValidity} and uid >= ${from.uidNext} and uid < ${until} order by uid limit ${limit}
  ) arrived`
  // Otherwise a new reader would scan the whole folder by modseq and find nothing.
  const holdsAny = sql`${from.uidNext}::bigint > 1`
  const { rows } = await sql<Step>`
    with size as materialized (
      select coalesce(sum(octet_length(strong) + octet_length(weak) + octet_length(sender)), 0) <= ${bytesAtOnce}
        or ${limit} = 1 as fits from ${arrived}
    )
    select folder.uid_next, folder.modseq, folder.expunged_from, folder.total, size.fits, new.*, changed.*, gone.*
    from mail_folders folder, size, (
      select ${packed(sql`int4send(uid::integer)`)} as uid, ${packed(sql`boolsend(seen)`)} as seen,
        ${packed(sql`int8send(id)`)} as number, ${packed(sql`timestamptz_send(received_at)`)} as received,
        ${packed(sql`sender`)} as sender, ${packed(sql`int4send(octet_length(sender))`)} as sender_length,
        ${packed(sql`coalesce(id_hash, '\\x0000000000000000')`)} as id,
        ${packed(sql`strong`)} as strong, ${packed(sql`int4send(octet_length(strong))`)} as strong_length,
        ${packed(sql`weak`)} as weak, ${packed(sql`int4send(octet_length(weak))`)} as weak_length
      from ${arrived} where (select fits from size)
    ) new, (
      select ${packed(sql`int4send(uid::integer)`)} as flagged_uid, ${packed(sql`boolsend(seen)`)} as flagged_seen,
        ${packed(sql`int8send(id)`)} as flagged_number
      from mail_messages
      where folder_id = ${from.uidValidity} and modseq > ${from.modseq} and uid < ${from.uidNext}
        and ${holdsAny}
    ) changed, (
      select ${packed(sql`int4send(uid::integer)`)} as expunged
      from mail_expunged
      where folder_id = ${from.uidValidity} and modseq > ${from.modseq} and uid < ${from.uidNext} and ${holdsAny}
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
      seen: bytes(step.seen),
      number: longIntegers(step.number),
      receivedAt: times(step.received),
      sender: bytes(step.sender),
      senderLength: integers(step.sender_length),
      id: bytes(step.id),
      strong: bytes(step.strong),
      strongLength: integers(step.strong_length),
      weak: bytes(step.weak),
      weakLength: integers(step.weak_length),
    },
    flags: {
      uid: integers(step.flagged_uid),
      seen: bytes(step.flagged_seen),
      number: longIntegers(step.flagged_number),
    },
    expunged: integers(step.expunged),
  }
}

const none = Buffer.alloc(0)
const noIntegers = new Uint32Array(0)
const noNumbers = new Float64Array(0)
const noRows: ThreadRows = {
  uid: noIntegers,
  seen: none,
  number: noNumbers,
  receivedAt: noNumbers,
  sender: none,
  senderLength: noIntegers,
  id: none,
  strong: none,
  strongLength: noIntegers,
  weak: none,
  weakLength: noIntegers,
}

function unchanged(state: FolderState, exists: number): FolderChanges {
  const flags = { uid: noIntegers, seen: none, number: noNumbers }
  return { state, reset: false, more: false, exists, rows: noRows, flags, expunged: noIntegers }
}
