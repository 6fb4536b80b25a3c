import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'
import { type PartialRange, partialRange } from '../wire/partial-range.ts'
import { readPreviewModifier } from './items.ts'

/** The modifiers of FETCH. */
export interface Modifiers {
  /** Only messages that have changed after this modification sequence (RFC 7162, section 3.1.4.1). */
  readonly changedSince?: number
  /** Also those that have gone since (RFC 7162, section 3.2.6). */
  readonly vanished?: boolean
  /** Only those at these places of the result (RFC 9394, section 3.3). */
  readonly partial?: PartialRange
}

/** Reads the modifiers at the end of the command, if there are any. Those of PREVIEW stand there too if it is asked for alone. */
export function readModifiers(args: Arguments, mayBeOfPreview: boolean): Modifiers {
  let modifiers: Modifiers = {}
  const read = (word: string) => {
    if (word === 'CHANGEDSINCE') {
      args.space()
      modifiers = { ...modifiers, changedSince: args.number64() }
    } else if (word === 'VANISHED') modifiers = { ...modifiers, vanished: true }
    else if (word === 'PARTIAL') {
      args.space()
      modifiers = { ...modifiers, partial: partialRange(args) }
    } else if (mayBeOfPreview) readPreviewModifier(word)
    else throw new Bad('FETCH was given a modifier that nobody knows')
  }
  while (!args.isAtEnd()) {
    args.space()
    args.list(() => read(args.word()))
  }
  return modifiers
}
