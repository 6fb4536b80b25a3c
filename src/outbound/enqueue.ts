import { sql } from 'kysely'
import { pieceBytes } from '#/bytes.ts'
import type { Tx } from '#/db/schema.ts'
import type { Claim } from '#/scheduled/due.ts'
import type { SealingKey } from '#/seal.ts'
import { sealedPiece } from '#/sending/sealed.ts'
import { lifetime } from './backoff.ts'
import { type Batch, leaseMs, Overtaken, together } from './claims.ts'
import { insertPieces } from './departures.ts'
import type { Held } from './held.ts'

/** A scheduled message with the octets that it goes with. */
export interface Ready {
  readonly claim: Claim
  readonly held: Held
  readonly raw: Buffer
}

/**
 * Puts scheduled messages into the queue, each for all its recipients together. This worker has taken them with that:
 * their attempts are begun with the commit of `tx`. Answers what it took of each, in their order.
 * @throws Overtaken where the claim on one of them is lost: then nothing of `tx` may be kept
 */
export async function enqueueClaimed(tx: Tx, key: SealingKey, ready: readonly Ready[], now: Date): Promise<Batch[]> {
  const rows = await enqueue(tx, key, ready, now, 'sending')
  const claimed = Map.groupBy(rows, ({ messageId }) => messageId)
  return ready.map(({ claim: { id, organizationId, attempts, cutShort } }) => {
    const own = (claimed.get(id) ?? []).sort((one, other) => one.id - other.id)
    const recipients = own.map(({ id, recipient }) => ({ id, recipient, epoch: 1, doubtedAt: null }))
    return { messageId: id, organizationId, route: together, attempts, cutShort, suspect: false, recipients }
  })
}

/** Puts a scheduled message into the queue that a worker has ended over: it waits there for its turn, and whoever takes it
 *  counts the attempt again, which is the same one. @throws Overtaken as `enqueueClaimed` does */
export async function enqueueSuspect(tx: Tx, key: SealingKey, ready: Ready, now: Date): Promise<void> {
  await enqueue(tx, key, [ready], now, 'waiting')
}

/** The octets of messages of one piece go as one parameter in binary form: as texts they would be sent in hexadecimal. */
async function enqueue(
  tx: Tx,
  key: SealingKey,
  ready: readonly Ready[],
  now: Date,
  state: 'sending' | 'waiting',
): Promise<{ id: number; messageId: string; recipient: string }[]> {
  const pieces = ready.map(({ claim, raw }) =>
    raw.length <= pieceBytes ? sealedPiece(key, claim.id, 0, raw) : undefined,
  )
  let start = 1
  const starts = pieces.map((piece) => {
    if (!piece) return null
    start += piece.length
    return start - piece.length
  })
  const sending = state === 'sending'
  const ids = ready.map(({ claim }) => claim.id)
  const epochs = ready.map(({ claim }) => claim.epoch)
  const octets = ready.map(({ raw }) => raw.length)
  const { rows } = await sql<{ id: number; messageId: string; recipient: string }>`
    with queued as (
      update scheduled_messages set queued = true, claimed_until = null
      where id = any (${ids}::uuid[]) and epoch = (${epochs}::integer[])[array_position(${ids}::uuid[], id)]
        and organization_id = any (${[...new Set(ready.map(({ claim }) => claim.organizationId))]}::uuid[])
        and status = 'sending' and not queued
      returning id, organization_id, mailbox_id, sender, recipients, attempts, cut_short,
        array_position(${ids}::uuid[], id) as nth
    ), messages as (
      insert into outbound_messages (id, organization_id, mailbox_id, kind, sender, smtp_utf8, eight_bit, size_bytes,
        created_at, expires_at)
      select id, organization_id, mailbox_id, 'scheduled', sender,
        (${ready.map(({ held }) => held.smtpUtf8)}::boolean[])[nth],
        (${ready.map(({ held }) => held.eightBit)}::boolean[])[nth], (${octets}::integer[])[nth],
        ${now}, ${new Date(now.getTime() + lifetime)}
      from queued
    ), pieces as (
      insert into outbound_pieces (message_id, number, bytes, sealed)
      select id, 0, substring(${Buffer.concat(pieces.flatMap((piece) => piece ?? []))}::bytea
        from (${starts}::integer[])[nth] for (${pieces.map((piece) => piece?.length ?? 0)}::integer[])[nth]), true
      from queued where (${starts}::integer[])[nth] is not null
    )
    insert into outbound_recipients (message_id, organization_id, recipient, route, attempts, cut_short, suspect, state,
      epoch, due_at)
    select id, organization_id, recipient, ${together}, attempts - ${sending ? 0 : 1}::integer, cut_short, ${!sending},
      ${state}, ${sending ? 1 : 0}::integer, ${sending ? new Date(now.getTime() + leaseMs) : now}::timestamptz
    from queued cross join unnest(recipients) as recipient
    returning id, message_id as "messageId", recipient`.execute(tx)
  if (new Set(rows.map(({ messageId }) => messageId)).size < ready.length) throw new Overtaken()
  for (const { claim, raw } of ready) if (raw.length > pieceBytes) await insertPieces(tx, key, claim.id, raw)
  return rows
}
