import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'

/** What a client wants to have of a result (RFC 4731, RFC 5182, RFC 9394). */
export interface ReturnOptions {
  readonly min: boolean
  readonly max: boolean
  readonly all: boolean
  readonly count: boolean
  readonly save: boolean
  /** Results by their places in the result, from 1; negative ones from its end. */
  readonly partial: { readonly from: number; readonly to: number } | undefined
}

/** `(…)`, which stands behind RETURN. Without options all results are wanted. */
export function readReturnOptions(args: Arguments): ReturnOptions {
  const options = { min: false, max: false, all: false, count: false, save: false }
  let partial: ReturnOptions['partial']
  const named = args.list(() => {
    const name = args.word()
    if (name === 'PARTIAL') {
      if (partial) throw new Bad('PARTIAL stands there twice')
      args.space()
      partial = partialRange(args)
    } else if (isOption(name)) options[optionOf[name]] = true
    else throw new Bad('That is no option of RETURN')
    return name
  })
  if (named.length === 0) options.all = true
  if (partial && options.all) throw new Bad('PARTIAL and ALL exclude each other')
  return { ...options, partial }
}

const optionOf = { MIN: 'min', MAX: 'max', ALL: 'all', COUNT: 'count', SAVE: 'save' } as const

function isOption(name: string): name is keyof typeof optionOf {
  return Object.hasOwn(optionOf, name)
}

/** `1:500`, or `-1:-500` for the last ones. */
function partialRange(args: Arguments): { from: number; to: number } {
  const [, sign = '', from = '', to = ''] = /^(-?)([1-9]\d{0,9}):\1([1-9]\d{0,9})$/.exec(args.atom()) ?? []
  if (from === '') throw new Bad('PARTIAL has a range such as 1:500 or -1:-500')
  const [one, other] = [Number(from), Number(to)]
  if (sign === '') return { from: Math.min(one, other), to: Math.max(one, other) }
  return { from: -Math.max(one, other), to: -Math.min(one, other) }
}

/** Of so many results, those from one place to before another, from 0. */
export function placesOfPartial(partial: { from: number; to: number }, count: number): { start: number; end: number } {
  const { from, to } = partial
  if (from > 0) return { start: Math.min(count, from - 1), end: Math.min(count, to) }
  return { start: Math.max(0, count + from), end: Math.max(0, count + to + 1) }
}
