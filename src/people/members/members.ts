import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { lockOrganization } from '#/base/ownership/lock.ts'
import { retireLabelsOf } from '#/mail/labels/queries.ts'
import { giveMailbox } from '#/mail/mailboxes/queries.ts'
import type { MemberRef } from './member.ts'
import { type Member, memberEmail, memberName, memberRole } from './member.ts'
import { deleteMember, insertMember, memberById, memberMeant, ownerCount, updateRole } from './queries.ts'

export interface NewMember {
  readonly organizationId: string
  readonly email: string
  readonly name: string
  readonly role: string
}

/** Who changes members. */
export interface Manager {
  readonly by: Actor
  /** Whether they may change owners and make members owners. */
  readonly managesOwners: boolean
}

/** A manager who may change every member. */
export const managerOfAll = (by: Actor): Manager => ({ by, managesOwners: true })

/** `admitMember` in a transaction of its own, with all rights. */
export async function addMember(db: Db, wanted: NewMember, by: Actor): Promise<Member> {
  return await db.transaction().execute((tx) => admitMember(tx, wanted, managerOfAll(by)))
}

/** Adds a member, who gets the mailbox with that address, if there is one. Refuses an unknown role, and an address that
 *  another member has in any case. */
export async function admitMember(tx: Tx, wanted: NewMember, manager: Manager): Promise<Member> {
  const { organizationId, email, name, role } = wanted
  const fields = { email: memberEmail(email), name: memberName(name), role: memberRole(role) }
  assertManages(manager, fields)
  const member = await insertMember(tx, organizationId, fields)
  if (!member) throw invalid('email', `There is a member with the address ${fields.email} already`)
  await giveMailbox(tx, organizationId, member.id)
  await record(tx, manager.by, { ...entryOf(organizationId, member), action: 'member.added', before: null })
  return member
}

/** Changes a member's role, in all processes within five seconds. The last owner stays one. */
export async function changeRole(tx: Tx, ref: MemberRef, given: string, manager: Manager): Promise<Member> {
  const role = memberRole(given)
  const member = await managedMember(tx, ref, manager)
  assertManages(manager, { role })
  if (role !== 'owner') await assertNotLastOwner(tx, ref.organizationId, member, 'role')
  await updateRole(tx, ref, role)
  const entry = { ...entryOf(ref.organizationId, member), before: { role: member.role }, after: { role } }
  await record(tx, manager.by, { ...entry, action: 'member.role_changed' })
  return { ...member, role }
}

/** Removes a member with their own labels, filters and blocks. Their mailboxes stay without a member. The last owner cannot
 *  be removed. */
export async function dismissMember(tx: Tx, ref: MemberRef, manager: Manager): Promise<Member> {
  const { organizationId, memberId } = ref
  const member = await managedMember(tx, ref, manager)
  await assertNotLastOwner(tx, organizationId, member, 'id')
  await retireLabelsOf(tx, { organizationId, memberId })
  await deleteMember(tx, organizationId, memberId)
  const { after: before, ...entry } = entryOf(organizationId, member)
  await record(tx, manager.by, { ...entry, action: 'member.removed', before, after: null })
  return member
}

/** `dismissMember` in a transaction of its own, with all rights. */
export async function removeMember(db: Db, organizationId: string, idOrEmail: string, by: Actor): Promise<Member> {
  const { id: memberId } = await memberNamed(db, organizationId, idOrEmail)
  return await db.transaction().execute((tx) => dismissMember(tx, { organizationId, memberId }, managerOfAll(by)))
}

/** The member with that id or address, in any case. */
export async function memberNamed(db: Db, organizationId: string, idOrEmail: string): Promise<Member> {
  const member = await memberMeant(db, organizationId, idOrEmail)
  if (!member) throw new Refusal('not_found', `No member "${idOrEmail}" in this organization`)
  return member
}

/** A member whom this manager may change. Changes are serialized: of two owners who demote each other concurrently, one
 *  stays an owner. @throws Refusal */
export async function managedMember(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  manager: Manager,
): Promise<Member> {
  await lockOrganization(tx, organizationId)
  const member = await memberById(tx, organizationId, memberId)
  if (!member) throw notFound('member')
  assertManages(manager, member)
  return member
}

function assertManages({ managesOwners }: Manager, { role }: Pick<Member, 'role'>): void {
  if (managesOwners || role !== 'owner') return
  throw new Refusal('forbidden', 'Changing an owner needs the permission manage_owners', {
    fix: 'Ask an owner of the organization',
  })
}

async function assertNotLastOwner(tx: Tx, organizationId: string, { role }: Member, field: string): Promise<void> {
  if (role !== 'owner' || (await ownerCount(tx, organizationId)) > 1) return
  throw invalid(
    field,
    'The last owner of an organization can neither be removed nor get another role',
    'Make another member an owner first',
  )
}

function entryOf(organizationId: string, { id, email, name, role }: Member) {
  return { organizationId, id, name: email, after: { email, name, role } }
}
