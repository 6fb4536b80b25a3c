import QuickLRU from 'quick-lru'
import type { Db } from '#/base/db/schema.ts'

/** How long rules are cached, in milliseconds. A change by another process must be seen within 5 seconds; one in this
 *  process is seen at once (`invalidateRules`). */
const appliedMs = 4_500

const mostKept = 1_000

interface Kept {
  readonly rules: Promise<unknown>
  readonly until: number
}

const keptOf = new WeakMap<Db, QuickLRU<string, Kept>>()

/** An organization's rules of some kind, cached. Concurrent callers share one load. Must not be awaited in a transaction:
 *  `load` uses another connection. */
export function cachedRules<T>(db: Db, organizationId: string, kind: string, load: () => Promise<T>): Promise<T> {
  const kept = keptFor(db)
  const key = `${organizationId} ${kind}`
  const found = kept.get(key)
  if (found && performance.now() < found.until) return found.rules as Promise<T>
  const rules = load()
  const entry = { rules, until: performance.now() + appliedMs }
  kept.set(key, entry)
  rules.catch(() => {
    if (kept.peek(key) === entry) kept.delete(key)
  })
  return rules
}

/** Call after the commit of a change to an organization's labels, filters or aliases. */
export function invalidateRules(db: Db, organizationId: string): void {
  const kept = keptFor(db)
  for (const key of [...kept.keys()]) {
    if (key.startsWith(organizationId)) kept.delete(key)
  }
}

function keptFor(db: Db): QuickLRU<string, Kept> {
  const kept = keptOf.get(db) ?? new QuickLRU<string, Kept>({ maxSize: mostKept })
  keptOf.set(db, kept)
  return kept
}
