import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { MemberRef } from '#/people/members/member.ts'

/** A member who has a password. */
export interface PasswordHolder extends MemberRef {
  readonly hash: string
}

/** The member with this address, in lower case, and a password. Of several organizations it is the one given by name or id,
 *  else the one they joined first. */
export async function passwordHolder(
  db: Db,
  email: string,
  organization: string | undefined,
): Promise<PasswordHolder | undefined> {
  const named = organization ?? null
  const { rows } = await sql<PasswordHolder>`
    select member.organization_id as "organizationId", member.id as "memberId", password.hash
    from members member
    join member_passwords password
      on password.organization_id = member.organization_id and password.member_id = member.id
    join organizations organization on organization.id = member.organization_id
    where lower(member.email) = ${email}
      and (${named}::text is null or lower(organization.name) = lower(${named}) or organization.id::text = lower(${named}))
    order by member.joined_at, member.id limit 1`.execute(db)
  return rows[0]
}

/** What verifies a member's password: their address, and the hash if they have a password. */
export function passwordOf(db: Db, { organizationId, memberId }: MemberRef) {
  return db
    .selectFrom('members')
    .leftJoin('member_passwords as password', (join) =>
      join
        .onRef('password.organization_id', '=', 'members.organization_id')
        .onRef('password.member_id', '=', 'members.id'),
    )
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .select(['members.email', 'members.name', 'organizations.name as organization', 'password.hash'])
    .where('members.organization_id', '=', organizationId)
    .where('members.id', '=', memberId)
    .executeTakeFirst()
}

/** Whether the verified password is still valid. It stays so until the end of the transaction. */
export async function isStillPassword(tx: Tx, { organizationId, memberId, hash }: PasswordHolder): Promise<boolean> {
  const row = await tx
    .selectFrom('member_passwords')
    .select('set_at')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('hash', '=', hash)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

export async function replacePassword(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  password: { hash: string; set_at: Date },
): Promise<void> {
  await tx
    .insertInto('member_passwords')
    .values({ organization_id: organizationId, member_id: memberId, ...password })
    .onConflict((conflict) => conflict.columns(['organization_id', 'member_id']).doUpdateSet(password))
    .execute()
}
