import { sql } from 'kysely'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { PageStart } from '#/http/schemas/cursor.ts'
import type { Member, MemberRef, Role } from './member.ts'

const columns = ['id', 'email', 'name', 'role', 'joined_at'] as const

/** In the order in which they joined. */
export async function membersOf(
  db: Db,
  organizationId: string,
  { limit, offset, after }: PageStart,
): Promise<(Member & { at: number })[]> {
  const behind = after ? sql`and (joined_at, id) > (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<Member & { at: number }>`
    select id, email, name, role, joined_at, ${microseconds('joined_at')} as at from members
    where organization_id = ${organizationId} ${behind}
    order by joined_at, id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** Those of these ids that exist, by name. */
export async function membersWith(db: Db, organizationId: string, ids: readonly string[]): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select id, email, name, role, joined_at from members
    where organization_id = ${organizationId} and id = any (${ids}::uuid[]) order by name, email`.execute(db)
  return rows
}

export async function memberCount(db: Db, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return count
}

/** The member with that id or address. */
export async function memberMeant(db: Db, organizationId: string, idOrEmail: string): Promise<Member | undefined> {
  const { rows } = await sql<Member>`
    select id, email, name, role, joined_at from members
    where organization_id = ${organizationId} and (id::text = ${idOrEmail.toLowerCase()} or lower(email) = lower(${idOrEmail}))`.execute(
    db,
  )
  return rows[0]
}

export function memberById(db: Db, organizationId: string, id: string): Promise<Member | undefined> {
  return db
    .selectFrom('members')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function ownerCount(tx: Tx, organizationId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return count
}

export async function updateRole(tx: Tx, { organizationId, memberId }: MemberRef, role: Role): Promise<void> {
  await tx
    .updateTable('members')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('id', '=', memberId)
    .execute()
}

/** Undefined if the organization has a member with that address. */
export function insertMember(
  db: Db,
  organizationId: string,
  member: { email: string; name: string; role: Role },
): Promise<Member | undefined> {
  return db
    .insertInto('members')
    .values({ organization_id: organizationId, ...member })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()
}

/** Deletes the member with their sessions and their own labels, filters and blocks. */
export async function deleteMember(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.deleteFrom('members').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}
