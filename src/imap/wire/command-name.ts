import { Bad } from '../answers.ts'
import { isTagChar } from './characters.ts'
import type { Parser } from './parser.ts'

/** The tag that a command begins with; empty if there is none. */
export function tagOf(text: string): string {
  let end = 0
  while (isTagChar(text.charCodeAt(end))) end += 1
  return text.slice(0, end)
}

/** The name that follows it, in upper case, with the UID before it; undefined without one. */
export function nameOf(args: Parser): string | undefined {
  try {
    args.space()
    const name = args.word()
    if (name !== 'UID') return name
    args.space()
    return `UID ${args.word()}`
  } catch (error) {
    if (error instanceof Bad) return undefined
    throw error
  }
}
