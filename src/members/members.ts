import type { Actor } from '#/audit/actor.ts'
import { record } from '#/audit/record.ts'
import type { Db } from '#/db/schema.ts'
import { invalid, Refusal } from '#/errors.ts'
import { retireLabelsOf } from '#/labels/queries.ts'
import { giveMailbox } from '#/mailboxes/queries.ts'
import { lockOrganization } from '#/organizations/lock.ts'
import { type Member, memberEmail, memberName, memberRole } from './member.ts'
import { deleteMember, insertMember, memberMeant } from './queries.ts'

/** Adds a member, who gets the mailbox of that address, if there is one. Refuses an address that another member has, in any
 *  case, and an unknown role. */
export async function addMember(
  db: Db,
  { organizationId, email, name, role }: { organizationId: string; email: string; name: string; role: string },
  by: Actor,
): Promise<Member> {
  const fields = { email: memberEmail(email), name: memberName(name), role: memberRole(role) }
  return await db.transaction().execute(async (tx) => {
    const member = await insertMember(tx, organizationId, fields)
    if (!member) throw invalid('email', `There is a member with the address ${fields.email} already`)
    await giveMailbox(tx, organizationId, member.id)
    await record(tx, by, { ...entryOf(organizationId, member), action: 'member.added', before: null })
    return member
  })
}

/** Removes a member with their own labels, filters and blocks. Their mailboxes stay, and belong to no member then. */
export async function removeMember(db: Db, organizationId: string, idOrEmail: string, by: Actor): Promise<Member> {
  const member = await memberNamed(db, organizationId, idOrEmail)
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId)
    await retireLabelsOf(tx, { organizationId, memberId: member.id })
    if (!(await deleteMember(tx, organizationId, member.id))) return
    const { after: before, ...entry } = entryOf(organizationId, member)
    await record(tx, by, { ...entry, action: 'member.removed', before, after: null })
  })
  return member
}

/** The member of that id or address, in any case. */
export async function memberNamed(db: Db, organizationId: string, idOrEmail: string): Promise<Member> {
  const member = await memberMeant(db, organizationId, idOrEmail)
  if (!member) throw new Refusal('not_found', `No member "${idOrEmail}" in this organization`)
  return member
}

function entryOf(organizationId: string, { id, email, name, role }: Member) {
  return { organizationId, id, name: email, after: { email, name, role } }
}
