import type { Sought } from '#/formats/mime/body/holds-texts.ts'
import { messagesAt } from './open-messages.ts'
import { Places } from './places.ts'
import type { SearchKey } from './program.ts'
import type { Found } from './rows.ts'
import type { Scope } from './scope.ts'

/** A key with what is known of it, and of those within it. */
export interface Judged extends Found {
  readonly key: SearchKey
  readonly of: readonly Judged[]
}

/** The event loop is held for so long, in milliseconds. */
const turn = 10

/** The messages about which what is stored does not decide, that the key finds. They are read in batches, newest first. */
export async function readOpen(scope: Scope, judged: Judged): Promise<Places> {
  const found = new Places(judged.maybe.size)
  const open = [...judged.maybe.without(judged.yes)].reverse()
  if (open.length === 0) return found
  const sought = soughtIn(judged)
  const headersOnly = sought.every((one) => one.in !== 'text' && one.in !== 'body')
  let began = performance.now()
  let done = 0
  for await (const { place, raw } of messagesAt(scope, open, { headersOnly })) {
    const answers = await scope.session.parts.reader.holds(raw, sought)
    const holds = new Map(sought.map((one, at) => [one, answers[at] ?? false]))
    if (isFound(judged, place, holds)) found.add(place)
    done++
    if (performance.now() - began < turn) continue
    await scope.pause(done, open.length)
    began = performance.now()
  }
  return found
}

/** Only what is open is asked of a message: all keys that are above it are open too. */
function isFound(judged: Judged, place: number, holds: ReadonlyMap<Sought, boolean>): boolean {
  if (judged.yes.has(place)) return true
  if (!judged.maybe.has(place)) return false
  const { key, of } = judged
  if (key.kind === 'content') return holds.get(key.sought) ?? false
  if (key.kind === 'not') return !of.some((one) => isFound(one, place, holds))
  if (key.kind === 'all') return of.every((one) => isFound(one, place, holds))
  return of.some((one) => isFound(one, place, holds))
}

function soughtIn({ key, of, yes, maybe }: Judged): Sought[] {
  if (key.kind === 'content') return maybe.without(yes).isEmpty ? [] : [key.sought]
  return of.flatMap(soughtIn)
}
