import type { Resolver } from '#/base/network/resolver.ts'
import type { WantedRecord } from './records.ts'

/** The result of looking up a wanted record. */
export interface Finding {
  /** Null if the lookup failed. */
  readonly satisfied: boolean | null
  /** The records found, truncated: at most ten entries of at most 256 printable characters. */
  readonly found: readonly string[]
  readonly problem: null | 'missing' | 'mismatch' | 'conflict' | 'lookup_failed'
  /** Advice in sentences, also if the record is satisfied but could be better. */
  readonly fix: string | null
}

/** What is looked up, and where. */
export interface Inspection {
  readonly resolver: Resolver
  readonly wanted: WantedRecord
  /** The enrolled domain. */
  readonly domain: string
}

export function satisfied(found: readonly string[], advice: string | null = null): Finding {
  return finding({ satisfied: true, found, problem: null, fix: advice })
}

export function unsatisfied(
  problem: 'missing' | 'mismatch' | 'conflict',
  found: readonly string[],
  fix: string,
): Finding {
  return finding({ satisfied: false, found, problem, fix })
}

const mostFound = 10
const longestFound = 255

/** The zone's owner decides on the number and contents of records. */
function finding({ found, ...rest }: Finding): Finding {
  return { ...rest, found: found.slice(0, mostFound).map((text) => printable(text, longestFound)) }
}

/** Characters that nobody sees. */
export const unseen = /[\p{C}\u2028\u2029]/gu

/** Text from the DNS, to be stored and shown: truncated, with unprintable octets escaped as in a master file (RFC 1035,
 *  section 5.1). */
export function printable(text: string, longest = 100): string {
  const shown = text
    .slice(0, longest)
    .replace(unseen, (one) => [...Buffer.from(one)].map((octet) => `\\${String(octet).padStart(3, '0')}`).join(''))
  if (shown.length <= longest && text.length <= longest) return shown
  // Truncation may leave half a surrogate pair, which PostgreSQL does not store.
  return `${shown.slice(0, longest).replace(/\p{Cs}$/u, '')}…`
}
