import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'
import { rangesOf } from '../wire/format.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import { type SequenceMap, within } from './sequence-map.ts'

/** What a client remembers of a mailbox (RFC 7162, section 3.2.5). */
export interface Remembered {
  readonly uidValidity: number
  readonly modseq: number
  /** The uids that it knows; undefined for all that there may be. */
  readonly known: readonly NumberRange[] | undefined
  /** Some sequence numbers, with the uids that they had. */
  readonly matches: readonly Match[]
}

/** So many messages that follow one another by sequence number and by uid. */
interface Match {
  readonly sequence: number
  readonly uid: number
  readonly count: number
}

/** `(uidvalidity modseq [known-uids] [(sequence-numbers uids)])` */
export function readRemembered(args: Arguments): Remembered {
  expect(args, '(')
  const uidValidity = args.nzNumber()
  args.space()
  const modseq = args.number64()
  let known: readonly NumberRange[] | undefined
  let matches: Match[] = []
  let isMore = args.isNext(' ')
  if (isMore) args.space()
  if (isMore && !args.isNext('(')) {
    known = rangesFrom(args)
    isMore = args.isNext(' ')
    if (isMore) args.space()
  }
  if (isMore) {
    expect(args, '(')
    const sequences = rangesFrom(args)
    args.space()
    matches = matchesOf(sequences, rangesFrom(args))
    expect(args, ')')
  }
  expect(args, ')')
  return { uidValidity, modseq, known, matches }
}

function expect(args: Arguments, character: string): void {
  if (!args.take(character)) throw new Bad(`${character} is missing in QRESYNC`)
}

function rangesFrom(args: Arguments): readonly NumberRange[] {
  const set = args.sequenceSet()
  if (set === '$' || set.some(({ to }) => to === Number.POSITIVE_INFINITY))
    throw new Bad('QRESYNC takes neither * nor $')
  return set
}

/** Both sets have as many numbers, in ascending order. */
function matchesOf(sequences: readonly NumberRange[], uids: readonly NumberRange[]): Match[] {
  const matches: Match[] = []
  const rest = uids.map(({ from, to }) => ({ from, to }))
  let next = 0
  for (const { from, to } of sequences) {
    for (let sequence = from; sequence <= to; ) {
      const range = rest[next]
      if (!range) throw new Bad('QRESYNC has more sequence numbers than uids')
      const count = Math.min(to - sequence, range.to - range.from) + 1
      matches.push({ sequence, uid: range.from, count })
      sequence += count
      range.from += count
      if (range.from > range.to) next++
    }
  }
  if (next < rest.length) throw new Bad('QRESYNC has more uids than sequence numbers')
  return matches
}

/** The uids that the client may know and that are not there, below `uidNext`. `gone` is what the log of expunges has since the client's
 *  state; undefined if that does not reach so far back. Then all uids that are not there count, but not those below a message
 *  that has kept its sequence number: nothing went before it. */
export function vanishedFor(
  { known, matches }: Pick<Remembered, 'known' | 'matches'>,
  { messages, uidNext, gone }: { messages: SequenceMap; uidNext: number; gone: Uint32Array | undefined },
): NumberRange[] {
  const all = known ?? [{ from: 1, to: Number.POSITIVE_INFINITY }]
  if (gone) return rangesOf(within(new Set(Uint32Array.from(gone).sort()), all))
  const from = provenUpTo(messages, matches) + 1
  return without(all, messages.runs(), { from, to: uidNext - 1 })
}

/** The highest uid of the matches that still has its sequence number, else 0. The lower ones of a match then have theirs. */
function provenUpTo(messages: SequenceMap, matches: readonly Match[]): number {
  for (const { sequence, uid, count } of matches.toReversed()) {
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high) >> 1
      if (messages.sequenceOf(uid + middle) === sequence + middle) low = middle + 1
      else high = middle
    }
    if (low > 0) return uid + low - 1
  }
  return 0
}

/** The parts of the ranges within bounds that none of the runs has. All ascend. */
export function without(
  ranges: readonly NumberRange[],
  runs: readonly NumberRange[],
  bounds: NumberRange,
): NumberRange[] {
  const out: NumberRange[] = []
  let at = 0
  for (const range of ranges) {
    const end = Math.min(range.to, bounds.to)
    let start = Math.max(range.from, bounds.from)
    while ((runs[at]?.to ?? Number.POSITIVE_INFINITY) < start) at++
    for (let run = at; start <= end; run++) {
      const { from, to } = runs[run] ?? { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
      if (from > start) out.push({ from: start, to: Math.min(end, from - 1) })
      start = to + 1
      at = run
    }
  }
  return out
}
