import { sql } from 'kysely'
import { databaseNow, type Lease, Leases } from '#/db/leases.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { collected, pieceBytes } from '#/event-loop/pieces.ts'
import { appendEvents } from '#/events/append.ts'
import { received } from '#/mail/received.ts'
import type { Originals } from '#/mime/header/originals.ts'
import type { Applied, MailboxRef } from '#/ports/mail-host.ts'
import { marksText, recordOwn } from '../watch/own-changes.ts'

/** The most that is delivered to a mailbox at a time, in one command. */
const mostClaimed = 50
const mostClaimedBytes = 4 << 20
/** Messages removed at a time. */
const mostDiscarded = 500

/** Another process continues the work of a dead one within half a minute. */
export const spoolLeases = new Leases('mail_spool', 20_000)

/** A message in the spool, without its bytes. */
export interface Spooled {
  readonly id: number
  readonly folder: string
  readonly size: number
  readonly messageId: string | null
  /** Not stored if the folder has a message with that id by now. */
  readonly unlessThere: boolean
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
  /** The Message-IDs of what it answers and forwards. */
  readonly originals: Originals
  /** This one included. An attempt whose process died may have succeeded. */
  readonly attempts: number
  /** The result of the last attempt. */
  readonly deferral: Deferral['as'] | null
}

export type Claimed = Spooled & Lease<number>

/** No message is deferred for so long. A later attempt means that the clock was set back. */
const isDue = sql`(due_at <= ${databaseNow} or due_at > ${databaseNow} + interval '1 hour')`
const isFree = spoolLeases.free(databaseNow)

/** Claims due mail of a mailbox, oldest first. Nothing while another process delivers to the mailbox, so that messages get
 *  their uids in order of arrival. */
export async function claim(db: Db, mailbox: MailboxRef): Promise<Claimed[]> {
  return await db.transaction().execute(async (tx) => {
    // Before the statement, which sees what was committed when it began.
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
      received_at as "receivedAt", seen, flagged, keywords, filtered_by as "filteredBy",
      jsonb_build_object('answered', answered, 'forwarded', forwarded) as originals, attempts, deferral`,
  })
  return rows.map((row) => ({ ...row, filteredBy: row.filteredBy ?? [] })).sort((a, b) => a.id - b.id)
}

/** Undefined if it is no longer in the spool. */
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

/** The server's part of a message in the spool. */
export type Delivered = Pick<Spooled, 'id' | 'folder' | 'seen' | 'flagged' | 'keywords'> & {
  readonly uid: number | null
  /** Another program may have stored it. */
  readonly isOurs: boolean
}

/** Removes delivered mail, also for a process that has lost its lease meanwhile, and logs that it was received. */
export async function drop(tx: Tx, mailbox: MailboxRef, delivered: readonly Delivered[]): Promise<void> {
  const own = delivered.flatMap(({ folder, uid, isOurs, ...marks }) =>
    isOurs && uid !== null ? [{ folder, uid, became: marksText(marks) }] : [],
  )
  await recordOwn(tx, mailbox, own)
  const { rows } = await sql<{ id: number }>`
    delete from mail_spool
    where id = any(${delivered.map(({ id }) => id)}::bigint[])
      and organization_id = ${mailbox.organizationId} and mailbox_id = ${mailbox.mailboxId}
    returning id`.execute(tx)
  const dropped = new Set(rows.map(({ id }) => id))
  await appendEvents(tx, received(delivered.filter(({ id }) => dropped.has(id)).map((one) => ({ ...one, mailbox }))))
}

/** Removes some unclaimed mail of a mailbox; answers how many messages. */
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

/** Why a message is not delivered. */
export interface Deferral {
  readonly as: 'unavailable' | 'refused'
  /** For people. */
  readonly reason: string
}

/** Defers: shortly if the server was away, for longer if it refused the message. */
export async function defer(db: Db, claimed: readonly Claimed[], { as, reason }: Deferral): Promise<void> {
  const longest = as === 'unavailable' ? 15 : 600
  await spoolLeases.release(
    db,
    claimed,
    sql`deferral = ${as}, reason = ${reason},
      due_at = clock_timestamp() + make_interval(secs => least(${longest}, power(2, least(attempts, 20))))`,
  )
}

/** The oldest and the newest message that a process delivers to a mailbox now, or is about to. A message that was due when
 *  claimed stays so until it is delivered or deferred. */
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

/** The oldest of them up to `newest`; undefined if none is left. */
export async function oldestDue(db: Db, { mailboxId }: MailboxRef, upTo: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from mail_spool
    where mailbox_id = ${mailboxId} and id <= ${upTo} and ${isDue}
    order by id limit 1`.execute(db)
  return rows[0]?.id
}

/** Mailboxes with due mail, the longest due first. Steps from mailbox to mailbox and does not scan all spooled mail. */
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

/** Whether a process is delivering mail to that folder. */
export async function isDelivering(db: Db, { mailboxId }: MailboxRef, folder: string): Promise<boolean> {
  const { rows } = await sql<{ busy: boolean }>`
    select exists (select from mail_spool where mailbox_id = ${mailboxId} and folder = ${folder} and not ${isFree}) as busy`.execute(
    db,
  )
  return rows[0]?.busy ?? false
}

/** Bytes in the spool for a mailbox. */
export async function spooledFor(db: Db, { mailboxId }: MailboxRef): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0) as bytes from mail_spool where mailbox_id = ${mailboxId}`.execute(db)
  return rows[0]?.bytes ?? 0
}
