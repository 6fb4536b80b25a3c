import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'

/** The arrival of a message at a mailbox, identified by a digest. */
export interface Arrival {
  readonly mailboxId: string
  readonly digest: Buffer
}

/** Whether a mailbox or its domain is suspended. */
const suspended = (mailbox: RawBuilder<unknown>) => sql`(
      select box.suspended_at is not null or home.suspended_at is not null
      from mailboxes box join domains home on home.id = box.domain_id
      where box.id = ${mailbox}
    )`

/** Records rows of the CTE `arriving`, as `arrivalRows` has them, that are not duplicates of the last 7 days. Ordered, to
 *  prevent deadlocks between processes. */
const notes = (condition = sql`true`) => sql`insert into arrivals (mailbox_id, digest)
    select mailbox_id, decode(digest, 'hex') from arriving where ${condition} order by mailbox_id, digest
    on conflict (mailbox_id, digest) do update set arrived_at = excluded.arrived_at
      where arrivals.arrived_at < excluded.arrived_at - interval '7 days'
    returning mailbox_id, digest`

const notesAlone = sql`${notes()}, ${suspended(sql`mailbox_id`)} as suspended`

/** A condition for a statement that stores arriving mail: its CTE `arriving` has no duplicate, as far as is known before it is
 *  recorded. Each row is looked up, so the plan cannot go through the table. */
export const areNew = sql`not exists (
      select from arriving where (
        select arrived_at from arrivals known
        where known.mailbox_id = arriving.mailbox_id and known.digest = decode(arriving.digest, 'hex')
      ) >= now() - interval '7 days'
    )`

/** The same: no mailbox of its CTE `gain` is suspended. */
export const noneSuspended = sql`not exists (select from gain where ${suspended(sql`gain.mailbox_id`)})`

/** A CTE for such a statement, which records `arriving` if its CTE `ready` answers so. */
export const notesIfReady = sql`noted as (${notes(sql`(select is_ready from ready)`)})`

/** For `json_to_recordset`, as (mailbox_id uuid, digest text). */
export function arrivalRows(arrivals: readonly Arrival[]): string {
  return JSON.stringify(
    arrivals.map(({ mailboxId, digest }) => ({ mailbox_id: mailboxId, digest: digest.toString('hex') })),
  )
}

/** A mailbox or its domain was suspended after RCPT. */
export class Suspended extends Error {}

/** Records arrivals, and returns those that are not duplicates of the last 7 days. Each may be given once. Waits for another
 *  transaction that records the same one. Throws `Suspended`; then `tx` must be rolled back. */
export async function noteArrivals(tx: Tx, arrivals: readonly Arrival[]): Promise<Arrival[]> {
  const { rows: noted } = await sql<{ mailbox_id: string; digest: Buffer; suspended: boolean }>`
    with arriving as (
      select * from json_to_recordset(${arrivalRows(arrivals)}::json) as arriving (mailbox_id uuid, digest text)
    ) ${notesAlone}`.execute(tx)
  if (noted.some(({ suspended }) => suspended)) throw new Suspended()
  return noted.map(({ mailbox_id, digest }) => ({ mailboxId: mailbox_id, digest }))
}

/** Whether every mailbox has had the message, by one of these digests. */
export async function areNoted(db: Db, mailboxIds: readonly string[], digests: readonly Buffer[]): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct mailbox_id) as count from arrivals
    where mailbox_id = any (${mailboxIds}::uuid[]) and digest = any (${digests}::bytea[])
      and arrived_at > now() - interval '7 days'`.execute(db)
  return rows[0]?.count === new Set(mailboxIds).size
}

/** Deletes arrivals that are older than 7 days. */
export async function forgetArrivals(db: Db): Promise<void> {
  await sql`delete from arrivals where arrived_at < now() - interval '7 days'`.execute(db)
}
