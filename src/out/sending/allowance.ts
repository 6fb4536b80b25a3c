import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { countedUse, insertQuotaEvents } from '#/base/event-log/quota-reached.ts'
import { Failed, togetherOrEach } from '#/base/event-loop/batching.ts'

/**
 * Claims part of the organization's allowance for the UTC day of the database's clock. One statement on one row decides,
 * so concurrent workers cannot exceed the plan.
 * @throws Refusal `quota_exceeded` if fewer recipients are left; then nothing is claimed
 */
export async function claimAllowance(tx: Tx, organizationId: string, recipients: number): Promise<void> {
  const { rows } = await sql<{ limit: number; claimed: boolean }>`
    with plan as (
      select plans.sends_per_day from organizations join plans on plans.name = organizations.plan
      where organizations.id = ${organizationId}
    ), claimed as (
      insert into sends (organization_id, day, recipients)
        select ${organizationId}, (now() at time zone 'UTC')::date, ${recipients}::integer from plan
        where ${recipients}::integer <= sends_per_day
      on conflict (organization_id, day) do update set recipients = sends.recipients + excluded.recipients
        where sends.recipients + excluded.recipients <= (select sends_per_day from plan)
      returning recipients
    ), ${countedUse.rows} as (
      select ${organizationId}::uuid as organization_id, 'sending' as quota, recipients - ${recipients}::integer as before,
        recipients as used, sends_per_day as allowed
      from claimed, plan
    ), ${insertQuotaEvents}
    select plan.sends_per_day as "limit", exists (select from claimed) as claimed from plan`.execute(tx)
  const [row] = rows
  if (row?.claimed) return
  throw new Refusal(
    'quota_exceeded',
    `Daily sending allowance reached: the plan allows ${row?.limit ?? 0} recipients a day`,
  )
}

/** Claims for each of several messages in their order: a refusal for each that is over what is left, undefined for the others. With one
 *  statement, unless they are over it together. */
export async function claimEach(
  tx: Tx,
  organizationId: string,
  recipients: readonly number[],
): Promise<(Refusal | undefined)[]> {
  const claims = await togetherOrEach(
    recipients,
    async (some) => {
      const count = some.reduce((sum, one) => sum + one, 0)
      if (count > 0) await claimAllowance(tx, organizationId, count)
      return some.map(() => undefined)
    },
    isRefusal,
  )
  return claims.map((one) => {
    if (!(one instanceof Failed)) return one
    if (isRefusal(one.error)) return one.error
    throw one.error
  })
}

function isRefusal(error: unknown): error is Refusal {
  return error instanceof Refusal
}
