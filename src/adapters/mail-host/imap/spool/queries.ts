import { sql } from 'kysely'
import { databaseNow, type Lease, Leases } from '#/db/leases.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { collected, pieceBytes } from '#/event-loop/pieces.ts'
import { appendEvents } from '#/events/append.ts'
import type { Applied, MailboxRef } from '#/ports/mail-host.ts'
import { received } from '../../received.ts'
import { marksText, noteOwn } from '../watch/own-changes.ts'

/** What is delivered to a mailbox at a time: all of it in one command. */
const mostClaimed = 50
const mostClaimedBytes = 4 << 20
/** What is removed at a time. */
const mostDiscarded = 500

/** A process that dies is followed by another within half a minute. */
export const spoolLeases = new Leases('mail_spool', 20_000)

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
  /** With this one. One that ended with its process may have succeeded. */
  readonly attempts: number
  /** How the last one ended. */
  readonly deferral: Deferral['as'] | null
}

export type Claimed = Spooled & Lease<number>

/** No message is deferred by so long: where the next attempt is further away, the clock was set back. */
const isDue = sql`(due_at <= ${databaseNow} or due_at > ${databaseNow} + interval '1 hour')`
const isFree = spoolLeases.free(databaseNow)

/** Claims what is due for a mailbox, oldest first. Nothing while another process delivers to the mailbox, so that messages
 *  get their uids in the order in which they came. */
export async function claim(db: Db, mailbox: MailboxRef): Promise<Claimed[]> {
  return await db.transaction().execute(async (tx) => {
    // Before the statement, since that sees what was committed when it began.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`spool ${mailbox.mailboxId}`}, 0))`.execute(tx)
    return await claimAlone(tx, mailbox)
  })
}

async function claimAlone(tx: Tx, { organizationId, mailboxId }: MailboxRef): Promise<Claimed[]> {
  const rows = await spoolLeases.claim<Claimed & { filteredBy: Applied[] | null }>(tx, databaseNow, {
    chosen: sql`
      select id from (
        select id, sum(size_bytes) over (order by id) - size_bytes as before
        from (
          select id, size_bytes from mail_spool
          where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and ${isDue}
            and not exists (select from mail_spool where mailbox_id = ${mailboxId} and not ${isFree})
          order by id limit ${mostClaimed}
        ) due
      ) summed where before < ${mostClaimedBytes}`,
    due: isDue,
    set: sql`attempts = attempts + 1`,
    returning: sql`folder, size_bytes as size, message_id as "messageId", unless_there as "unlessThere",
      received_at as "receivedAt", seen, flagged, keywords, filtered_by as "filteredBy", attempts, deferral`,
  })
  return rows.map((row) => ({ ...row, filteredBy: row.filteredBy ?? [] })).sort((a, b) => a.id - b.id)
}

/** Undefined where it is not in the spool any more. */
export async function spooledBytes(db: Db, { id, size }: Pick<Spooled, 'id' | 'size'>): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: string | null }>`
    select encode(bytes, 'base64') as bytes from mail_spool where id = ${id}`.execute(db)
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
    if (!row) throw new Error('A message left the spool while it was read')
    yield Buffer.from(row.bytes, 'base64')
  }
}

/** What the server has of a message in the spool. */
export type Delivered = Pick<Spooled, 'id' | 'folder' | 'seen' | 'flagged' | 'keywords'> & {
  readonly uid: number | null
  /** Another program may have stored it. */
  readonly isOurs: boolean
}

/** Removes what was delivered, even by a process that has lost its lease meanwhile, and tells that it was received. */
export async function drop(tx: Tx, mailbox: MailboxRef, delivered: readonly Delivered[]): Promise<void> {
  const own = delivered.flatMap(({ folder, uid, isOurs, ...marks }) =>
    isOurs && uid !== null ? [{ folder, uid, became: marksText(marks) }] : [],
  )
  await noteOwn(tx, mailbox, own)
  const { rows } = await sql<{ id: number }>`
    delete from mail_spool
    where id = any(${delivered.map(({ id }) => id)}::bigint[])
      and organization_id = ${mailbox.organizationId} and mailbox_id = ${mailbox.mailboxId}
    returning id`.execute(tx)
  const dropped = new Set(rows.map(({ id }) => id))
  await appendEvents(tx, received(delivered.filter(({ id }) => dropped.has(id)).map((one) => ({ ...one, mailbox }))))
}

/** Removes some of what waits for a mailbox and nobody has claimed; answers how many. */
export async function discard(db: Db, { organizationId, mailboxId }: MailboxRef): Promise<number> {
  const { rows } = await sql`
    with waiting as (
      select id from mail_spool
      where organization_id = ${organizationId} and mailbox_id = ${mailboxId}
        and ${isFree}
      order by id limit ${mostDiscarded} for update skip locked
    )
    delete from mail_spool spool using waiting where spool.id = waiting.id returning spool.id`.execute(db)
  return rows.length
}

/** Why the server has not got a message. */
export interface Deferral {
  readonly as: 'unavailable' | 'refused'
  /** For people. */
  readonly reason: string
}

/** Tries again later: soon where the server was away, seldom where it refused the message. */
export async function defer(db: Db, claimed: readonly Claimed[], { as, reason }: Deferral): Promise<void> {
  const longest = as === 'unavailable' ? 15 : 600
  await spoolLeases.release(
    db,
    claimed,
    sql`deferral = ${as}, reason = ${reason},
      due_at = clock_timestamp() + make_interval(secs => least(${longest}, power(2, least(attempts, 20))))`,
  )
}

/** The oldest and the newest message for a mailbox that a process delivers just now, or is about to: one that was due when it
 *  was claimed is so until it is delivered or deferred. */
export async function oldestAndNewestDue(
  db: Db,
  { mailboxId }: MailboxRef,
): Promise<{ oldest: number; newest: number } | undefined> {
  const { rows } = await sql<{ oldest: number | null; newest: number | null }>`
    select min(id) as oldest, max(id) as newest from mail_spool
    where mailbox_id = ${mailboxId} and ${isDue}`.execute(db)
  const { oldest, newest } = rows[0] ?? {}
  return oldest && newest ? { oldest, newest } : undefined
}

/** The oldest of them up to one; undefined where none is left. */
export async function oldestDue(db: Db, { mailboxId }: MailboxRef, upTo: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from mail_spool
    where mailbox_id = ${mailboxId} and id <= ${upTo} and ${isDue}
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
      select id, organization_id, mailbox_id from mail_spool
      where mail_spool.mailbox_id = waiting.mailbox_id and ${isDue} and ${isFree} order by id limit 1
    ) due
    order by due.id limit 1000`.execute(db)
  return rows
}

/** Whether a process delivers mail to that folder just now. */
export async function isDelivering(db: Db, { mailboxId }: MailboxRef, folder: string): Promise<boolean> {
  const { rows } = await sql<{ busy: boolean }>`
    select exists (select from mail_spool where mailbox_id = ${mailboxId} and folder = ${folder} and not ${isFree}) as busy`.execute(
    db,
  )
  return rows[0]?.busy ?? false
}

/** Bytes that wait for a mailbox. */
export async function spooledFor(db: Db, { mailboxId }: MailboxRef): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0) as bytes from mail_spool where mailbox_id = ${mailboxId}`.execute(db)
  return rows[0]?.bytes ?? 0
}
