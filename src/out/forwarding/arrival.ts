import { sql } from 'kysely'
import { byService } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'

/** Forwarding and auto-reply of a mailbox at this time. */
export interface InForce {
  readonly mailboxId: string
  readonly organizationId: string
  readonly address: string
  readonly name: string
  readonly private: boolean
  /** Its address and its aliases. */
  readonly addresses: readonly string[]
  /** Null if it does not forward. */
  readonly forwardTo: string | null
  /** Null if it does not answer. */
  readonly reply: { readonly subject: string; readonly body: string } | null
}

/** Messages that a mailbox forwards in a UTC day. */
const mostRelayedADay = 1_000

/** Messages that a mailbox answers in a UTC day, and those of them from one domain: whoever has a domain writes under any number of
 *  addresses, which must not keep answers from others. */
const mostAnsweredADay = 100
const mostAnsweredOfDomain = 25

/** So many refusals within 24 hours pause forwarding. */
const mostRefused = 10

const forwards = (now: Date) => sql<boolean>`(
  settings.forward_enabled and settings.forward_paused_at is null
  and (settings.forward_until is null or settings.forward_until > ${now}))`

const answers = (now: Date) => sql<boolean>`(
  settings.reply_enabled and (settings.reply_until is null or settings.reply_until > ${now}))`

/** The UTC day, by which forwarded messages, answers and returned reports are counted. */
export const dayOf = (now: Date) => sql`(${now}::timestamptz at time zone 'UTC')::date`

/** The settings of those mailboxes that forward or answer at this time. */
export async function inForceOf(db: Db, mailboxIds: readonly string[], now: Date): Promise<InForce[]> {
  const { rows } = await sql<InForce>`
    select mailbox.id as "mailboxId", mailbox.organization_id as "organizationId", mailbox.address, mailbox.name,
      mailbox.kind = 'private' as private,
      array(select address from addresses where mailbox_id = mailbox.id) as addresses,
      case when ${forwards(now)} and mailbox.kind = 'smart' then settings.forward_to end as "forwardTo",
      case when ${answers(now)}
        then jsonb_build_object('subject', settings.reply_subject, 'body', settings.reply_body) end as reply
    from forwarding settings join mailboxes mailbox on mailbox.id = settings.mailbox_id
    where settings.mailbox_id = any (${mailboxIds}::uuid[]) and (${forwards(now)} or ${answers(now)})`.execute(db)
  return rows
}

/** Counts a forwarded message. False if it must not be forwarded: forwarding was switched off meanwhile, has another
 *  destination, or has reached the limit of the day. */
export async function countRelayed(
  tx: Tx,
  { mailboxId, organizationId, forwardTo }: InForce,
  now: Date,
): Promise<boolean> {
  const today = dayOf(now)
  const { numAffectedRows = 0n } = await sql`
    update forwarding settings
    set relayed = case when relayed_on = ${today} then relayed + 1 else 1 end, relayed_on = ${today}
    where mailbox_id = ${mailboxId} and organization_id = ${organizationId} and forward_to = ${forwardTo}
      and ${forwards(now)} and (relayed_on is distinct from ${today} or relayed < ${mostRelayedADay})`.execute(tx)
  return numAffectedRows > 0n
}

/** Whether a message enqueued at `since` may still be forwarded to this destination. */
export async function stillRelayed(
  db: Db,
  mailboxId: string | null,
  to: string,
  since: Date,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from forwarding settings
    where mailbox_id = ${mailboxId} and forward_to = ${to} and forward_since <= ${since} and ${forwards(now)}`.execute(
    db,
  )
  return rows.length > 0
}

/** Whether an auto-reply enqueued at `since` may still be sent. */
export async function stillAnswered(db: Db, mailboxId: string | null, since: Date, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select from forwarding settings
    where mailbox_id = ${mailboxId} and reply_since <= ${since} and ${answers(now)}`.execute(db)
  return rows.length > 0
}

