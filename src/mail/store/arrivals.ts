import { type RawBuilder, sql } from 'kysely'
import { relation } from '#/base/db/relation.ts'
import type { Db, Tx } from '#/base/db/schema.ts'

/** The arrival of a message at a mailbox, identified by a digest. */
export interface Arrival {
  readonly mailboxId: string
  readonly digest: Buffer
}

/** Of a statement that stores arriving mail: the arrivals, as `arrivalRows` has them; the folders that get the messages; and whether it may
 *  write, with what it has recorded then. */
export const arriving = relation('arriving', 'mailbox_id', 'digest')
export const gain = relation('gain', 'mailbox_id')
export const ready = relation('ready', 'is_ready')
export const noted = relation('noted', 'mailbox_id')

/** Whether a mailbox or its domain is suspended. */
const suspended = (mailbox: RawBuilder<unknown>) => sql`(
      select box.suspended_at is not null or home.suspended_at is not null
      from mailboxes box join domains home on home.id = box.domain_id
      where box.id = ${mailbox}
    )`

/** Records arrivals that are not duplicates of the last 7 days. Ordered, to
 *  prevent deadlocks between processes. */
const notes = (condition = sql`true`) => sql`insert into arrivals (mailbox_id, digest)
    select ${arriving.mailbox_id}, decode(${arriving.digest}, 'hex') from ${arriving.rows} where ${condition}
    order by ${arriving.mailbox_id}, ${arriving.digest}
    on conflict (mailbox_id, digest) do update set arrived_at = excluded.arrived_at
      where arrivals.arrived_at < excluded.arrived_at - interval '7 days'
    returning mailbox_id, digest`

const notesAlone = sql`${notes()}, ${suspended(sql`mailbox_id`)} as suspended`

/** A condition for a statement that stores arriving mail: none is a duplicate, as far as is known before it is
 *  recorded. Each row is looked up, so the plan cannot go through the table. */
export const areNew = sql`not exists (
      select from ${arriving.rows} where (
        select arrived_at from arrivals known
        where known.mailbox_id = ${arriving.mailbox_id} and known.digest = decode(${arriving.digest}, 'hex')
      ) >= now() - interval '7 days'
    )`

/** The same: no mailbox is suspended. */
export const noneSuspended = sql`not exists (select from ${gain.rows} where ${suspended(gain.mailbox_id)})`

/** A CTE for such a statement, which records the arrivals if it may write. */
export const notesIfReady = sql`${noted.rows} as (${notes(sql`(select ${ready.is_ready} from ${ready.rows})`)})`

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
  const { rows } = await sql<{ mailbox_id: string; digest: Buffer; suspended: boolean }>`
    with ${arriving.rows} as (
      select * from json_to_recordset(${arrivalRows(arrivals)}::json) as arriving (mailbox_id uuid, digest text)
    ) ${notesAlone}`.execute(tx)
  if (rows.some(({ suspended }) => suspended)) throw new Suspended()
  return rows.map(({ mailbox_id, digest }) => ({ mailboxId: mailbox_id, digest }))
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
