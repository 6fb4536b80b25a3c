import { type RawBuilder, sql } from 'kysely'
import { collected, pieceBytes, slices } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { assertStillHere, keptOnServer } from '#/mailboxes/home.ts'
import { type Applied, type Copy, type MailboxRef, NoRoom } from '#/ports/mail-host.ts'
import { normalKeywords } from '../keywords.ts'

/** How many bytes go into one statement. */
const bytesAtOnce = 2 * pieceBytes
/** What is delivered to a mailbox at a time: all of it in one command. */
const mostClaimed = 50
const mostClaimedBytes = 4 << 20
/** What is taken out at a time. */
const mostDiscarded = 500
/** For how long nobody else tries what a process has claimed, unless it renews that, in milliseconds. One that dies is
 *  followed by another within half a minute. */
export const leaseMs = 20_000
const leaseSeconds = leaseMs / 1_000

/** How long a mail program has to put its own copy into Sent, in seconds: so long, and one more for so many octets of it, as it
 *  comes over the line by which the message came. */
const patienceSeconds = 60
const octetsASecond = 64 * 1024

/** A message in the spool, without its bytes. */
export interface Spooled {
  readonly id: number
  readonly folder: string
  readonly size: number
  readonly messageId: string | null
  /** Not stored where the folder has a message of that id by now. */
  readonly unlessThere: boolean
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
  /** With this one. */
  readonly attempts: number
  /** How the last one ended. */
  readonly deferral: Deferral['as'] | null
}

/** Puts copies into the spool, in their order. Throws `NoRoom` where an organization has its share of it. */
export async function enqueue(tx: Tx, copies: readonly Copy[], mostBytes: number): Promise<void> {
  const full = await fullShares(tx, mostBytes, [...new Set(copies.map(({ mailbox }) => mailbox.organizationId))])
  if (full.size > 0) throw new NoRoom(full)
  for (let start = 0; start < copies.length; ) {
    let bytes = 0
    let end = start
    do bytes += smallBytes(copies[end++])
    while (end < copies.length && bytes + smallBytes(copies[end]) <= bytesAtOnce)
    await insert(tx, copies.slice(start, end))
    start = end
  }
  await countIn(tx, copies)
}

/** Those of the organizations, or of all there are, that have more waiting than is free for all, as counted: that takes as
 *  long however much waits. So one alone may have half of the spool, and there is always room for others. Who has nothing
 *  waiting is never among them. */
