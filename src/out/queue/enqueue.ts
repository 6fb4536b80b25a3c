import { isAscii } from 'node:buffer'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { pieceBytes, slices } from '#/base/event-loop/pieces.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { storable } from '#/base/text/text.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { allRoutes } from './claims.ts'
import type { QueuedMessage } from './message.ts'
import { type ListedFields, sealedFields, sealedPiece, sealedRecipient, sealedSource, sealedVerdict } from './sealed.ts'

/** A message that is to leave. */
export interface NewMessage {
  readonly id: string
  readonly organizationId: string
  readonly mailboxId: string | null
  readonly kind: QueuedMessage['kind']
  readonly sender: string
  /** The octets to send; for an uncomposed message those that it is composed from. */
  readonly raw: Buffer
  /** Its header needs SMTPUTF8 (RFC 6531). By default it does unless the whole message is ASCII. What we compose is ASCII,
   *  except internationalised addresses. */
  readonly utf8Header?: boolean
  /** Whether its recipients are sealed too. */
  readonly concealed?: boolean
  /** The verdict at its arrival, which holds if it arrives here again. Null, the default, if a mailbox here is its author. */
  readonly verdict?: Verdict | null
  readonly recipients: readonly { readonly recipient: string; readonly route: string }[]
  /** Set if a worker has to compose the message from this and the octets. */
  readonly source?: object
}

/** What a scheduled message has in addition. */
export interface Schedule {
  readonly sendAt: Date
  readonly listed: ListedFields
  readonly attachmentCount: number
  /** Who scheduled it. */
  readonly by: 'api_key' | 'member'
  /** The id of that key or member. */
  readonly byId: string
  /** An answer that names one of these cancels the message (src/out/queue/answered.ts); null if none does. */
  readonly answerMarks: readonly string[] | null
}

/** Puts a sealed message into the queue: `queued`, or `uncomposed` if it has a source. Once `tx` commits we are responsible
 *  for it. */
export async function enqueue(tx: Tx, key: SealingKey, message: NewMessage, now: Date): Promise<void> {
  await insert(tx, key, message, undefined, now)
}

/** Puts a message into the queue that is to be sent later: `scheduled`. Above the plan's limits the database refuses it with
 *  SQLSTATE PC402. */
export async function enqueueScheduled(
  tx: Tx,
  key: SealingKey,
  { recipients, ...message }: Omit<NewMessage, 'recipients' | 'kind'> & { readonly recipients: readonly string[] },
  schedule: Schedule,
  now: Date,
): Promise<void> {
  const routed = recipients.map((recipient) => ({ recipient, route: allRoutes }))
  await insert(tx, key, { ...message, kind: 'scheduled', recipients: routed }, schedule, now)
}

async function insert(
  tx: Tx,
  key: SealingKey,
  message: NewMessage,
  schedule: Schedule | undefined,
  now: Date,
): Promise<void> {
  const { id, organizationId, raw, recipients, concealed = false, verdict = null, source } = message
  const small = raw.length <= pieceBytes
  if (!small) await insertPieces(tx, key, id, raw)
  const shown = (recipient: string) => (concealed ? sealedRecipient(key, id, recipient) : recipient)
  const { smtpUtf8, eightBit } = encodingOf(message)
  const dueAt = schedule?.sendAt ?? now
  const state = schedule ? 'scheduled' : source ? 'uncomposed' : 'queued'
  await sql`
    with message as (
      insert into outbound_messages (id, organization_id, mailbox_id, kind, state, sender, smtp_utf8, eight_bit,
        size_bytes, concealed, verdict, source, created_at, queued_at, send_at, allowance_due, fields, attachment_count,
        scheduled_by, scheduled_by_member, scheduled_by_key, answer_marks)
      values (${id}, ${organizationId}, ${message.mailboxId}, ${message.kind}, ${state}, ${storable(message.sender)},
        ${smtpUtf8}, ${eightBit}, ${raw.length}, ${concealed}, ${verdict && sealedVerdict(key, id, verdict)},
        ${source ? sealedSource(key, id, source) : null}, ${now}, ${dueAt}, ${schedule?.sendAt ?? null},
        ${schedule ? recipients.length : 0}, ${schedule ? sealedFields(key, id, schedule.listed) : null},
        ${schedule?.attachmentCount ?? null}, ${schedule?.by ?? null},
        ${schedule?.by === 'member' ? schedule.byId : null}, ${schedule?.by === 'api_key' ? schedule.byId : null},
        ${schedule?.answerMarks ?? null}::text[])
    ), piece as (
      insert into outbound_pieces (message_id, number, bytes)
      select ${id}::uuid, 0, ${small ? sealedPiece(key, id, 0, raw) : null}::bytea where ${small}
    )
    insert into outbound_recipients (message_id, organization_id, recipient, route, state, due_at)
    select ${id}::uuid, ${organizationId}::uuid, recipient, route, ${schedule ? 'held' : 'waiting'},
      ${dueAt}::timestamptz
    from unnest(${recipients.map(({ recipient }) => shown(storable(recipient)))}::text[],
      ${recipients.map(({ route }) => route)}::text[]) as one (recipient, route)`.execute(tx)
}

/** The SMTP extensions that a message needs. */
export type Encoding = Pick<QueuedMessage, 'smtpUtf8' | 'eightBit'>

export function encodingOf({
  raw,
  utf8Header,
  recipients,
}: {
  readonly raw: Buffer
  readonly utf8Header?: boolean | undefined
  readonly recipients: readonly { readonly recipient: string }[]
}): Encoding {
  const eightBit = !isAscii(raw)
  const smtpUtf8 = (utf8Header ?? eightBit) || recipients.some(({ recipient }) => !isAscii(Buffer.from(recipient)))
  return { smtpUtf8, eightBit }
}

/** Replaces a message's octets. */
export async function replacePieces(tx: Tx, key: SealingKey, id: string, raw: Buffer): Promise<void> {
  await tx.deleteFrom('outbound_pieces').where('message_id', '=', id).execute()
  await insertPieces(tx, key, id, raw)
}

async function insertPieces(tx: Tx, key: SealingKey, id: string, raw: Buffer): Promise<void> {
  let number = 0
  for (const slice of slices(raw)) {
    const bytes = sealedPiece(key, id, number, slice)
    await tx.insertInto('outbound_pieces').values({ message_id: id, number: number++, bytes }).execute()
  }
}
