import QuickLRU from 'quick-lru'
import type { Db } from '#/db/schema.ts'

/** How long rules are applied without looking whether they changed: under the 5 seconds that another process's change
 *  may take to be seen here. A change made in this process is seen at once (`rulesChanged`). */
const appliedMs = 4_500

/** Sets of rules kept at once, by a process. */
const mostKept = 1_000

interface Kept {
  readonly rules: Promise<unknown>
  readonly until: number
}

const keptOf = new WeakMap<Db, QuickLRU<string, Kept>>()

/** An organization's rules of some kind, ready to apply to mail as it arrives. Loaded once however many wait for them.
 *  Not to be awaited in a transaction: `load` takes a connection of its own. */
export function rulesInForce<T>(db: Db, organizationId: string, kind: string, load: () => Promise<T>): Promise<T> {
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

/** Call after the commit that changed an organization's labels or filters. */
export function rulesChanged(db: Db, organizationId: string): void {
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
