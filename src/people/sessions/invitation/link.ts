import type { Db } from '#/base/db/schema.ts'
import type { MemberRef } from '#/people/members/member.ts'
import { replaceLink } from '../queries.ts'
import { hashToken, isToken, newToken } from '../token.ts'

const livesMs = 72 * 3_600_000

/** A link that signs a member in once. */
export interface SignInLink {
  readonly link: string
  readonly expiresAt: Date
}

/** Dependencies of creating a link. */
export interface LinkFor {
  /** The origin under which the member reaches the service. */
  readonly base: string
  readonly now: number
}

/** The origin of a service for a browser on its machine, from its URL. By name, since browsers have no passkeys under an IP
 *  address. */
export function originHere(http: string): string {
  const url = new URL(http)
  if (['127.0.0.1', '0.0.0.0', '[::1]', '[::]'].includes(url.hostname)) url.hostname = 'localhost'
  return url.origin
}

/** Makes a link for a member, and replaces the earlier one. */
export async function makeLink(db: Db, member: MemberRef, { base, now }: LinkFor): Promise<SignInLink> {
  const token = newToken()
  const expiresAt = new Date(now + livesMs)
  await replaceLink(db, member, { hash: hashToken(token), expires_at: expiresAt })
  // Browsers send no fragment to a server, so that no log has the token.
  return { link: `${base}/sign-in#${token}`, expiresAt }
}

/** The token in a link, which is given whole or as the part behind `#`. Undefined if it cannot be one. */
export function linkToken(given: string): string | undefined {
  const token = given.slice(given.indexOf('#') + 1).trim()
  return isToken(token) ? token : undefined
}
