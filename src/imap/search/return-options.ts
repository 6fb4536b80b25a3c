import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'
import { type PartialRange, partialRange } from '../wire/partial-range.ts'

/** What a client wants to have of a result (RFC 4731, RFC 5182, RFC 9394). */
export interface ReturnOptions {
  readonly min: boolean
  readonly max: boolean
  readonly all: boolean
  readonly count: boolean
  readonly save: boolean
  readonly partial: PartialRange | undefined
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

/** Of so many results, those from one place to before another, from 0. */
export function placesOfPartial(partial: PartialRange, count: number): { start: number; end: number } {
  const { from, to } = partial
  if (from > 0) return { start: Math.min(count, from - 1), end: Math.min(count, to) }
  return { start: Math.max(0, count + from), end: Math.max(0, count + to + 1) }
}
