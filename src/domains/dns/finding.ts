import type { Resolver } from '#/ports/resolver.ts'
import type { WantedRecord } from './records.ts'

/** What the DNS says of a wanted record. */
export interface Finding {
  /** null: the look-up failed, nothing is known by it */
  readonly satisfied: boolean | null
  /** What stands there, in part where that is much: at most ten entries of at most 256 printable characters. */
  readonly found: readonly string[]
  readonly problem: null | 'missing' | 'mismatch' | 'conflict' | 'lookup_failed'
  /** What to do, in sentences; also where the record is satisfied and could be better. */
  readonly fix: string | null
}

/** What is looked up, and of whom. */
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

/** The zone's owner decides how many records there are and what they say. */
function finding({ found, ...rest }: Finding): Finding {
  return { ...rest, found: found.slice(0, mostFound).map((text) => printable(text, longestFound)) }
}

/** Text from the DNS, fit to be stored and shown: cut where it is long, and what can't be printed written in octets, as
 *  in a master file (RFC 1035 5.1). */
export function printable(text: string, longest = 100): string {
  const shown = text
    .slice(0, longest)
    .replace(/[\p{C}\u2028\u2029]/gu, (unseen) =>
      [...Buffer.from(unseen)].map((octet) => `\\${String(octet).padStart(3, '0')}`).join(''),
    )
  if (shown.length <= longest && text.length <= longest) return shown
  // A cut may leave half of a pair of surrogates, which PostgreSQL does not store.
  return `${shown.slice(0, longest).replace(/\p{Cs}$/u, '')}…`
}
