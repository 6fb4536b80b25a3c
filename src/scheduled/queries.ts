import { sql } from 'kysely'
import { pieceByPiece, slices } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { SealingKey } from '#/seal.ts'
import { openedFields, openedPiece, sealedFields, sealedPiece } from '#/sending/sealed.ts'
import { type Draft, failedKept, mostListed, type Scheduled } from './scheduled.ts'

/** A `Scheduled` as its row has it. */
type Row = Scheduled & { readonly fields: Buffer | null }

/** Of `scheduled_messages`, as a `Row`. What is sent and lacks but its copy in Sent has left the list. */
const columns = sql`
  id, sender as "from", "to", cc, bcc, subject, fields, send_at as "sendAt", status, last_error as "lastError",
  attachment_count as "attachmentCount", scheduled_by as "scheduledBy", created_at as "createdAt"`

function opened<Found extends Row>(key: SealingKey, { fields, ...row }: Found) {
  return fields === null ? row : { ...row, ...openedFields(key, row.id, fields) }
}

/** Everything of the organization that is queued, being sent or failed, soonest first. */
export async function scheduledOf(db: Db, key: SealingKey, organizationId: string): Promise<Scheduled[]> {
  const { rows } = await sql<Row>`
    select ${columns} from scheduled_messages where organization_id = ${organizationId} and copy_due_at is null
    order by send_at, id limit ${mostListed}`.execute(db)
  return rows.map((row) => opened(key, row))
}

export async function scheduledById(
  db: Db,
  key: SealingKey,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<(Scheduled & { sizeBytes: number }) | undefined> {
  const { rows } = await sql<Row & { sizeBytes: number }>`
    select ${columns}, size_bytes as "sizeBytes" from scheduled_messages
    where organization_id = ${organizationId} and id = ${id} and status <> 'sent'`.execute(db)
  return rows[0] && opened(key, rows[0])
}

/** Where a message stands; undefined where there is none in the list. */
export async function statusOf(
  db: Db,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<Scheduled['status'] | undefined> {
  const { rows } = await sql<{ status: Scheduled['status'] }>`
    select status from scheduled_messages
    where organization_id = ${organizationId} and id = ${id} and status <> 'sent'`.execute(db)
  return rows[0]?.status
}

/** Stores a message for later, sealed. False where its mailbox is gone, and then nothing of `tx` may be kept. Over the plan's caps
 *  the database refuses, with SQLSTATE PC402. */
export async function insertScheduled(tx: Tx, key: SealingKey, draft: Draft, now: Date): Promise<boolean> {
  const { id, organizationId, raw } = draft
  let number = 0
  for (const slice of slices(raw)) {
    const bytes = sealedPiece(key, id, number, slice)
    await tx
      .insertInto('scheduled_pieces')
      .values({ scheduled_id: id, number: number++, bytes, sealed: true })
      .execute()
  }
  const { numAffectedRows = 0n } = await sql`
    insert into scheduled_messages (id, organization_id, mailbox_id, sender, recipients, fields,
      attachment_count, message_id, size_bytes, scheduled_by, send_at, due_at, created_at)
    select ${id}::uuid, organization_id, id, ${draft.from}, ${draft.recipients}::text[],
      ${sealedFields(key, id, draft)}::bytea, ${draft.attachmentCount}::integer, ${draft.messageId},
      ${raw.length}::integer, ${draft.scheduledBy}, ${draft.sendAt}::timestamptz, ${draft.sendAt}::timestamptz,
      ${now}::timestamptz
    from mailboxes where organization_id = ${organizationId} and id = ${draft.mailboxId}`.execute(tx)
  return numAffectedRows > 0n
}

/** The octets of messages that are stored in one piece. */
export async function scheduledInOnePiece(
  db: Db,
  key: SealingKey,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const { rows } = await sql<{ id: string; bytes: Buffer; sealed: boolean }>`
    select scheduled_id as id, bytes, sealed from scheduled_pieces
    where scheduled_id = any (${ids}::uuid[]) and number = 0`.execute(db)
  return new Map(rows.map(({ id, ...piece }) => [id, openedPiece(key, id, 0, piece)]))
}

/** The octets of a message, a piece at a time. */
export function scheduledOctets(db: Db, key: SealingKey, id: string): AsyncGenerator<Buffer> {
  const pieces = db.selectFrom('scheduled_pieces').select(['bytes', 'sealed']).where('scheduled_id', '=', id)
  return pieceByPiece(async (number) => {
    const piece = await pieces.where('number', '=', number).executeTakeFirst()
    return piece && { bytes: openedPiece(key, id, number, piece) }
  })
}

/** Removes a message that no worker has taken yet, with every octet of it; false where there is none. */
export async function cancelPending(db: Db, organizationId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('scheduled_messages')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Puts a failed message back, to be sent now, as if it had never been tried. Undefined where there is no failed one. */
export async function retryFailed(
  db: Db,
  key: SealingKey,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  now: Date,
): Promise<Scheduled | undefined> {
  const { rows } = await sql<Row>`
    update scheduled_messages
    set status = 'pending', send_at = ${now}, due_at = ${now}, attempts = 0, cut_short = 0, last_error = null,
      failed_at = null
    where organization_id = ${organizationId} and id = ${id} and status = 'failed'
    returning ${columns}`.execute(db)
  return rows[0] && opened(key, rows[0])
}

/** How many recipients the plan allows on the UTC day of `at`, and how many of them are sent to already or promised to
 *  messages that are scheduled for that day. */
export async function promisedOn(
  db: Db,
  organizationId: string,
  at: Date,
): Promise<{ limit: number; promised: number }> {
  const day = at.toISOString().slice(0, 10)
  const [start, end] = [`${day}T00:00:00Z`, new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString()]
  const { rows } = await sql<{ limit: number; promised: number }>`
    select plans.sends_per_day as "limit",
      coalesce((select recipients from sends where organization_id = organizations.id and day = ${day}::date), 0) +
      coalesce((
        select sum(cardinality(recipients)) from scheduled_messages
        where organization_id = organizations.id and copy_due_at is null and status <> 'failed'
          and not queued and send_at >= ${start}::timestamptz and send_at < ${end}::timestamptz
      ), 0) as promised
    from organizations join plans on plans.name = organizations.plan where organizations.id = ${organizationId}`.execute(
    db,
  )
  if (!rows[0]) throw new Error('An organization has a plan')
  return rows[0]
}

/** Lets go of messages that failed long ago. */
export async function forgetFailed(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('scheduled_messages')
    .where('status', '=', 'failed')
    .where('failed_at', '<=', new Date(now.getTime() - failedKept))
    .execute()
}
