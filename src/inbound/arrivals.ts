import { sql } from 'kysely'
import { query } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'

/** A message at a mailbox, known by the SHA-256 of its bytes as they came. */
export interface Arrival {
  readonly mailboxId: string
  readonly digest: Buffer
}

/** Thrown where a mailbox, or its domain, has been suspended since its recipient was taken. */
export class Suspended extends Error {}

/** Notes what arrives and answers which of it is new: what came in the last 7 days is not. Each arrival may be named
 *  once. Where another transaction notes the same, this one waits for it. Throws `Suspended`, and then none of `tx` may
 *  be kept. */
export async function noteArrivals(tx: Tx, arrivals: readonly Arrival[]): Promise<Arrival[]> {
  const rows = arrivals.map(({ mailboxId, digest }) => ({ mailbox_id: mailboxId, digest: digest.toString('hex') }))
  // In one order always, so that two processes that note the same ones do not wait for each other in a circle.
  const noted = await query<{ mailbox_id: string; digest: Buffer; suspended: boolean }>(tx)`
    insert into arrivals (mailbox_id, digest)
    select mailbox_id, decode(digest, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (mailbox_id uuid, digest text)
    order by mailbox_id, digest
    on conflict (mailbox_id, digest) do update set arrived_at = excluded.arrived_at
      where arrivals.arrived_at < excluded.arrived_at - interval '7 days'
    returning mailbox_id, digest, (
      select box.suspended_at is not null or home.suspended_at is not null
      from mailboxes box join domains home on home.id = box.domain_id
      where box.id = mailbox_id
    ) as suspended`
  if (noted.some(({ suspended }) => suspended)) throw new Suspended()
  return noted.map(({ mailbox_id, digest }) => ({ mailboxId: mailbox_id, digest }))
}

/** Whether each of the mailboxes has had it, by one of these digests. */
export async function areNoted(db: Db, mailboxIds: readonly string[], digests: readonly Buffer[]): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct mailbox_id) as count from arrivals
    where mailbox_id = any (${mailboxIds}::uuid[]) and digest = any (${digests}::bytea[])
      and arrived_at > now() - interval '7 days'`.execute(db)
  return rows[0]?.count === new Set(mailboxIds).size
}

/** Forgets what arrived more than 7 days ago. */
export async function forgetArrivals(db: Db): Promise<void> {
  await sql`delete from arrivals where arrived_at < now() - interval '7 days'`.execute(db)
}
