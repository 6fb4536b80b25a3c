import type { Db } from '#/db/schema.ts'
import { invalid, Refusal } from '#/errors.ts'
import { retireLabelsOf } from '#/labels/queries.ts'
import { giveMailbox } from '#/mailboxes/queries.ts'
import { lockOrganization } from '#/organizations/lock.ts'
import { type Member, memberEmail, memberName, memberRole } from './member.ts'
import { deleteMember, insertMember, memberMeant } from './queries.ts'

/** Adds a person to an organization; the mailbox of their address is theirs, if there is one. Refused are an address that another member has, in whatever case, and a role that
 *  does not exist. */
export async function addMember(
  db: Db,
  { organizationId, email, name, role }: { organizationId: string; email: string; name: string; role: string },
): Promise<Member> {
  const fields = { email: memberEmail(email), name: memberName(name), role: memberRole(role) }
  return await db.transaction().execute(async (tx) => {
    const made = await insertMember(tx, organizationId, fields)
    if (!made) throw invalid('email', `There is a member with the address ${fields.email} already`)
    await giveMailbox(tx, organizationId, made.id)
    return made
  })
}

/** Removes a person with their own labels, filters and blocks. Their mailboxes stay, and are nobody's own then. */
export async function removeMember(db: Db, organizationId: string, idOrEmail: string): Promise<Member> {
  const member = await memberNamed(db, organizationId, idOrEmail)
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId)
    await retireLabelsOf(tx, { organizationId, memberId: member.id })
    await deleteMember(tx, organizationId, member.id)
  })
  return member
}

/** The member of that id or address, without regard to case. */
export async function memberNamed(db: Db, organizationId: string, idOrEmail: string): Promise<Member> {
  const member = await memberMeant(db, organizationId, idOrEmail)
  if (!member) throw new Refusal('not_found', `No member "${idOrEmail}" in this organization`)
  return member
}
