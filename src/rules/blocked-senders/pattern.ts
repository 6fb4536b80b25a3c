import { invalid, notFound } from '#/base/errors.ts'
import { isUuid } from '#/base/text/text.ts'
import { parsePattern } from '#/formats/mime/address/address-pattern.ts'

/** How many patterns the organization may block, and each of its members. */
export const mostBlocked = 10_000

export interface BlockedSender {
  readonly id: string
  readonly pattern: string
  readonly created_at: Date
}

/** The stored form of a pattern to block. @throws Refusal if it is none */
export function blockPattern(given: string): string {
  const pattern = parsePattern(given)
  if (pattern !== undefined) return pattern
  throw invalid(
    'pattern',
    'pattern must be a whole address or a domain with a leading @',
    'Write ann@example.com to block one sender, @example.com to block all of a domain',
  )
}

/** An id or a pattern; no pattern looks like an id, since it has an `@`. */
export function blockNamed(id: string): { column: 'id' | 'pattern'; value: string } {
  if (isUuid(id)) return { column: 'id', value: id.toLowerCase() }
  const pattern = parsePattern(id)
  if (pattern === undefined) throw notFound('blocked sender')
  return { column: 'pattern', value: pattern }
}
