import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { type Claimed, leases } from './claims.ts'

/** Locks those recipients whose lease is not lost, for the transaction that ends their attempt. */
export async function lockClaimed(
  tx: Tx,
  recipients: readonly Claimed[],
): Promise<{ id: number; attempts: number; delayNoticeAt: Date | null }[]> {
  const { rows } = await sql<{ id: number; attempts: number; delayNoticeAt: Date | null }>`
    select id, attempts, told_at as "delayNoticeAt" from outbound_recipients
    where ${leases.held(recipients)} order by id for update`.execute(tx)
  return rows
}

/** The outcome of an attempt for a recipient to be tried again. */
export interface Deferred {
  readonly id: number
  readonly dueAt: Date
  readonly reply: string | null
  readonly reason: string
  readonly host: string | null
  /** Now, if its sender gets a notice of the delay; else null. */
  readonly delayNoticeAt: Date | null
  /** Since when delivery is ambiguous; null if it is not. */
  readonly ambiguousAt: Date | null
  /** The route from now on, if it changes. */
  readonly route?: string
}

/** `sending` → `waiting`: the attempt has ended; the next one is due later. */
export async function defer(tx: Tx, recipients: readonly Claimed[], deferred: readonly Deferred[]): Promise<void> {
  if (deferred.length === 0) return
  await sql`
    update outbound_recipients
    set state = 'waiting', leased_until = null, end_of_data_sent = false, due_at = later."dueAt", reply = later.reply,
      reason = later.reason, host = later.host, told_at = coalesce(later."delayNoticeAt", told_at),
      route = coalesce(later.route, outbound_recipients.route), doubted_at = coalesce(doubted_at, later."ambiguousAt")
    from jsonb_to_recordset(${JSON.stringify(deferred)}::jsonb)
      as later (id bigint, "dueAt" timestamptz, reply text, reason text, host text, "delayNoticeAt" timestamptz,
        "ambiguousAt" timestamptz, route text)
    where outbound_recipients.id = later.id and ${leases.held(recipients)}`.execute(tx)
}

/** `sending` → deleted: these recipients are delivered or failed. The message is deleted with its last recipient. */
export async function settle(
  tx: Tx,
  messageId: string,
  recipients: readonly Claimed[],
  settled: readonly number[],
): Promise<void> {
  // Locks the message first, as a claim does: of its last two recipients the second sees that the first is deleted.
  await sql`select from outbound_messages where id = ${messageId} for update`.execute(tx)
  await sql`
    delete from outbound_recipients where id = any (${settled}::bigint[]) and ${leases.held(recipients)}`.execute(tx)
  await forgetSettled(tx, [messageId])
}

/** Deletes messages that have no recipients left. */
export async function forgetSettled(tx: Tx, messageIds: readonly string[]): Promise<void> {
  await sql`
    delete from outbound_messages message
    where id = any (${messageIds}::uuid[]) and state in ('uncomposed', 'queued')
      and not exists (select from outbound_recipients where message_id = message.id)`.execute(tx)
}
