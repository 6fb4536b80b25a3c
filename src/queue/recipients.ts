import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import { type Claimed, leases } from './claims.ts'

/** Locks the recipients that were not taken back, for the transaction that ends their attempt. */
export async function lockClaimed(
  tx: Tx,
  recipients: readonly Claimed[],
): Promise<{ id: number; attempts: number; toldAt: Date | null }[]> {
  const { rows } = await sql<{ id: number; attempts: number; toldAt: Date | null }>`
    select id, attempts, told_at as "toldAt" from outbound_recipients
    where ${leases.held(recipients)} order by id for update`.execute(tx)
  return rows
}

/** What an attempt has come to for one recipient that it did not settle. */
export interface Deferred {
  readonly id: number
  readonly dueAt: Date
  readonly reply: string | null
  readonly reason: string
  readonly host: string | null
  /** When its sender was told of the delay, if this is the moment. */
  readonly toldAt: Date | null
  /** Since when nobody knows whether this one has the message, if so. */
  readonly doubtedAt: Date | null
  /** Another than until now. */
  readonly route?: string
}

/** `sending` → `waiting`: the attempt has ended, and the next is at another time. */
export async function defer(tx: Tx, recipients: readonly Claimed[], deferred: readonly Deferred[]): Promise<void> {
  if (deferred.length === 0) return
  await sql`
    update outbound_recipients
    set state = 'waiting', leased_until = null, end_of_data_sent = false, due_at = later."dueAt", reply = later.reply,
      reason = later.reason, host = later.host, told_at = coalesce(later."toldAt", told_at),
      route = coalesce(later.route, outbound_recipients.route), doubted_at = coalesce(doubted_at, later."doubtedAt")
    from jsonb_to_recordset(${JSON.stringify(deferred)}::jsonb)
      as later (id bigint, "dueAt" timestamptz, reply text, reason text, host text, "toldAt" timestamptz,
        "doubtedAt" timestamptz, route text)
    where outbound_recipients.id = later.id and ${leases.held(recipients)}`.execute(tx)
}

/** `sending` → gone: these have the message, or never will. The last one takes the message with it. */
export async function settle(
  tx: Tx,
  messageId: string,
  recipients: readonly Claimed[],
  settled: readonly number[],
): Promise<void> {
  // The message first, as the claim does, so that the last two recipients see each other go.
  await sql`select from outbound_messages where id = ${messageId} for update`.execute(tx)
  await sql`
    delete from outbound_recipients where id = any (${settled}::bigint[]) and ${leases.held(recipients)}`.execute(tx)
  await forgetSettled(tx, [messageId])
}

/** Removes messages that nobody waits for any more. */
export async function forgetSettled(tx: Tx, messageIds: readonly string[]): Promise<void> {
  await sql`
    delete from outbound_messages message
    where id = any (${messageIds}::uuid[]) and state in ('uncomposed', 'queued')
      and not exists (select from outbound_recipients where message_id = message.id)`.execute(tx)
}
