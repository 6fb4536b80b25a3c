import { Bad } from '../answers.ts'
import { merged, type NumberRange, type SequenceSet } from '../wire/sequence-set.ts'

/** The messages of a selected mailbox as the client knows them: uids in ascending order, each at its sequence number, which
 *  begin at 1 (RFC 9051, section 2.3.1). Kept as runs of uids without gaps, eight bytes each, which copies share until one of
 *  them changes: an idle connection needs a few bytes for a hundred thousand messages. */
export class SequenceMap {
  /** The first uid of each run, and how many messages stand before it. Both may have room for more runs. */
  #from = none
  #before = none
  #runs = 0
  #count = 0
  /** Whether the arrays are used by another map, too. */
  #isShared = false

  constructor(uids: Iterable<number> = []) {
    this.append(uids)
  }

  /** Of ascending ranges that do not overlap. */
  static of(ranges: Iterable<NumberRange>): SequenceMap {
    const map = new SequenceMap()
    for (const { from, to } of ranges) map.#push(from, to)
    map.#fit()
    return map
  }

  get count(): number {
    return this.#count
  }

  /** How many runs it has. */
  get runCount(): number {
    return this.#runs
  }

  get lastUid(): number {
    return this.#runs === 0 ? 0 : this.#end(this.#runs - 1)
  }

  /** Another map of the same messages. */
  copy(): SequenceMap {
    const map = new SequenceMap()
    this.#isShared = map.#isShared = true
    map.#from = this.#from
    map.#before = this.#before
    map.#runs = this.#runs
    map.#count = this.#count
    return map
  }

  /** Adds messages after the last, in ascending order. Uids up to the last are left out. */
  append(uids: Iterable<number>): void {
    for (const uid of uids) if (uid > this.lastUid) this.#push(uid, uid)
  }

