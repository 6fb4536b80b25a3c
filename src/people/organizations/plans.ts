import { sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'

/** The limits of a plan. */
export interface Plan {
  readonly name: string
  readonly domains: number
  readonly mailboxes: number
  readonly storage_bytes: number
  readonly sends_per_day: number
  readonly scheduled_messages: number
  readonly scheduled_bytes: number
}

export type PlanLimits = Omit<Plan, 'name'>

const limits = [
  'domains',
  'mailboxes',
  'storage_bytes',
  'sends_per_day',
  'scheduled_messages',
  'scheduled_bytes',
] as const satisfies readonly (keyof PlanLimits)[]

/** Smallest first, each with its number of organizations. */
export async function allPlans(db: Db): Promise<(Plan & { organizations: number })[]> {
  const { rows } = await sql<Plan & { organizations: number }>`
    select ${sql.join(['name', ...limits].map((column) => sql.ref(`plans.${column}`)))},
      (select count(*)::integer from organizations where plan = plans.name) as organizations
    from plans order by mailboxes, name`.execute(db)
  return rows
}

/** A plan's name is used in URLs, tables and shells. */
export function planName(given: string): string {
  if (/^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/.test(given)) return given
  throw invalid('name', 'The name of a plan has 1 to 32 lower-case letters, digits, hyphens and underscores')
}

/** Changes the given limits, or creates the plan, which requires all of them. Organizations above a limit keep what they
 *  have. */
export async function setPlan(db: Db, name: string, given: Partial<PlanLimits>, by: Actor): Promise<Plan> {
  return await db.transaction().execute(async (tx) => {
    const named = [...limits].filter((limit) => given[limit] !== undefined)
    const there = await tx
      .selectFrom('plans')
      .select(['name', ...limits])
      .where('name', '=', name)
      .forUpdate()
      .executeTakeFirst()
    if (!there) {
      const missing = limits.filter((limit) => given[limit] === undefined)
      if (missing.length > 0) throw invalid('name', `There is no plan "${name}" yet`, 'A new one takes every limit')
      const made = await tx
        .insertInto('plans')
        .values({ name, ...(given as PlanLimits) })
        .returning(['name', ...limits])
        .executeTakeFirstOrThrow()
      await record(tx, by, { organizationId: null, action: 'plan.created', name, before: null, after: made })
      return made
    }
    if (named.length === 0) throw invalid('name', 'There is nothing to change', 'Give the limits that are to change')
    const after = await tx
      .updateTable('plans')
      .set(given)
      .where('name', '=', name)
      .returning(['name', ...limits])
      .executeTakeFirstOrThrow()
    await record(tx, by, { organizationId: null, action: 'plan.changed', name, before: there, after })
    return after
  })
}

const units: Readonly<Record<string, number>> = { '': 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 }

/** `5GiB`, `250 MiB`, or octets. */
export function storageIn(option: string, given: string): number {
  const [, number = '', unit = ''] = /^(\d{1,15}) ?((?:[KMGT]iB)?)$/i.exec(given) ?? []
  const octets = Number(number || Number.NaN) * (units[unit.toLowerCase()] ?? Number.NaN)
  if (Number.isSafeInteger(octets)) return octets
  throw invalid(option, `--${option} takes octets, or a number with KiB, MiB, GiB or TiB, not "${given}"`)
}

export function countIn(option: string, given: string): number {
  const count = Number(given)
  if (/^\d{1,10}$/.test(given) && count < 2 ** 31) return count
  throw invalid(option, `--${option} takes a whole number of 0 or more, not "${given}"`)
}
