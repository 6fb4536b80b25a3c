import type { Actor } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { lockOrganization } from '#/base/ownership/lock.ts'
import { isAddress } from '#/formats/mime/address/address.ts'
import type { Identity } from '#/people/identity-provider/identity-provider.ts'
import { type MemberRef, memberName } from '#/people/members/member.ts'
import { admitMember, changeRole, managerOfAll } from '#/people/members/members.ts'
import { ownerCount } from '#/people/members/queries.ts'
import { SignOnFailure } from './failure.ts'
import { bindIdentity, type Candidate, candidates, organizationMeant } from './queries.ts'
import { type RoleGroups, roleByGroups } from './role.ts'

/** The people whom a provider may sign in, and their roles. */
export interface Admission extends RoleGroups {
  readonly issuer: string
  /** The organization, by domain, whose people become members at their first sign-in. */
  readonly domains: ReadonlyMap<string, string>
}

/** The member who has signed in at the provider. A new one is added if their domain allows it, with the role of their
 *  groups. `organization` is the name or id of the requested one. By default it is that of their domain, or the one they
 *  joined first. @throws SignOnFailure */
export async function memberOfIdentity(
  tx: Tx,
  identity: Identity,
  {
    admission,
    organization,
    by,
  }: { readonly admission: Admission; readonly organization?: string; readonly by: Actor },
): Promise<MemberRef> {
  const { address } = identity
  if (address === undefined || !isAddress(address)) throw new SignOnFailure('no_address')
  const own = await organizationOfDomain(tx, address, admission)
  const wanted = organization ?? own
  const find = () => knownMember(tx, identity, { issuer: admission.issuer, address, organization: wanted })
  const known = await find()
  if (known) return await withRoleOf(tx, known, identity, { admission, by })
  if (own === undefined || (organization !== undefined && (await organizationMeant(tx, organization)) !== own))
    throw new SignOnFailure('no_member')
  // Of two concurrent first sign-ins the later one finds the member.
  await lockOrganization(tx, own)
  const meanwhile = await find()
  if (meanwhile) return meanwhile
  const role = roleByGroups('member', identity.groups, admission)
  const wantedMember = { organizationId: own, email: address, name: nameOf(identity), role }
  const { id } = await admitMember(tx, wantedMember, managerOfAll(by))
  await bind(tx, { organizationId: own, memberId: id }, identity, admission)
  return { organizationId: own, memberId: id }
}

/** The member with this subject at the issuer. Before their first sign-in there it is the member with the address.
 *  Afterwards the address alone is not enough, since it may be given to another person (OpenID Connect Core 1.0, section
 *  5.7). @throws SignOnFailure if the address belongs to another person at this issuer */
export async function knownMember(
  tx: Tx,
  identity: Identity,
  { issuer, address, organization }: { issuer: string; address: string; organization: string | undefined },
): Promise<Candidate | undefined> {
  const { subject } = identity
  const found = await candidates(tx, { issuer, subject, address, organization })
  const known = found.find((one) => one.subject === subject) ?? found.find((one) => one.subject === null)
  if (!known && found.length > 0) throw new SignOnFailure('other_account')
  if (known) await bind(tx, known, identity, { issuer })
  return known
}

async function bind(tx: Tx, ref: MemberRef, { subject }: Identity, { issuer }: { issuer: string }): Promise<void> {
  if (!(await bindIdentity(tx, ref, { issuer, subject }))) throw new SignOnFailure('other_account')
}

/** The last owner keeps the role, whatever the groups are: only an owner can give it. */
async function withRoleOf(
  tx: Tx,
  { organizationId, memberId, role: has }: Candidate,
  { groups }: Identity,
  { admission, by }: { readonly admission: Admission; readonly by: Actor },
): Promise<MemberRef> {
  const ref = { organizationId, memberId }
  const role = roleByGroups(has, groups, admission)
  if (role === has) return ref
  await lockOrganization(tx, organizationId)
  if (has === 'owner' && (await ownerCount(tx, organizationId)) === 1) return ref
  await changeRole(tx, ref, role, managerOfAll(by))
  return ref
}

async function organizationOfDomain(tx: Tx, address: string, { domains }: Admission): Promise<string | undefined> {
  const named = domains.get(address.slice(address.lastIndexOf('@') + 1).toLowerCase())
  return named === undefined ? undefined : await organizationMeant(tx, named)
}

/** Empty if the provider's text cannot be a name. */
function nameOf({ name }: Identity): string {
  try {
    return memberName(name)
  } catch (error) {
    if (error instanceof Refusal) return ''
    throw error
  }
}