  /** Undefined above the count. */
  uidAt(sequence: number): number | undefined {
    if (!(sequence >= 1 && sequence <= this.#count)) return undefined
    const run = lastBelow(this.#before, this.#runs, sequence)
    return this.#first(run) + sequence - this.#beforeRun(run) - 1
  }

  /** Undefined if the client knows no such message. */
  sequenceOf(uid: number): number | undefined {
    const run = lastBelow(this.#from, this.#runs, uid + 1)
    return run >= 0 && uid <= this.#end(run) ? this.#beforeRun(run) + uid - this.#first(run) + 1 : undefined
  }

  /** Takes messages out. Answers the sequence number that each had when it went, one after the other, from the highest uid to the
   *  lowest, so that earlier numbers are not changed by later ones. Uids that are not there are left out. */
  remove(uids: Iterable<number>): number[] {
    const gone = Uint32Array.from(uids).sort()
    const numbers: number[] = []
    const kept = new SequenceMap()
    let next = 0
    for (let run = 0; run < this.#runs; run++) {
      const [first, end] = [this.#first(run), this.#end(run)]
      let start = first
      for (; next < gone.length && (gone[next] ?? 0) <= end; next++) {
        const uid = gone[next] ?? 0
        // Below the run, or named again.
        if (uid < start) continue
        numbers.push(this.#beforeRun(run) + uid - first + 1)
        kept.#push(start, uid - 1)
        start = uid + 1
      }
      kept.#push(start, end)
    }
    if (numbers.length > 0) this.#take(kept)
    return numbers.reverse()
  }

  /** The uids that a set names, as ascending ranges of uids that may have gaps between messages within them. `*` is the last
   *  message. Throws `Bad` for a sequence number above the count; but all of an empty mailbox, `1:*`, is nothing, since programs
   *  ask for it without knowing. `saved` is what `$` stands for (RFC 5182). */
  uidRanges(set: SequenceSet, by: 'uid' | 'sequence', saved: readonly NumberRange[] = []): readonly NumberRange[] {
    if (set === '$') return saved
    if (
      by === 'sequence' &&
      this.count === 0 &&
      set.every(({ from, to }) => from === 1 && to === Number.POSITIVE_INFINITY)
    )
      return []
    const last = by === 'uid' ? this.lastUid : this.count
    const ranges = set.map((range) => {
      const from = range.from === Number.POSITIVE_INFINITY ? last : range.from
      const to = range.to === Number.POSITIVE_INFINITY ? last : range.to
      // `7:*` has the last message, be it below 7.
      const [low, high] = from <= to ? [from, to] : [to, from]
      if (by === 'uid') return { from: low, to: high }
      const [first, end] = [this.uidAt(low), this.uidAt(high)]
      if (first === undefined || end === undefined) throw new Bad(`There are ${this.count} messages`)
      return { from: first, to: end }
    })
    return merged(ranges)
  }

  /** The uids within ranges, in their order. */
  *uidsIn(ranges: readonly NumberRange[]): Generator<number> {
    for (const { from, to } of ranges) {
      for (let run = Math.max(0, lastBelow(this.#from, this.#runs, from + 1)); run < this.#runs; run++) {
        const first = this.#first(run)
        if (first > to) break
        const end = Math.min(to, this.#end(run))
        for (let uid = Math.max(from, first); uid <= end; uid++) yield uid
      }
    }
  }

  /** The known uids as ranges without gaps. */
  runs(): NumberRange[] {
    return Array.from({ length: this.#runs }, (_, run) => ({ from: this.#first(run), to: this.#end(run) }))
  }

  #first(run: number): number {
    return this.#from[run] ?? 0
  }

  #beforeRun(run: number): number {
    return this.#before[run] ?? 0
  }

  /** The last uid of a run. */
  #end(run: number): number {
    const until = run + 1 < this.#runs ? this.#beforeRun(run + 1) : this.#count
    return this.#first(run) + until - this.#beforeRun(run) - 1
  }

  /** Adds a range above all others. */
  #push(from: number, to: number): void {
    if (from > to) return
    if (this.#runs === 0 || this.lastUid + 1 < from) this.#begin(from)
    this.#count += to - from + 1
  }

  #begin(from: number): void {
    if (this.#runs === this.#from.length || this.#isShared) this.#resize(Math.ceil(this.#runs * 1.25) + 4)
    this.#from[this.#runs] = from
    this.#before[this.#runs] = this.#count
    this.#runs += 1
  }

  #resize(length: number): void {
    const [from, before] = [new Uint32Array(length), new Uint32Array(length)]
    from.set(this.#from.subarray(0, this.#runs))
    before.set(this.#before.subarray(0, this.#runs))
    this.#from = from
    this.#before = before
    this.#isShared = false
  }

  #fit(): void {
    if (this.#runs < this.#from.length) this.#resize(this.#runs)
  }

  #take(other: SequenceMap): void {
    other.#fit()
    this.#from = other.#from
    this.#before = other.#before
    this.#runs = other.#runs
    this.#count = other.#count
    this.#isShared = false
  }
}

const none = new Uint32Array(0)

/** The place of the last of the first `length` numbers, which ascend, that is below this one; -1 without one. */
function lastBelow(numbers: Uint32Array, length: number, below: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < below) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Those of the ascending numbers that are in the ascending ranges. */
export function* within(numbers: Iterable<number>, ranges: readonly NumberRange[]): Generator<number> {
  let at = 0
  for (const number of numbers) {
    while ((ranges[at]?.to ?? Number.POSITIVE_INFINITY) < number) at++
    if ((ranges[at]?.from ?? Number.POSITIVE_INFINITY) <= number) yield number
  }
}

/** Whether one of the ranges, which ascend and do not overlap, has the number. */
export function contains(ranges: readonly NumberRange[], number: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.to ?? 0) < number) low = middle + 1
    else high = middle
  }
  return (ranges[low]?.from ?? Number.POSITIVE_INFINITY) <= number
}
