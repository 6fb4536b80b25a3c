import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { normalized } from '#/base/text/unicode.ts'
import type { Organization } from './organization.ts'

const columns = ['id', 'name', 'plan', 'suspended_at', 'created_at'] as const

/** By name, ignoring case. */
export function allOrganizations(db: Db): Promise<Organization[]> {
  return db
    .selectFrom('organizations')
    .select(columns)
    .orderBy(({ fn }) => fn('lower', ['name']))
    .execute()
}

/** The organization with that name, ignoring case. */
export function organizationByName(db: Db, name: string): Promise<Organization | undefined> {
  return db
    .selectFrom('organizations')
    .select(columns)
    .where(({ eb, fn, val }) => eb(fn('lower', ['name']), '=', fn('lower', [val(normalized(name.trim(), 'NFC'))])))
    .executeTakeFirst()
}

export function organizationById(db: Db, id: string): Promise<Organization | undefined> {
  return db.selectFrom('organizations').select(columns).where('id', '=', id).executeTakeFirst()
}

/** Undefined if the name exists. */
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

/** Undefined if another organization has the name. */
export async function updateName(db: Db, organizationId: string, name: string): Promise<Organization | undefined> {
  const { rows } = await sql<Organization>`
    update organizations set name = ${name}
    where id = ${organizationId}
      and not exists (select from organizations other where lower(other.name) = lower(${name}) and other.id <> ${organizationId})
    returning ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(db)
  return rows[0]
}

/** Its domains are suspended with it. An earlier time is kept. */
export function setOrganizationSuspended(db: Db, organizationId: string, suspended: boolean): Promise<Organization> {
  return db
    .updateTable('organizations')
    .set(({ fn }) => ({ suspended_at: suspended ? fn.coalesce('suspended_at', fn<Date>('now')) : null }))
    .where('id', '=', organizationId)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** The condition that a row's organization is not suspended. */
export function isNotSuspended(organizationId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from organizations where organizations.id = ${organizationId} and organizations.suspended_at is not null
  )`
}

/** Smallest first. */
export async function planNames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('plans').select('name').orderBy('mailboxes').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Deletes an organization with its domains, keys, members, rules and audit trail. */
export async function deleteOrganization(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('organizations').where('id', '=', id).execute()
}
