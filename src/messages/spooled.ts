import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'

/** A message in the spool, for the operator (docs/mail-host.md#mail-in). */
export interface Spooled {
  readonly organization: string
  readonly mailbox: string
  readonly folder: string
  readonly since: Date
  readonly size_bytes: number
  readonly attempts: number
  readonly next_attempt_at: Date
  /** The result of the last attempt; null before the first. */
  readonly deferral: 'unavailable' | 'refused' | null
  readonly reason: string | null
}

/** A copy for Sent before its first attempt (docs/reference/submission.md). */
const heldBack = sql`(spool.unless_there and spool.attempts = 0)`

/** Messages in the spool, oldest first. */
export async function listSpooled(db: Db, most: number): Promise<Spooled[]> {
  const { rows } = await sql<Spooled>`
    select organization.name as organization, mailbox.address as mailbox, spool.folder, spool.received_at as since,
      spool.size_bytes, spool.attempts, greatest(spool.due_at, spool.leased_until) as next_attempt_at, spool.deferral,
      case when ${heldBack} then 'Held back for a minute: the mail program may store its own copy' else reason end as reason
    from mail_spool spool
    join mailboxes mailbox on mailbox.id = spool.mailbox_id
    join organizations organization on organization.id = spool.organization_id
    order by spool.id limit ${most}`.execute(db)
  return rows
}

export async function countSpooled(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('mail_spool')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The size of the spool. */
export interface SpoolSize {
  /** Messages by their last attempt: none yet, the server did not answer, it refused. */
  readonly messages: { readonly new: number; readonly unavailable: number; readonly refused: number }
  readonly bytes: number
  /** The age of the oldest message, without copies that are held back. */
  readonly oldest_seconds: number
}

/** Counts at most so many messages. */
export async function measureSpool(db: Db, mostCounted: number): Promise<SpoolSize> {
  const { rows } = await sql<SpoolSize['messages'] & Omit<SpoolSize, 'messages'>>`
    select count(*) filter (where deferral is null) as new,
      count(*) filter (where deferral = 'unavailable') as unavailable,
      count(*) filter (where deferral = 'refused') as refused,
      (select coalesce(sum(bytes), 0)::float8 from mail_spool_shares) as bytes,
      coalesce((select greatest(extract(epoch from now() - received_at), 0)
        from mail_spool spool where not ${heldBack} order by id limit 1), 0)::float8 as oldest_seconds
    from (select deferral from mail_spool limit ${mostCounted}::integer) one`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The spool could not be measured')
  const { bytes, oldest_seconds, ...messages } = row
  return { messages, bytes, oldest_seconds }
}
