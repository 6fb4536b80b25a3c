import { Bad } from '../answers.ts'
import type { NumberRange, SequenceSet } from '../wire/sequence-set.ts'

/** The messages of a selected mailbox as the client knows them: uids in ascending order, each at its sequence number, which
 *  begin at 1. Kept as runs of uids without gaps, so that an idle connection needs a few bytes for a hundred thousand messages. */
export class SequenceMap {
  /** The first uid of each run, the last, and how many messages stand before it. */
  #runs: { from: number; to: number; before: number }[] = []

  constructor(uids: Iterable<number> = []) {
    this.append(uids)
  }

  get count(): number {
    const last = this.#runs.at(-1)
    return last ? last.before + last.to - last.from + 1 : 0
  }

  get lastUid(): number {
    return this.#runs.at(-1)?.to ?? 0
  }

  /** Adds messages after the last, in ascending order. */
  append(uids: Iterable<number>): void {
    let last = this.#runs.at(-1)
    for (const uid of uids) {
      if (last && uid === last.to + 1) last.to = uid
      else {
        last = { from: uid, to: uid, before: this.count }
        this.#runs.push(last)
      }
    }
  }

  /** Undefined above the count. */
  uidAt(sequence: number): number | undefined {
    const run = this.#runs[this.#lastWhere(({ before }) => before < sequence)]
    const uid = run && run.from + sequence - run.before - 1
    return run && uid !== undefined && uid <= run.to && sequence > 0 ? uid : undefined
  }

  /** Undefined if the client knows no such message. */
  sequenceOf(uid: number): number | undefined {
    const run = this.#runs[this.#lastWhere(({ from }) => from <= uid)]
    return run && uid <= run.to ? run.before + uid - run.from + 1 : undefined
  }

  /** Takes messages out. Answers the sequence number that each had when it went, one after the other, from the highest uid to the
   *  lowest, so that earlier numbers are not changed by later ones. Uids that are not there are left out. */
  remove(uids: readonly number[]): number[] {
    const gone = uids.filter((uid) => this.sequenceOf(uid) !== undefined).toSorted((a, b) => b - a)
    const numbers = gone.map((uid) => this.sequenceOf(uid) ?? 0)
    const taken = new Set(gone)
    if (taken.size === 0) return []
    const kept = this.#runs
    this.#runs = []
    const ascending = gone.toReversed()
    let next = 0
    for (const { from, to } of kept) {
      let start = from
      for (; next < ascending.length && (ascending[next] ?? 0) <= to; next++) {
        const uid = ascending[next] ?? 0
        this.#push(start, uid - 1)
        start = uid + 1
      }
      this.#push(start, to)
    }
    return numbers
  }

  /** The uids that a set names, as ascending ranges of uids that may have gaps between messages within them. `*` is the last
   *  message. Throws `Bad` for a sequence number above the count. `saved` is what `$` stands for. */
  uidRanges(set: SequenceSet, by: 'uid' | 'sequence', saved: readonly NumberRange[] = []): readonly NumberRange[] {
    if (set === '$') return saved
    const last = by === 'uid' ? this.lastUid : this.count
    const ranges = set.map(({ from, to }) => {
      const [a, b] = [Math.min(from, Number.POSITIVE_INFINITY), to].map((n) =>
        n === Number.POSITIVE_INFINITY ? last : n,
      )
      const [low, high] = [Math.min(a ?? 0, b ?? 0), Math.max(a ?? 0, b ?? 0)]
      if (by === 'uid') return { from: low, to: high }
      const [first, end] = [this.uidAt(low), this.uidAt(high)]
      if (first === undefined || end === undefined) throw new Bad(`There are ${this.count} messages`)
      return { from: first, to: end }
    })
    return merged(ranges)
  }

  /** The uids within ranges, in ascending order. */
  *uidsIn(ranges: readonly NumberRange[]): Generator<number> {
    for (const { from, to } of ranges) {
      for (
        let at = Math.max(
          0,
          this.#lastWhere((run) => run.from <= from),
        );
        at < this.#runs.length;
        at++
      ) {
        const run = this.#runs[at]
        if (!run || run.from > to) break
        for (let uid = Math.max(from, run.from); uid <= Math.min(to, run.to); uid++) yield uid
      }
    }
  }

  /** The known uids as ranges without gaps. */
  runs(): NumberRange[] {
    return this.#runs.map(({ from, to }) => ({ from, to }))
  }

  #push(from: number, to: number): void {
    if (from > to) return
    const last = this.#runs.at(-1)
    if (last && last.to + 1 === from) last.to = to
    else this.#runs.push({ from, to, before: this.count })
  }

  /** The place of the last run for which that is true, which it is for all before it; -1 without one. */
  #lastWhere(isTrue: (run: { from: number; before: number }) => boolean): number {
    let [low, high] = [0, this.#runs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const run = this.#runs[middle]
      if (run && isTrue(run)) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Ascending, and none touches another. */
export function merged(ranges: readonly NumberRange[]): NumberRange[] {
  const out: { from: number; to: number }[] = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = out.at(-1)
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to)
    else out.push({ from, to })
  }
  return out
}
