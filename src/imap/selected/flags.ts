import { flagList } from '../wire/format.ts'

/** The flags of a message as it is stored. */
export interface StoredFlags {
  readonly seen: boolean
  readonly answered: boolean
  readonly flagged: boolean
  readonly deleted: boolean
  readonly draft: boolean
  readonly forwarded: boolean
  readonly keywords: readonly string[]
}

/** The flags of IMAP, each with its column. `$Forwarded` is a keyword there (RFC 5788). */
export const flagColumns = [
  ['\\Answered', 'answered'],
  ['\\Flagged', 'flagged'],
  ['\\Deleted', 'deleted'],
  ['\\Seen', 'seen'],
  ['\\Draft', 'draft'],
  ['$Forwarded', 'forwarded'],
] as const

/** The flags that every message can have. */
export const standingFlags: readonly string[] = flagColumns.map(([flag]) => flag)

export function flagsOf(message: StoredFlags): string[] {
  return [...named(bitsOf(message)), ...message.keywords]
}

/** The flags of a message as a list in parentheses. */
export function flagsText(message: StoredFlags): string {
  return textOfBits(bitsOf(message), message.keywords)
}

/** Of flags as bits in the order of `flagColumns`. Most messages have no keywords. */
export function textOfBits(bits: number, keywords: readonly string[] = []): string {
  return keywords.length > 0 ? flagList([...named(bits), ...keywords]) : (texts[bits] ?? '()')
}

function bitsOf(message: StoredFlags): number {
  return flagColumns.reduce((bits, [, column], bit) => bits | (message[column] ? 1 << bit : 0), 0)
}

function named(bits: number): string[] {
  return flagColumns.filter((_, bit) => bits & (1 << bit)).map(([flag]) => flag)
}

const texts = Array.from({ length: 1 << flagColumns.length }, (_, bits) => flagList(named(bits)))
