import { invalid, notFound } from '#/errors.ts'
import { canonicalAddress, canonicalDomain, splitAddress } from '#/mime/address.ts'
import { isUuid } from '#/text.ts'

/** How many patterns the organization may block, and each of its members. */
export const mostBlocked = 10_000

export interface BlockedSender {
  readonly id: string
  readonly pattern: string
  readonly created_at: Date
}

/**
 * The stored form of a pattern, `local@domain` or `@domain`: lower case, the domain in its ASCII form (IDNA), so that
 * equal texts are equal patterns. Undefined where it is neither. Wider than what we would send to, since this is about
 * who sends to us: `a..b@docomo.ne.jp` exists.
 */
export function parsePattern(given: string): string | undefined {
  const text = given.trim()
  if (text.startsWith('@')) {
    const domain = hostOf(text.slice(1))
    return domain && `@${domain}`
  }
  const address = canonicalAddress(text)
  const { local = '', domain = '' } = splitAddress(address ?? '') ?? {}
  if (!plainLocal.test(local) || !hostOf(domain)) return undefined
  return address && Buffer.byteLength(address) <= 254 ? address : undefined
}

/** The stored form of a pattern that a caller wants to block. */
export function blockPattern(given: string): string {
  const pattern = parsePattern(given)
  if (pattern !== undefined) return pattern
  throw invalid(
    'pattern',
    'pattern must be a whole address or a domain with a leading @',
    'Write ann@example.com to block one sender, @example.com to block all of a domain',
  )
}

/** The patterns that would block one of these senders: each address itself and its exact domain. What is no address is
 *  blocked by none. */
export function patternsAgainst(addresses: Iterable<string>): string[] {
  const patterns = new Set<string>()
  for (const text of addresses) {
    const address = canonicalAddress(text)
    if (address === undefined) continue
    patterns.add(address).add(address.slice(address.lastIndexOf('@')))
  }
  return [...patterns]
}

/** No white space, controls, invisible or lone surrogate, quotes or brackets; no `*`, which someone would mean as a
 *  wildcard. */
const plainLocal = /^[^\s\p{C}()<>[\],;:\\"@*]+$/u

function hostOf(text: string): string | undefined {
  const domain = canonicalDomain(text)
  return domain?.includes('.') ? domain : undefined
}

/** An id or a pattern; no pattern looks like an id, since it has an `@`. */
export function blockNamed(id: string): { column: 'id' | 'pattern'; value: string } {
  if (isUuid(id)) return { column: 'id', value: id.toLowerCase() }
  const pattern = parsePattern(id)
  if (pattern === undefined) throw notFound('blocked sender')
  return { column: 'pattern', value: pattern }
}
