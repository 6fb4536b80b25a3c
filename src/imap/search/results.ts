import { sql } from 'kysely'
import { rangesOf } from '../wire/format.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import { placesOfPartial, type ReturnOptions } from './return-options.ts'
import type { Scope } from './scope.ts'
import { type Threads, written } from './threads.ts'

/** Numbers written into one piece of a response. */
const atOnce = 2_000

export interface Result {
  /** Places of messages among those that the client knows, in the order of the answer. */
  readonly places: readonly number[]
  readonly by: 'uid' | 'sequence'
  /** Whether modification sequences are told (RFC 7162, section 3.1.5). */
  readonly withModseq: boolean
}

/** `* SEARCH 2 3 5`, or with another word for a sorted result. */
export async function writeNumbers(scope: Scope, word: 'SEARCH' | 'SORT', result: Result): Promise<void> {
  const { output } = scope.session
  await output.write(`* ${word}`)
  for (let at = 0; at < result.places.length; at += atOnce) {
    const numbers = result.places.slice(at, at + atOnce).map((place) => numberOf(scope, result, place))
    await output.write(` ${numbers.join(' ')}`)
    await scope.pause(at, result.places.length)
  }
  const modseq = result.withModseq && result.places.length > 0 ? await highestModseq(scope, result.places) : undefined
  await output.write(modseq === undefined ? '\r\n' : ` (MODSEQ ${modseq})\r\n`)
}

/** `* ESEARCH (TAG "a") UID ALL 2:3,5` (RFC 4731; sorted, RFC 5267). */
export async function writeExtended(scope: Scope, tag: string, options: ReturnOptions, result: Result): Promise<void> {
  const { output } = scope.session
  const { places } = result
  const lowest = options.min ? places.at(0) : undefined
  const highest = options.max ? places.at(-1) : undefined
  await output.write(`* ESEARCH (TAG "${tag}")${result.by === 'uid' ? ' UID' : ''}`)
  if (lowest !== undefined) await output.write(` MIN ${numberOf(scope, result, lowest)}`)
  if (highest !== undefined) await output.write(` MAX ${numberOf(scope, result, highest)}`)
  if (options.count) await output.write(` COUNT ${places.length}`)
  if (options.all && places.length > 0) await writeSet(scope, ' ALL ', result, places)
  if (options.partial) {
    const { from, to } = options.partial
    const { start, end } = placesOfPartial(options.partial, places.length)
    const asked = from > 0 ? `${from}:${to}` : `${to}:${from}`
    if (start < end) await writeSet(scope, ` PARTIAL (${asked} `, result, places.slice(start, end))
    await output.write(start < end ? ')' : ` PARTIAL (${asked} NIL)`)
  }
  const modseq = result.withModseq ? await modseqOf(scope, options, places) : undefined
  await output.write(modseq === undefined ? '\r\n' : ` MODSEQ ${modseq}\r\n`)
}

/** What `$` stands for from now on (RFC 5182, section 2.1; RFC 9394, section 3.3): all that was found, unless only some of it is told. */
export function savedOf(scope: Scope, options: ReturnOptions, places: readonly number[]): NumberRange[] {
  return rangesOf(
    toldOf(options, places)
      .map((place) => scope.known.uidAt(place))
      .toSorted((a, b) => a - b),
  )
}

/** In ascending order if the result is. */
function toldOf(options: ReturnOptions, places: readonly number[]): number[] {
  const { min, max, partial } = options
  if (options.all || options.count || !(min || max || partial)) return [...places]
  const range = partial && placesOfPartial(partial, places.length)
  return places.filter((_, at) => {
    return (min && at === 0) || (max && at === places.length - 1) || (range && at >= range.start && at < range.end)
  })
}

/** In the order of the result: a set of a sorted one says the order (RFC 5267, section 3.1). */
async function writeSet(scope: Scope, before: string, result: Result, places: readonly number[]): Promise<void> {
  const { output } = scope.session
  let separator = before
  for (let at = 0; at < places.length; ) {
    const parts: string[] = []
    for (const until = at + atOnce; at < places.length && at < until; ) {
      const first = numberOf(scope, result, places[at] ?? 0)
      let last = first
      while (++at < places.length && numberOf(scope, result, places[at] ?? 0) === last + 1) last++
      parts.push(first === last ? `${first}` : `${first}:${last}`)
    }
    await output.write(separator + parts.join(','))
    separator = ','
    await scope.pause(at, places.length)
  }
}

function numberOf(scope: Scope, { by }: Result, place: number): number {
  return by === 'uid' ? scope.known.uidAt(place) : place + 1
}

/** RFC 7162, section 3.1.5: of MIN and MAX alone the modification sequences of these messages, else the highest of all. */
async function modseqOf(scope: Scope, options: ReturnOptions, places: readonly number[]): Promise<number | undefined> {
  if (places.length === 0) return undefined
  const alone = !(options.all || options.count || options.partial) && (options.min || options.max)
  return highestModseq(scope, alone ? toldOf(options, places) : places)
}

async function highestModseq(scope: Scope, places: readonly number[]): Promise<number | undefined> {
  const ranges = rangesOf(places.map((place) => scope.known.uidAt(place)).toSorted((a, b) => a - b))
  const { rows } = await sql<{ modseq: number | null }>`
    select max(message.modseq) as modseq
    from unnest(${ranges.map(({ from }) => from)}::bigint[], ${ranges.map(({ to }) => to)}::bigint[]) as range (first, last)
    join mail_messages message on message.uid between range.first and range.last
    join mail_folders folder on folder.id = message.folder_id
    where folder.id = ${scope.selected.folderId} and folder.organization_id = ${scope.organizationId}`.execute(scope.db)
  return rows[0]?.modseq ?? undefined
}

/** `* THREAD (2)(3 6 (4 23)(44 7 96))` (RFC 5256, section 4). */
export async function writeThreads(scope: Scope, threads: Threads, result: Result): Promise<void> {
  const { output } = scope.session
  let piece = '* THREAD'
  let count = 0
  for (const part of written(threads, (message) => numberOf(scope, result, result.places[message] ?? 0))) {
    piece += count === 0 ? ` ${part}` : part
    if (++count % atOnce > 0) continue
    await output.write(piece)
    piece = ''
    await scope.pause(Math.min(count, result.places.length), result.places.length)
  }
  await output.write(`${piece}\r\n`)
}
