import { type RawBuilder, sql } from 'kysely'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import { retentionMs } from '#/base/db/retention.ts'
import type { Db } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import type { Sent, SentRecipient, SentState } from './sent.ts'

/** The parameters of a list. */
export interface SentQuery {
  readonly state?: SentState | undefined
  readonly mailboxId?: string | undefined
  /** In canonical form. */
  readonly recipient?: string | undefined
  readonly since?: Date | undefined
  /** Only those behind this place. */
  readonly after?: TimedPlace | undefined
  readonly most: number
}

/** A scheduled message counts as sent from its first attempt, unless it has failed. */
const leaves = sql`message.kind in ('sent', 'scheduled') and message.state not in ('scheduled', 'failed')`

/** The state of a recipient in the queue. The reason is hidden for a Private mailbox. */
const waitingState = sql`case when recipient.reason is null then 'queued' else 'deferred' end`

/** Messages whose outcome the caller may see, newest first. */
export async function sentOf(db: Db, caller: Caller, wanted: SentQuery): Promise<Sent[]> {
  const { state, most } = wanted
  const halves = [
    ...(state === 'queued' || state === 'deferred' ? [] : [settledIds(caller, wanted)]),
    ...(state === undefined || state === 'queued' || state === 'deferred' ? [waitingIds(caller, wanted)] : []),
  ]
  const found = await sql<{ id: string }>`
    select id from (${sql.join(halves, sql` union `)}) one order by queued_at desc, id desc limit ${most}`.execute(db)
  const ids = found.rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const byId = new Map((await sentByIds(db, caller, ids)).map((one) => [one.id, one]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

export async function sentById(db: Db, caller: Caller, id: string): Promise<Sent | undefined> {
  const [found] = await sentByIds(db, caller, [id])
  return found
}

function settledIds(caller: Caller, { state, mailboxId, recipient, since, after, most }: SentQuery) {
  return sql`(
    select distinct queued_at, message_id as id from sent_recipients
    where organization_id = ${caller.organizationId} and ${caller.mayIn('read', 'mailbox_id')}
      ${when(state, (one) => (one === 'delivered' ? sql`and state = ${one}` : sql`and state = ${one} and state <> 'delivered'`))}
      ${when(mailboxId, (one) => sql`and mailbox_id = ${one}`)} ${when(recipient, (one) => sql`and address = ${one}`)}
      ${when(since, (one) => sql`and queued_at >= ${one}`)}
      ${when(after, ({ at, id }) => sql`and (queued_at, message_id) < (${timeAt(at)}, ${id}::uuid)`)}
    order by queued_at desc, message_id desc limit ${most})`
}

function waitingIds(caller: Caller, { state, mailboxId, recipient, since, after, most }: SentQuery) {
  return sql`(
    select distinct message.queued_at, message.id
    from outbound_messages message join outbound_recipients recipient on recipient.message_id = message.id
    where message.organization_id = ${caller.organizationId} and ${leaves}
      and ${caller.mayIn('read', 'message.mailbox_id')}
      ${when(state, (one) => sql`and ${waitingState} = ${one}`)}
      ${when(mailboxId, (one) => sql`and message.mailbox_id = ${one}`)}
      ${when(recipient, (one) => sql`and recipient.recipient = ${one} and not message.concealed`)}
      ${when(since, (one) => sql`and message.queued_at >= ${one}`)}
      ${when(after, ({ at, id }) => sql`and (message.queued_at, message.id) < (${timeAt(at)}, ${id}::uuid)`)}
    order by message.queued_at desc, message.id desc limit ${most})`
}

function when<T>(given: T | undefined, part: (given: T) => RawBuilder<unknown>): RawBuilder<unknown> {
  return given === undefined ? sql`` : part(given)
}

type Row = Omit<SentRecipient, 'at'> & Omit<Sent, 'recipients'> & { readonly since: Date | null }

/** The recipients of these messages, settled ones first. */
async function sentByIds(db: Db, caller: Caller, ids: readonly string[]): Promise<Sent[]> {
  const { organizationId } = caller
  const { rows } = await sql<Row>`
    select one.id, mailbox.address as mailbox, one.sender, one.queued_at as "queuedAt",
      ${microseconds('one.queued_at')} as at, one.address, one.state, one.since, one.status, one.reply, one.reason,
      one.host, one.due_at as "nextAttemptAt"
    from (
      select message_id as id, mailbox_id, sender, queued_at, address, state, at as since, status, reply, reason, host,
        null::timestamptz as due_at, 0 as half, id as place
      from sent_recipients
      where organization_id = ${organizationId} and message_id = any (${ids}::uuid[])
        and ${caller.mayIn('read', 'mailbox_id')}
      union all
      select message.id, message.mailbox_id, message.sender, message.queued_at,
        case when not message.concealed then recipient.recipient end, ${waitingState}, null, null, recipient.reply,
        recipient.reason, recipient.host, case when recipient.state <> 'sending' then recipient.due_at end, 1, recipient.id
      from outbound_messages message join outbound_recipients recipient on recipient.message_id = message.id
      where message.organization_id = ${organizationId} and message.id = any (${ids}::uuid[]) and ${leaves}
        and ${caller.mayIn('read', 'message.mailbox_id')}
    ) one
    left join mailboxes mailbox on mailbox.id = one.mailbox_id and mailbox.organization_id = ${organizationId}
    order by one.id, one.half, one.place`.execute(db)
  return Array.from(Map.groupBy(rows, ({ id }) => id).values(), presented)
}

function presented(rows: Row[]): Sent {
  const [{ id, mailbox, sender, queuedAt, at }] = rows as [Row]
  const recipients = rows.map(({ address, state, since, status, reply, reason, host, nextAttemptAt }) => {
    return { address, state, at: since, status, reply, reason, host, nextAttemptAt }
  })
  return { id, mailbox, sender, queuedAt, at, recipients }
}

/** Rows deleted by one statement. */
const atATime = 1_000

/** Deletes outcomes of messages that were sent long ago. */
export async function forgetSent(db: Db, now: Date, most = atATime): Promise<void> {
  const before = new Date(now.getTime() - retentionMs)
  for (let gone = most; gone === most; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from sent_recipients where (organization_id, message_id, id) in (
        select organization_id, message_id, id from sent_recipients where queued_at < ${before} limit ${most}
      )`.execute(db)
    gone = Number(numAffectedRows)
  }
}
