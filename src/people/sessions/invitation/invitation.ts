import { record } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import { Id, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import type { Member, MemberRef } from '#/people/members/member.ts'
import { type Manager, managedMember } from '#/people/members/members.ts'
import { memberFields } from '#/people/members/schemas.ts'
import { forgetIdentity } from '../single-sign-on/queries.ts'
import { type LinkFor, makeLink, type SignInLink } from './link.ts'

/** Makes a link that signs the member in, and replaces the earlier one. Its maker vouches for the member: at a
 *  provider of single sign-on the member may be another person from then on. */
export async function inviteMember(
  tx: Tx,
  ref: MemberRef,
  manager: Manager,
  how: LinkFor,
): Promise<{ readonly invited: Member; readonly made: SignInLink }> {
  const { organizationId, memberId: id } = ref
  const invited = await managedMember(tx, ref, manager)
  await forgetIdentity(tx, ref)
  const made = await makeLink(tx, ref, how)
  const after = { link_expires_at: made.expiresAt }
  await record(tx, manager.by, {
    organizationId,
    action: 'member.invited',
    id,
    name: invited.email,
    before: null,
    after,
  })
  return { invited, made }
}

const fields = {
  link: Type.Optional(
    Type.String({
      description: 'Signs the member in, once. It is shown in this answer alone.',
      examples: ['https://mail.example.com/sign-in#a4oWyrVRPrrJGFfg5yL8uO1SvGGJJKcUnQhZLpdUB2c'],
    }),
  ),
  link_expires_at: Timestamp,
  mailed: Type.Boolean({ description: 'Whether the link is on its way to the member by mail. If not, pass it on.' }),
}

export const InvitedMember = Type.Object({ ...memberFields, ...fields }, { title: 'InvitedMember' })

export const Invitation = Type.Object({ id: Id, ...fields }, { title: 'Invitation' })

export function presentLink({ link, expiresAt }: SignInLink, mailed: boolean) {
  return { link, link_expires_at: expiresAt.toISOString(), mailed }
}
