import type { Role } from '#/members/member.ts'

/** The groups that give roles. */
export interface RoleGroups {
  readonly ownerGroup: string | undefined
  readonly adminGroup: string | undefined
}

/**
 * The role of a member who has one and is in these groups. A role that a group gives is taken from who is not in the group; a role
 * that no group gives is given by hand, and no group lowers it.
 */
export function roleByGroups(has: Role, groups: readonly string[], { ownerGroup, adminGroup }: RoleGroups): Role {
  const given = (group: string | undefined) => group !== undefined && groups.includes(group)
  if (given(ownerGroup)) return 'owner'
  if (has === 'owner' && ownerGroup === undefined) return has
  if (given(adminGroup)) return 'admin'
  if (has === 'admin' && adminGroup === undefined) return has
  return 'member'
}
