import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { Organization } from './organization.ts'

const columns = ['id', 'name', 'plan', 'created_at'] as const

/** By name, without regard to case. */
export function allOrganizations(db: Db): Promise<Organization[]> {
  return db.selectFrom('organizations').select(columns).orderBy(sql`lower(name)`).execute()
}

/** The organization of that name, without regard to case. */
export function organizationByName(db: Db, name: string): Promise<Organization | undefined> {
  return db
    .selectFrom('organizations')
    .select(columns)
    .where(sql<string>`lower(name)`, '=', sql<string>`lower(${name.trim().normalize('NFC')})`)
    .executeTakeFirst()
}

/** Undefined where there is one of that name. */
export function insertOrganization(db: Db, fields: { name: string; plan: string }): Promise<Organization | undefined> {
  return db
    .insertInto('organizations')
    .values(fields)
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()
}

export function updatePlan(db: Db, organizationId: string, plan: string): Promise<Organization> {
  return db
    .updateTable('organizations')
    .set({ plan })
    .where('id', '=', organizationId)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Smallest first. */
export async function planNames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('plans').select('name').orderBy('mailboxes').orderBy('name').execute()
  return rows.map(({ name }) => name)
}
