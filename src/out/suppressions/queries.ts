import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import type { Bounce, Suppression } from './suppression.ts'

/** Counts bounces and complaints. An address is suppressed at the second bounce without a delivery in between, and at any
 *  complaint. */
export async function recordBounces(tx: Tx, came: readonly Bounce[]): Promise<void> {
  const rows = [...new Map(came.map((one) => [one.address, one])).values()]
  if (rows.length === 0) return
  await sql`
    insert into suppressions as known
      (organization_id, address, mailbox_id, cause, bounces, bounced_at, suppressed_at, status, reply)
    select "organizationId", address, "mailboxId", cause, 1, clock_timestamp(),
      case when cause = 'complained' then clock_timestamp() end, status, reply
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      ("organizationId" uuid, address text, "mailboxId" uuid, cause text, status text, reply text)
    order by address
    on conflict (organization_id, address) do update
    set (bounces, suppressed_at) = (
        select bounces, coalesce(known.suppressed_at, excluded.suppressed_at, case when bounces > 1 then clock_timestamp() end)
        from (
          select case when exists (
            select from sent_recipients sent
            where sent.organization_id = known.organization_id and sent.address = known.address
              and sent.state = 'delivered' and sent.at > known.bounced_at
          ) then 1 else known.bounces + 1 end as bounces
        ) counted
      ),
      mailbox_id = excluded.mailbox_id, bounced_at = excluded.bounced_at, status = excluded.status, reply = excluded.reply,
      cause = case when known.cause = 'complained' then known.cause else excluded.cause end`.execute(tx)
}

/** Those of the recipients, each of an organization, that are suppressed: a part of a statement, with `organization_id` and
 *  `address`. */
export function suppressedAmong(organizationIds: readonly string[], addresses: readonly string[]): RawBuilder<unknown> {
  return sql`
    select suppression.organization_id, suppression.address
    from unnest(${organizationIds}::uuid[], ${addresses}::text[]) as wanted (organization_id, address)
    join suppressions suppression
      on suppression.organization_id = wanted.organization_id and suppression.address = wanted.address
    where suppression.suppressed_at is not null`
}

interface SuppressionQuery {
  /** A part of the address. */
  readonly search?: string | undefined
  readonly after: TimedPlace | undefined
  readonly most: number
}

/** Newest first. */
export async function suppressionsOf(
  db: Db,
  caller: Caller,
  { search, after, most }: SuppressionQuery,
): Promise<(Suppression & { at: number })[]> {
  const { rows } = await sql<Suppression & { at: number }>`
    select one.id, one.address, one.cause, one.status, one.reply, one.suppressed_at,
      ${microseconds('one.suppressed_at')} as at, mailbox.address as mailbox
    from suppressions one
    left join mailboxes mailbox on mailbox.id = one.mailbox_id and mailbox.organization_id = one.organization_id
    where one.organization_id = ${caller.organizationId} and one.suppressed_at is not null
      and ${caller.mayIn('read', 'one.mailbox_id')}
      and ${search === undefined ? sql`true` : sql`position(${search.toLowerCase()} in one.address) > 0`}
      and ${after ? sql`(one.suppressed_at, one.id) < (${timeAt(after.at)}, ${after.id}::uuid)` : sql`true`}
    order by one.suppressed_at desc, one.id desc limit ${most}`.execute(db)
  return rows
}

/** Ends a suppression and resets the count of bounces. False if the address is not suppressed, or the caller does not see
 *  it. @throws Refusal if the caller may not send from the mailbox whose mail bounced */
export async function removeSuppression(tx: Tx, caller: Caller, address: string, by: Actor): Promise<boolean> {
  const { organizationId } = caller
  const { rows } = await sql<{ id: string; cause: string; mailboxId: string | null; mailbox: string | null }>`
    select one.id, one.cause, one.mailbox_id as "mailboxId", mailbox.address as mailbox
    from suppressions one
    left join mailboxes mailbox on mailbox.id = one.mailbox_id and mailbox.organization_id = one.organization_id
    where one.organization_id = ${organizationId} and one.address = ${address} and one.suppressed_at is not null
    for update of one`.execute(tx)
  const [found] = rows
  if (!found || !caller.may('read', found.mailboxId ?? '')) return false
  const { id, cause, mailboxId, mailbox } = found
  if (mailboxId !== null) caller.assertMay('send', { id: mailboxId, address: mailbox ?? '' })
  await tx.deleteFrom('suppressions').where('organization_id', '=', organizationId).where('id', '=', id).execute()
  await record(tx, by, {
    ...{ organizationId, action: 'suppression.deleted', id, name: address },
    ...{ before: { cause }, after: null },
  })
  return true
}

/** How long a single bounce counts, in milliseconds. */
const remembered = 90 * 24 * 60 * 60_000

export async function forgetBounces(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('suppressions')
    .where('suppressed_at', 'is', null)
    .where('bounced_at', '<=', new Date(now.getTime() - remembered))
    .execute()
}
