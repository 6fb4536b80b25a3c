import { invalid } from '#/base/errors.ts'
import { properName } from '#/base/text/text.ts'
import { isAddress } from '#/formats/mime/address/address.ts'

export const roles = ['owner', 'admin', 'member'] as const

export type Role = (typeof roles)[number]

export interface Member {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly joined_at: Date
}

/** A member, by the ids that every query carries. */
export interface MemberRef {
  readonly organizationId: string
  readonly memberId: string
}

/** A member's address, as written. Two members of an organization must differ in more than case. */
export function memberEmail(given: string): string {
  if (!isAddress(given)) throw invalid('email', `"${given}" is not an e-mail address`)
  return given
}

/** Trimmed, NFC, up to 128 code points; it may be empty. */
export function memberName(given: string): string {
  return given.trim() === '' ? '' : properName('name', given, 128)
}

export function memberRole(given: string): Role {
  const role = roles.find((one) => one === given)
  if (role) return role
  throw invalid('role', `role must be one of ${roles.join(', ')}`)
}
