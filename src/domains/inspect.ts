import { LookupFailed } from '#/errors.ts'
import type { Resolver } from '#/ports/resolver.ts'
import type { WantedRecord } from './records.ts'

/** What the DNS says of a wanted record. */
export interface Finding {
  /** null: the look-up failed, nothing is known by it */
  readonly satisfied: boolean | null
  /** What stands there, in part where that is much. */
  readonly found: readonly string[]
  readonly problem: null | 'missing' | 'mismatch' | 'conflict' | 'lookup_failed'
  /** What to do, as a sentence. */
  readonly fix: string | null
}

/** Looks a record up and says what is wrong with it. Never rejects for what the DNS says or fails to say. */
export async function inspect(resolver: Resolver, wanted: WantedRecord, _domain: string): Promise<Finding> {
  try {
    const found = await look(resolver, wanted)
    if (found.length === 0) return { satisfied: false, found, problem: 'missing', fix: null }
    const satisfied = found.includes(wanted.value)
    return { satisfied, found, problem: satisfied ? null : 'mismatch', fix: null }
  } catch (error) {
    if (!(error instanceof LookupFailed)) throw error
    return { satisfied: null, found: [], problem: 'lookup_failed', fix: null }
  }
}

async function look(resolver: Resolver, { type, name }: WantedRecord): Promise<string[]> {
  if (type === 'TXT') return resolver.txt(name)
  if (type === 'CNAME') return resolver.cname(name)
  return (await resolver.mx(name)).map(({ exchange }) => exchange)
}
