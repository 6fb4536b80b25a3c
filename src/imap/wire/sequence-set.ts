import { Bad } from '../answers.ts'

/** A sequence set (RFC 9051, section 9), put in order: ascending ranges that neither overlap nor touch, and last the one that
 *  ends with `*`, as infinity, if there is one, whose other end stands in `from`; `$` for the saved result of a search (RFC
 *  5182). */
export type SequenceSet = '$' | readonly NumberRange[]

export interface NumberRange {
  readonly from: number
  readonly to: number
}

/** The highest number of a message, and the highest uid. */
const highest = 0xffff_ffff

const COLON = 0x3a
const COMMA = 0x2c
const STAR = 0x2a

/** Reads a sequence set that stands at a place of a text. Ranges are joined as they are read, so that a client's millions of
 *  them take no more memory than the numbers that they name in pieces. Throws `Bad`. */
export function readSequenceSet(text: string, start: number): { set: readonly NumberRange[]; end: number } {
  const ranges: { from: number; to: number }[] = []
  let ascends = true
  /** The lower end of the range that ends with `*`. What lies above `*` names no message, so one range stands for all of them. */
  let open: number | undefined
  let at = start
  const one = (): number => {
    if (text.charCodeAt(at) === STAR) {
      at += 1
      return Number.POSITIVE_INFINITY
    }
    const begin = at
    let value = 0
    for (let digit = digitAt(text, at); digit >= 0; digit = digitAt(text, ++at)) {
      value = value * 10 + digit
      if (value > highest) throw new Bad('A number of a sequence set has more than 32 bits')
    }
    if (at === begin || value === 0) throw new Bad('A sequence set has numbers above 0')
    return value
  }
  for (;;) {
    const first = one()
    let second = first
    if (text.charCodeAt(at) === COLON) {
      at += 1
      second = one()
    }
    const [from, to] = first < second ? [first, second] : [second, first]
    const last = ranges.at(-1)
    if (to === Number.POSITIVE_INFINITY) open = Math.min(open ?? to, from)
    else if (last && from >= last.from && from <= last.to + 1) last.to = Math.max(last.to, to)
    else {
      ascends &&= !last || from > last.to
      ranges.push({ from, to })
    }
    if (text.charCodeAt(at) !== COMMA) break
    at += 1
  }
  const set: NumberRange[] = ascends ? ranges : merged(ranges)
  if (open !== undefined) set.push({ from: open, to: Number.POSITIVE_INFINITY })
  return { set, end: at }
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39 ? code - 0x30 : -1
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
