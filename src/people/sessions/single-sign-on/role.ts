import type { Role } from '#/people/members/member.ts'

/** The groups that give roles. */
export interface RoleGroups {
  readonly ownerGroup: string | undefined
  readonly adminGroup: string | undefined
}

/** The new role of a member in these groups. Members outside its group lose a role that a group gives. A role that no group
 *  gives is set by hand, and no group lowers it. */
export function roleByGroups(has: Role, groups: readonly string[], { ownerGroup, adminGroup }: RoleGroups): Role {
  const given = (group: string | undefined) => group !== undefined && groups.includes(group)
  if (given(ownerGroup)) return 'owner'
  if (has === 'owner' && ownerGroup === undefined) return has
  if (given(adminGroup)) return 'admin'
  if (has === 'admin' && adminGroup === undefined) return has
  return 'member'
}