export async function fullShares(db: Db, mostBytes: number, among?: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    with spool as materialized (select coalesce(sum(bytes), 0) as bytes from mail_spool_shares)
    select organization_id as id from mail_spool_organizations share
    where ${among === undefined ? sql`(select bytes from spool) > ${mostBytes}::bigint / 2` : sql`organization_id = any(${among}::uuid[])`}
    group by organization_id
    having sum(share.bytes) > greatest(${mostBytes}::bigint - (select bytes from spool), 0)`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** What arriving mail is admitted by grows with what is taken on; what else becomes of it shows when it is measured. */
async function countIn(tx: Tx, copies: readonly Copy[]): Promise<void> {
  const ids = copies.map(({ mailbox }) => mailbox.organizationId)
  const sizes = copies.map(({ message }) => message.raw.length)
  await sql`
    with gain as (
      select organization_id, sum(size) as bytes
      from unnest(${ids}::uuid[], ${sizes}::bigint[]) as gain (organization_id, size) group by organization_id
    ), locked as materialized (
      select usage.organization_id, gain.bytes from gain join organization_usage usage using (organization_id)
      order by usage.organization_id for update of usage
    )
    update organization_usage usage set storage_bytes = usage.storage_bytes + locked.bytes
    from locked where usage.organization_id = locked.organization_id`.execute(tx)
}

function smallBytes(copy: Copy | undefined): number {
  const length = copy?.message.raw.length ?? 0
  return length > pieceBytes ? 0 : length
}

async function insert(tx: Tx, copies: readonly Copy[]): Promise<void> {
  let start = 1
  const rows = copies.map((copy, number) => {
    const { mailbox, folder, message, receivedAt, seen, flagged, filteredBy } = copy
    const row = {
      number,
      organization_id: mailbox.organizationId,
      mailbox_id: mailbox.mailboxId,
      folder,
      start: message.raw.length > pieceBytes ? null : start,
      size_bytes: message.raw.length,
      wait: copy.unlessThere === undefined ? null : patienceSeconds + message.raw.length / octetsASecond,
      message_id: (copy.unlessThere ?? message.messageId)?.replaceAll('\0', '').toWellFormed() ?? null,
      received_at: receivedAt,
      seen,
      flagged,
      keywords: normalKeywords(copy.keywords),
      filtered_by: filteredBy,
    }
    start += smallBytes(copy)
    return row
  })
  const bytes = Buffer.concat(copies.flatMap((copy) => (smallBytes(copy) > 0 ? [copy.message.raw] : [])))
  const { rows: made } = await sql<{ id: number }>`
    insert into mail_spool (organization_id, mailbox_id, folder, bytes, size_bytes, message_id, received_at, seen, flagged,
      keywords, filtered_by, unless_there, due_at)
    select row.organization_id, row.mailbox_id, row.folder, substring(${bytes}::bytea from row.start for row.size_bytes),
      row.size_bytes, row.message_id, row.received_at, row.seen, row.flagged, row.keywords, row.filtered_by,
      row.wait is not null, clock_timestamp() + make_interval(secs => coalesce(row.wait, 0))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (number integer, organization_id uuid, mailbox_id uuid, folder text, start integer, size_bytes integer,
       message_id text, received_at timestamptz, seen boolean, flagged boolean, keywords text[], filtered_by jsonb,
       wait double precision)
    join mailboxes on mailboxes.id = row.mailbox_id and mailboxes.organization_id = row.organization_id
    where ${keptOnServer}
    order by row.number
    returning id`.execute(tx)
  if (made.length < copies.length) {
    await assertStillHere(tx, keptOnServer)
    throw notFound('mailbox')
  }
  const ids = made.map(({ id }) => id).sort((a, b) => a - b)
  for (const [index, { message }] of copies.entries()) {
    if (message.raw.length <= pieceBytes) continue
    let number = 0
    for (const piece of slices(message.raw)) {
      await sql`insert into mail_spool_pieces (spool_id, number, bytes) values (${ids[index]}, ${number++}, ${piece})`.execute(
        tx,
      )
    }
  }
}

/** What is due for a mailbox, oldest first: the caller alone has it until the lease ends. Nothing while another process
 *  delivers to the mailbox, so that messages get their uids in the order in which they came. */
export async function claim(db: Db, mailbox: MailboxRef): Promise<Spooled[]> {
  return await db.transaction().execute(async (tx) => {
    // Before the statement, since that sees what was committed when it began.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`spool ${mailbox.mailboxId}`}, 0))`.execute(tx)
    return await claimInTurn(tx, mailbox)
  })
}

async function claimInTurn(tx: Tx, { organizationId, mailboxId }: MailboxRef): Promise<Spooled[]> {
  const { rows } = await sql<Omit<Spooled, 'filteredBy'> & { filteredBy: Applied[] | null }>`
    with due as (
      select id, size_bytes from mail_spool
      where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and due_at <= clock_timestamp()
        and not exists (
          select from mail_spool other
          where other.mailbox_id = ${mailboxId} and other.in_hand and other.due_at > clock_timestamp()
        )
      order by id limit ${mostClaimed} for update skip locked
    ), few as (
      select id from (select id, sum(size_bytes) over (order by id) - size_bytes as before from due) summed
      where before < ${mostClaimedBytes}
    )
    update mail_spool spool set attempts = attempts + 1, in_hand = true, due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from few where spool.id = few.id
    returning spool.id, folder, size_bytes as size, message_id as "messageId", unless_there as "unlessThere", received_at as "receivedAt", seen, flagged,
      keywords, filtered_by as "filteredBy", attempts, deferral`.execute(tx)
  return rows.map((row) => ({ ...row, filteredBy: row.filteredBy ?? [] })).sort((a, b) => a.id - b.id)
}

