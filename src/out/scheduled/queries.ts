import { sql } from 'kysely'
import { timeAt } from '#/base/db/microseconds.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import { enqueueScheduled } from '#/out/queue/enqueue.ts'
import { reschedule } from '#/out/queue/lifecycle.ts'
import { openedFields } from '#/out/queue/sealed.ts'
import { mostListed, type NewScheduled, type Scheduled } from './scheduled-message.ts'

/** The list of scheduled messages that a caller sees: a view of the outbound queue. */

type Row = Omit<Scheduled, 'to' | 'cc' | 'bcc' | 'subject'> & { readonly fields: Buffer }

/** A message that an answer has cancelled is stored as a failed one. */
const shown = sql`case when state = 'scheduled' then 'pending' when answered_at is not null then 'cancelled' else state end`

/** A queued message as a `Row`. */
const columns = sql`
  id, sender as "from", fields, send_at as "sendAt",
  ${shown} as status, answer_marks is not null as "unlessReplied", last_error as "lastError",
  attachment_count as "attachmentCount", scheduled_by as "scheduledBy", created_at as "createdAt",
  (
    select jsonb_build_object('id', id, 'email', email) from members
    where organization_id = outbound_messages.organization_id and id = outbound_messages.scheduled_by_member
  ) as "scheduledByMember", (
    select jsonb_build_object('id', id, 'name', name) from api_keys
    where organization_id = outbound_messages.organization_id and id = outbound_messages.scheduled_by_key
  ) as "scheduledByKey"`

/** A message leaves the list once a recipient has it. */
function isListed(caller: Caller) {
  return sql<boolean>`
    organization_id = ${caller.organizationId} and state in ('scheduled', 'sending', 'failed')
    and ${caller.mayIn('read', 'mailbox_id')}`
}

function opened<Found extends Row>(key: SealingKey, { fields, ...row }: Found) {
  return { ...row, ...openedFields(key, row.id, fields) }
}

interface ScheduledQuery {
  readonly status?: Scheduled['status'] | undefined
  /** Only those behind this place. */
  readonly after?: TimedPlace | undefined
  readonly most?: number
}

const states = { pending: 'scheduled', sending: 'sending', failed: 'failed', cancelled: 'failed' } as const

/** The messages that are scheduled, being sent, failed or cancelled by an answer, soonest first. */
export async function scheduledOf(
  db: Db,
  key: SealingKey,
  caller: Caller,
  { status, after, most = mostListed }: ScheduledQuery = {},
): Promise<Scheduled[]> {
  const rest = after ? sql`and (send_at, id) > (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const inState = status ? sql`and state = ${states[status]} and ${shown} = ${status}` : sql``
  const { rows } = await sql<Row>`
    select ${columns} from outbound_messages where ${isListed(caller)} ${inState} ${rest}
    order by send_at, id limit ${most}`.execute(db)
  return rows.map((row) => opened(key, row))
}

interface Named {
  readonly caller: Caller
  readonly id: string
}

export async function scheduledById(
  db: Db,
  key: SealingKey,
  { caller, id }: Named,
): Promise<(Scheduled & { sizeBytes: number }) | undefined> {
  const { rows } = await sql<Row & { sizeBytes: number }>`
    select ${columns}, size_bytes as "sizeBytes" from outbound_messages
    where id = ${id} and ${isListed(caller)}`.execute(db)
  return rows[0] && opened(key, rows[0])
}

/** The mailbox of a message in the list; its id is null once it is deleted. */
export async function mailboxOf(
  db: Db,
  { caller, id }: Named,
): Promise<{ id: string | null; address: string } | undefined> {
  const { rows } = await sql<{ id: string | null; address: string }>`
    select mailbox_id as id, sender as address from outbound_messages where id = ${id} and ${isListed(caller)}`.execute(
    db,
  )
  return rows[0]
}

/** Undefined if the message is not in the list. */
export async function statusOf(db: Db, { caller, id }: Named): Promise<Scheduled['status'] | undefined> {
  const { rows } = await sql<Pick<Scheduled, 'status'>>`
    select ${columns} from outbound_messages
    where id = ${id} and ${isListed(caller)}`.execute(db)
  return rows[0]?.status
}

/** Stores a message, sealed. False if its mailbox is gone. Over the plan's caps the database fails with SQLSTATE PC402. */
export async function insertScheduled(tx: Tx, key: SealingKey, draft: NewScheduled, now: Date): Promise<boolean> {
  const { organizationId, mailboxId, from: sender, sendAt, attachmentCount, by, byId, answerMarks } = draft
  // The lock keeps the mailbox until the end of the transaction.
  const { rows } = await sql`
    select from mailboxes where organization_id = ${organizationId} and id = ${mailboxId} for key share`.execute(tx)
  if (rows.length === 0) return false
  await enqueueScheduled(
    tx,
    key,
    { ...draft, sender },
    { sendAt, attachmentCount, by, byId, answerMarks, listed: draft },
    now,
  )
  return true
}

/** Puts a failed message back, to be sent now, with no attempt counted. Undefined if it is not `failed`. */
export async function retryFailed(tx: Tx, key: SealingKey, named: Named, now: Date): Promise<Scheduled | undefined> {
  return (await reschedule(tx, named, now)) ? await scheduledById(tx, key, named) : undefined
}

/** How many recipients the plan allows on the UTC day of `at`, and how many are used already or scheduled for that day. */
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
        select sum(allowance_due) from outbound_messages
        where organization_id = organizations.id and state in ('scheduled', 'sending')
          and send_at >= ${start}::timestamptz and send_at < ${end}::timestamptz
      ), 0) as promised
    from organizations join plans on plans.name = organizations.plan where organizations.id = ${organizationId}`.execute(
    db,
  )
  if (!rows[0]) throw new Error('An organization has a plan')
  return rows[0]
}
