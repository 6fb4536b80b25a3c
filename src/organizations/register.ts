import type { Db } from '#/db/schema.ts'
import { invalid, Refusal } from '#/errors.ts'
import { type Organization, organizationName } from './organization.ts'
import {
  allOrganizations,
  insertOrganization,
  organizationByName,
  planNames,
  updateName,
  updatePlan,
} from './queries.ts'

/** Makes an organization. Refused are a name that is taken, in whatever case, and a plan that does not exist. */
export async function createOrganization(
  db: Db,
  { name, plan }: { name: string; plan: string },
): Promise<Organization> {
  const fields = { name: organizationName(name), plan: await existingPlan(db, plan) }
  const made = await insertOrganization(db, fields)
  if (!made) throw invalid('name', `There is an organization named "${fields.name}" already`)
  return made
}

/** A smaller plan takes nothing away: what is over its limits stays, and the remaining amounts read 0. */
export async function changePlan(db: Db, name: string, plan: string): Promise<Organization> {
  const { id } = await organizationNamed(db, name)
  return await updatePlan(db, id, await existingPlan(db, plan))
}

/** Nothing else changes: keys, mailboxes and mail stay. */
export async function renameOrganization(db: Db, name: string, to: string): Promise<Organization> {
  const { id } = await organizationNamed(db, name)
  const wanted = organizationName(to)
  const renamed = await updateName(db, id, wanted)
  if (!renamed) throw invalid('to', `There is an organization named "${wanted}" already`)
  return renamed
}

/** The organization of that name, without regard to case; where there is none, the refusal names those there are. */
export async function organizationNamed(db: Db, name: string): Promise<Organization> {
  const found = await organizationByName(db, name)
  if (found) return found
  const names = (await allOrganizations(db)).map((organization) => organization.name)
  throw new Refusal('not_found', `No organization named "${name}"; ${names.length > 0 ? thereAre(names) : 'none yet'}`)
}

/** The id of the organization that an option names; undefined without the option. */
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
