import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import type { MemberRef } from '#/people/members/member.ts'
import { deleteSession } from './queries.ts'

/** Ends a session of the member. False if they have no such session. */
export async function endSession(tx: Tx, member: MemberRef, id: string, by: Actor): Promise<boolean> {
  const before = await deleteSession(tx, member, id)
  if (!before) return false
  const { organizationId, memberId } = member
  const entry = {
    organizationId,
    action: 'member.signed_out',
    id: memberId,
    name: by.name,
    before,
    after: null,
  } as const
  await record(tx, by, entry)
  return true
}
