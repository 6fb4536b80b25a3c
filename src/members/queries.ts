import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import type { Member, Role } from './member.ts'

const columns = ['id', 'email', 'name', 'role', 'joined_at'] as const

/** In the order in which they joined. */
export function membersOf(
  db: Db,
  organizationId: string,
  { limit, page }: { limit: number; page: number },
): Promise<Member[]> {
  return db
    .selectFrom('members')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .orderBy('joined_at')
    .orderBy('id')
    .limit(limit)
    .offset(page * limit)
    .execute()
}

export async function memberCount(db: Db, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return count
}

/** The member of that id or address. */
export function memberMeant(db: Db, organizationId: string, idOrEmail: string): Promise<Member | undefined> {
  return db
    .selectFrom('members')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where(({ or, eb }) =>
      or([eb(sql`id::text`, '=', idOrEmail.toLowerCase()), eb(sql`lower(email)`, '=', sql`lower(${idOrEmail})`)]),
    )
    .executeTakeFirst()
}

/** Undefined where the organization has a member of that address. */
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

/** Gives the member the mailbox whose address is theirs, as a mailbox that is made later goes to its member. */
export async function giveMailbox(tx: Tx, organizationId: string, memberId: string): Promise<void> {
  await sql`
    update mailboxes set member_id = member.id from members as member
    where member.organization_id = ${organizationId} and member.id = ${memberId}
      and mailboxes.organization_id = member.organization_id and mailboxes.address = lower(member.email)`.execute(tx)
}

/**
 * Deletes the member with their own labels, filters and blocks, and keeps the keywords of those labels in use, since
 * they stay on the messages. Answers whether there was one.
 */
export async function deleteMember(db: Db, organizationId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    with kept as (
      insert into retired_keywords (organization_id, member_id, name_key, keyword)
      select organization_id, member_id, name_key, keyword from labels
      where organization_id = ${organizationId} and member_id = ${id}
    )
    delete from members where organization_id = ${organizationId} and id = ${id}
    returning id`.execute(db)
  return rows.length > 0
}