/** Undefined where another has claimed the message since: its lease was over. */
export async function spooledBytes(db: Db, { id, size, attempts }: Spooled): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: string | null }>`
    select encode(bytes, 'base64') as bytes from mail_spool where id = ${id} and attempts = ${attempts}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const bytes = row.bytes === null ? await collected(piecesOf(db, id, size), size) : Buffer.from(row.bytes, 'base64')
  return bytes.length === size ? bytes : undefined
}

async function* piecesOf(db: Db, id: number, size: number): AsyncGenerator<Buffer> {
  for (let number = 0; number * pieceBytes < size; number++) {
    const { rows } = await sql<{ bytes: string }>`
      select encode(piece.bytes, 'base64') as bytes from mail_spool_pieces piece
      where spool_id = ${id} and number = ${number}`.execute(db)
    const [row] = rows
    if (!row) throw new Error('What was in the spool has gone while it was read')
    yield Buffer.from(row.bytes, 'base64')
  }
}

/** Delivered. */
export async function drop(db: Db, ids: readonly number[]): Promise<void> {
  await sql`delete from mail_spool where id = any(${ids}::bigint[])`.execute(db)
}

/** Takes out some of what waits for a mailbox and nobody delivers just now; answers how many. */
export async function discard(db: Db, { organizationId, mailboxId }: MailboxRef): Promise<number> {
  const { rows } = await sql`
    with waiting as (
      select id from mail_spool
      where organization_id = ${organizationId} and mailbox_id = ${mailboxId}
        and not (in_hand and due_at > clock_timestamp())
      order by id limit ${mostDiscarded} for update skip locked
    )
    delete from mail_spool spool using waiting where spool.id = waiting.id returning spool.id`.execute(db)
  return rows.length
}

/** Why an attempt has come to nothing. */
export interface Deferral {
  readonly as: 'unavailable' | 'refused'
  /** For people. */
  readonly reason: string
}

/** Tried again later: soon where the server was away, seldom where it would not take the message. */
export async function putOff(db: Db, claimed: readonly Spooled[], { as, reason }: Deferral): Promise<void> {
  const longest = as === 'unavailable' ? 15 : 600
  await sql`
    update mail_spool set in_hand = false, deferral = ${as}, reason = ${reason},
      due_at = clock_timestamp() + make_interval(secs => least(${longest}, power(2, least(attempts, 20))))
    where ${own(claimed)}`.execute(db)
}

/** Holds on to what is claimed and not put off yet. Answers the ids of what nobody else has claimed meanwhile. */
export async function renew(db: Db, claimed: readonly Spooled[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    update mail_spool set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where ${own(claimed)} and in_hand
    returning id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** What was claimed, and not by another since. */
function own(claimed: readonly Spooled[]): RawBuilder<boolean> {
  const [ids, attempts] = [claimed.map(({ id }) => id), claimed.map((one) => one.attempts)]
  return sql`(id, attempts) in (select * from unnest(${ids}::bigint[], ${attempts}::integer[]))`
}

/** The oldest and the newest message in the spool for a mailbox that a process delivers just now, or is about to. One that is
 *  due, and that we could not claim, another is claiming. */
export async function inHand(
  db: Db,
  { mailboxId }: MailboxRef,
): Promise<{ oldest: number; newest: number } | undefined> {
  const { rows } = await sql<{ oldest: number | null; newest: number | null }>`
    select min(id) as oldest, max(id) as newest from mail_spool
    where mailbox_id = ${mailboxId} and (in_hand or due_at <= clock_timestamp())`.execute(db)
  const { oldest, newest } = rows[0] ?? {}
  return oldest && newest ? { oldest, newest } : undefined
}

/** The oldest of them up to one; undefined where none is left. */
export async function oldestInHand(db: Db, { mailboxId }: MailboxRef, upTo: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from mail_spool
    where mailbox_id = ${mailboxId} and id <= ${upTo} and (in_hand or due_at <= clock_timestamp())
    order by id limit 1`.execute(db)
  return rows[0]?.id
}

/** Mailboxes for which something is due, those that have waited longest first. It goes from mailbox to mailbox, not through
 *  all that waits. */
export async function mailboxesWaiting(db: Db): Promise<MailboxRef[]> {
  const { rows } = await sql<MailboxRef>`
    with recursive waiting (mailbox_id) as (
      (select mailbox_id from mail_spool order by mailbox_id limit 1)
      union all
      select (
        select spool.mailbox_id from mail_spool spool where spool.mailbox_id > waiting.mailbox_id
        order by spool.mailbox_id limit 1
      ) from waiting where waiting.mailbox_id is not null
    )
    select due.organization_id as "organizationId", due.mailbox_id as "mailboxId"
    from waiting cross join lateral (
      select id, organization_id, mailbox_id from mail_spool spool
      where spool.mailbox_id = waiting.mailbox_id and due_at <= clock_timestamp() order by id limit 1
    ) due
    order by due.id limit 1000`.execute(db)
  return rows
}

/** Bytes that wait for a mailbox. */
export async function spooledFor(db: Db, { mailboxId }: MailboxRef): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0) as bytes from mail_spool where mailbox_id = ${mailboxId}`.execute(db)
  return rows[0]?.bytes ?? 0
}
