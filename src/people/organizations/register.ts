import type { Action } from '#/base/audit/actions.ts'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { lockOrganization } from '#/base/ownership/lock.ts'
import { type Organization, organizationName } from './organization.ts'
import {
  allOrganizations,
  insertOrganization,
  organizationById,
  organizationByName,
  planNames,
  setOrganizationSuspended,
  updateName,
  updatePlan,
} from './queries.ts'

/** Creates an organization. Refuses an existing name, in any case, and an unknown plan. */
export async function createOrganization(
  db: Db,
  { name, plan }: { name: string; plan: string },
  by: Actor,
): Promise<Organization> {
  const fields = { name: organizationName(name), plan: await existingPlan(db, plan) }
  return await db.transaction().execute(async (tx) => {
    const made = await insertOrganization(tx, fields)
    if (!made) throw invalid('name', `There is an organization named "${fields.name}" already`)
    await note(tx, 'organization.created', undefined, made, by)
    return made
  })
}

/** With a smaller plan everything stays, and remaining amounts above its limits read 0. */
export async function changePlan(db: Db, name: string, plan: string, by: Actor): Promise<Organization> {
  const { id } = await organizationNamed(db, name)
  const wanted = await existingPlan(db, plan)
  return await changed(db, id, 'organization.plan_changed', by, (tx) => updatePlan(tx, id, wanted))
}

/** Changes nothing else: keys, mailboxes and mail stay. */
export async function renameOrganization(db: Db, name: string, to: string, by: Actor): Promise<Organization> {
  const { id } = await organizationNamed(db, name)
  const wanted = organizationName(to)
  return await changed(db, id, 'organization.renamed', by, async (tx) => {
    const renamed = await updateName(tx, id, wanted)
    if (!renamed) throw invalid('to', `There is an organization named "${wanted}" already`)
    return renamed
  })
}

/** Suspends an organization with its domains, or ends that. */
export function suspendOrganization(db: Db, id: string, suspended: boolean, by: Actor): Promise<Organization> {
  const action = suspended ? 'organization.suspended' : 'organization.resumed'
  return changed(db, id, action, by, (tx) => setOrganizationSuspended(tx, id, suspended))
}

async function changed(
  db: Db,
  id: string,
  action: Action,
  by: Actor,
  change: (tx: Tx) => Promise<Organization>,
): Promise<Organization> {
  return await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, id)
    const before = await organizationById(tx, id)
    const after = await change(tx)
    await note(tx, action, before, after, by)
    return after
  })
}

async function note(
  tx: Tx,
  action: Action,
  before: Organization | undefined,
  after: Organization,
  by: Actor,
): Promise<void> {
  const settings = ({ name, plan, suspended_at }: Organization) => ({ name, plan, suspended: suspended_at !== null })
  await record(tx, by, {
    ...{ organizationId: after.id, action, id: after.id, name: after.name },
    ...{ before: before ? settings(before) : null, after: settings(after) },
  })
}

/** The organization with that name, ignoring case. The refusal for an unknown name lists the existing ones. */
export async function organizationNamed(db: Db, name: string): Promise<Organization> {
  const found = await organizationByName(db, name)
  if (found) return found
  const names = (await allOrganizations(db)).map((organization) => organization.name)
  throw new Refusal('not_found', `No organization named "${name}"; ${names.length > 0 ? thereAre(names) : 'none yet'}`)
}

/** The id of the organization in an option; undefined without the option. */
export async function organizationOption(db: Db, name: string | undefined): Promise<string | undefined> {
  return name === undefined ? undefined : (await organizationNamed(db, name)).id
}

const mostNamed = 20

function thereAre(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return `there are: ${names.slice(0, mostNamed).join(', ')}${more}`
}

async function existingPlan(db: Db, plan: string): Promise<string> {
  const plans = await planNames(db)
  if (plans.includes(plan)) return plan
  throw invalid('plan', `No plan named "${plan}"; there are: ${plans.join(', ')}`)
}
