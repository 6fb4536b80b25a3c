import type { Database } from '#/base/db/open.ts'

/** Where a migrated database lives: an engine in this process, or a name on a server. */
export interface Place extends AsyncDisposable {
  open(): Promise<Database>
}

let keeping = false
const kept: Place[] = []

/** From now on a test's database is kept for the next one in this process, which gets it empty: opening
 *  another takes 0.4 s of CPU. The caller calls `closeKept` at the end. */
export function keepDatabases(): void {
  keeping = true
}

export async function closeKept(): Promise<void> {
  keeping = false
  for (const place of kept.splice(0)) await place[Symbol.asyncDispose]()
}

/** Takes the place back once its database is closed. */
export async function giveBack(place: Place): Promise<void> {
  if (keeping) kept.push(place)
  else await place[Symbol.asyncDispose]()
}

/** A returned place, as it was left. */
export function lastKept(): Place | undefined {
  return kept.pop()
}
