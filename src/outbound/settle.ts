import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import type { Outcome } from '#/ports/relay.ts'
import { forgetEmpty } from '#/sending/waiting.ts'
import { type Claimed, own } from './claims.ts'

/** Locks what is still the claim's own, for the transaction that finishes it. */
export async function holdClaim(
  tx: Tx,
  recipients: readonly Claimed[],
): Promise<{ id: number; attempts: number; toldAt: Date | null }[]> {
  const { rows } = await sql<{ id: number; attempts: number; toldAt: Date | null }>`
    select id, attempts, told_at as "toldAt" from outbound_recipients recipient
    where ${own(recipients)} and state <> 'waiting' order by id for update`.execute(tx)
  return rows
}

/** What an attempt has come to for one recipient that it did not settle. */
export interface Postponed {
  readonly id: number
  readonly dueAt: Date
  readonly reply: string | null
  readonly reason: string
  readonly host: string | null
  /** When its sender was told of the delay, if this is the moment. */
  readonly toldAt: Date | null
  /** When it was sent whole, and not answered, if this is the moment. */
  readonly doubtedAt: Date | null
  /** Another than until now. */
  readonly route?: string
}

/** Since when nobody knows whether a recipient has the message, after an attempt that did not deliver it. */
export function doubtOf({ doubtedAt }: Claimed, { ambiguous }: Outcome, now: Date): Date | null {
  return doubtedAt ?? (ambiguous ? now : null)
}

export async function postpone(tx: Tx, recipients: readonly Claimed[], postponed: readonly Postponed[]): Promise<void> {
  if (postponed.length === 0) return
  await sql`
    update outbound_recipients recipient
    set state = 'waiting', dotted = false, suspect = false, due_at = later."dueAt", reply = later.reply, reason = later.reason, host = later.host,
      told_at = coalesce(later."toldAt", recipient.told_at), route = coalesce(later.route, recipient.route),
      doubted_at = coalesce(recipient.doubted_at, later."doubtedAt")
    from jsonb_to_recordset(${JSON.stringify(postponed)}::jsonb)
      as later (id bigint, "dueAt" timestamptz, reply text, reason text, host text, "toldAt" timestamptz, "doubtedAt" timestamptz,
        route text)
    where recipient.id = later.id and ${own(recipients)}`.execute(tx)
}

/** Takes out the recipients that are settled; the last one takes the message with it. */
export async function settle(
  tx: Tx,
  messageId: string,
  recipients: readonly Claimed[],
  settled: readonly number[],
  delivered: number,
): Promise<void> {
  // The message's row first, as the claim does, so that the last two recipients see each other go.
  await sql`update outbound_messages set delivered = delivered + ${delivered} where id = ${messageId}`.execute(tx)
  await sql`
    delete from outbound_recipients recipient where id = any (${settled}::bigint[]) and ${own(recipients)}`.execute(tx)
  await forgetEmpty(tx, [messageId])
}