/** Records that the destination has refused a message. The tenth within 24 hours pauses forwarding. */
export async function noteRefusal(tx: Tx, mailboxId: string, to: string, reason: string, now: Date): Promise<void> {
  const { rows } = await sql<{ organizationId: string; address: string; paused: boolean }>`
    update forwarding settings
    set refused_at = recent.refused_at,
      forward_paused_at = case when cardinality(recent.refused_at) >= ${mostRefused} then ${now} else forward_paused_at end,
      forward_paused_because =
        case when cardinality(recent.refused_at) >= ${mostRefused} then ${reason} else forward_paused_because end
    from (
      select mailbox_id, array_append(
        array(select at from unnest(refused_at) as at where at > ${now}::timestamptz - interval '24 hours' order by at),
        ${now}::timestamptz(3)
      ) as refused_at
      from forwarding where mailbox_id = ${mailboxId} for update
    ) recent
    where settings.mailbox_id = recent.mailbox_id and forward_to = ${to} and forward_enabled
      and forward_paused_at is null
    returning settings.organization_id as "organizationId", forward_paused_at is not null as paused,
      (select address from mailboxes where id = settings.mailbox_id) as address`.execute(tx)
  for (const { organizationId, address: name } of rows.filter(({ paused }) => paused)) {
    const [before, after] = [{ forward_paused_at: null }, { forward_paused_at: now }]
    await record(tx, byService, { organizationId, action: 'forwarding.paused', id: mailboxId, name, before, after })
  }
}

/** A sender who is answered: its domain and its address, or for a Private mailbox hashes of them, under this secret and earlier ones. */
export interface Answered {
  readonly name: string
  readonly before: readonly string[]
  /** What the names of all senders of the domain begin with. */
  readonly ofDomain: readonly string[]
}

/** Claims the one answer that a sender gets from a mailbox in four days, or since its auto-reply was last switched on, and
 *  counts it for the day. Of concurrent calls, in all processes, one gets it. */
export async function claimAnswer(
  tx: Tx,
  { mailboxId, organizationId }: InForce,
  sender: Answered,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with room as materialized (
      select mailbox_id, reply_since from forwarding settings
      where mailbox_id = ${mailboxId} and organization_id = ${organizationId} and ${answers(now)}
        and (replied_on is distinct from ${dayOf(now)} or replied < ${mostAnsweredADay})
        and not exists (
          select from auto_replies earlier
          where earlier.mailbox_id = settings.mailbox_id and earlier.sender = any (${sender.before}::text[])
            and earlier.replied_at > ${now}::timestamptz - interval '4 days' and earlier.replied_at >= settings.reply_since
        )
        and ${mostAnsweredOfDomain} > (
          select count(*) from auto_replies other
          where other.mailbox_id = settings.mailbox_id and (other.replied_at at time zone 'UTC')::date = ${dayOf(now)}
            and exists (select from unnest(${sender.ofDomain}::text[]) as beginning where starts_with(other.sender, beginning))
        )
      for update
    ), claimed as (
      insert into auto_replies as last (mailbox_id, sender, replied_at)
      select mailbox_id, ${sender.name}, ${now}::timestamptz from room
      on conflict (mailbox_id, sender) do update set replied_at = excluded.replied_at
        where last.replied_at <= excluded.replied_at - interval '4 days'
          or last.replied_at < (select reply_since from room)
      returning mailbox_id
    )
    update forwarding settings
    set replied = case when replied_on = ${dayOf(now)} then replied + 1 else 1 end, replied_on = ${dayOf(now)}
    from claimed where settings.mailbox_id = claimed.mailbox_id`.execute(tx)
  return numAffectedRows > 0n
}

/** Deletes records of answers older than four days. */
export async function forgetAnswered(db: Db, now: Date): Promise<void> {
  await sql`delete from auto_replies where replied_at < ${now}::timestamptz - interval '4 days'`.execute(db)
}
