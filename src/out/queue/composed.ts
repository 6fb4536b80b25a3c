import { sql } from 'kysely'
import { LeaseLost } from '#/base/db/leases.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { type Claimed, leases } from './claims.ts'
import { encodingOf, replacePieces } from './enqueue.ts'
import type { QueuedMessage } from './message.ts'
import { openedSource, sealedVerdict } from './sealed.ts'

/** What an `uncomposed` message is composed from, beside its octets. */
export async function sourceOf<Source extends object>(
  db: Db,
  key: SealingKey,
  { organizationId, id }: QueuedMessage,
): Promise<Source> {
  const { source } = await db
    .selectFrom('outbound_messages')
    .select('source')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (!source) throw new Error('An uncomposed message has a source')
  return openedSource(key, id, source)
}

/** A message in the form in which it leaves. */
export interface Composed {
  readonly sender: string
  readonly raw: Buffer
  readonly verdict: Verdict | null
  readonly utf8Header?: boolean
}

/** `uncomposed` → `queued`: stores the form that each attempt sends. @throws LeaseLost */
export async function composed(
  tx: Tx,
  key: SealingKey,
  { message, recipients }: { readonly message: QueuedMessage; readonly recipients: readonly Claimed[] },
  { sender, raw, verdict, utf8Header }: Composed,
): Promise<QueuedMessage> {
  const { id, organizationId } = message
  const encoding = encodingOf({ raw, recipients, utf8Header })
  const { rows } = await sql`
    update outbound_messages
    set state = 'queued', source = null, sender = ${sender}, smtp_utf8 = ${encoding.smtpUtf8},
      eight_bit = ${encoding.eightBit}, size_bytes = ${raw.length}, verdict = ${verdict && sealedVerdict(key, id, verdict)}
    where organization_id = ${organizationId} and id = ${id} and state = 'uncomposed' and exists (
      select from outbound_recipients where message_id = outbound_messages.id and ${leases.held(recipients)}
    ) returning id`.execute(tx)
  if (rows.length === 0) throw new LeaseLost()
  await replacePieces(tx, key, id, raw)
  return { ...message, ...encoding, state: 'queued', sender, sizeBytes: raw.length, verdict }
}
