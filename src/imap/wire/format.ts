import { encodeUtf7 } from '#/formats/mime/modified-utf7.ts'
import { isAllOf, isAstringChar, isAtomChar } from './characters.ts'
import type { NumberRange, SequenceSet } from './sequence-set.ts'

export { dateTime } from './date-time.ts'

/** How values are written in responses (RFC 9051, section 9). Whatever they contain, none of them ends a line or a string, or
 *  begins another response. The texts are sent in UTF-8, which the sizes of literals go by. */

/** A quoted string where that is possible, else a literal. */
export function string(text: string): string {
  return quotable.test(text) ? quote(text) : literalOf(text)
}

/** `NIL` for nothing. */
export function nstring(text: string | null | undefined): string {
  return text === null || text === undefined ? 'NIL' : string(text)
}

/** An atom where that is possible, else as `string`. */
export function astring(text: string): string {
  return isAllOf(text, isAstringChar) && !/^nil$/i.test(text) ? text : string(text)
}

/** The name of a mailbox: in modified UTF-7, or as it is for a client that uses UTF-8. */
export function mailboxName(name: string, usesUtf8: boolean): string {
  if (!usesUtf8) return astring(encodeUtf7(name))
  return quotableUtf8.test(name) && name.isWellFormed() && !isAscii.test(name) ? quote(name) : astring(name)
}

/** `(\Seen work)`. What is no flag is left out. */
export function flagList(flags: Iterable<string>): string {
  const written: string[] = []
  for (const flag of flags) if (isFlag(flag)) written.push(flag)
  return `(${written.join(' ')})`
}

/** Whether this can be written as a flag: an atom, which may begin with a backslash; also `\*`. */
function isFlag(flag: string): boolean {
  return flag === '\\*' || isAllOf(flag.startsWith('\\') ? flag.slice(1) : flag, isAtomChar)
}

/** Ranges as a sequence set, `1:3,7,9:*`. There must be at least one: a set is never empty. */
export function sequenceSet(set: SequenceSet): string {
  if (set === '$') return set
  if (set.length === 0) throw new Error('a sequence set is never empty')
  return set.map(({ from, to }) => (from === to ? bound(from) : `${bound(from)}:${bound(to)}`)).join(',')
}

/** Numbers in ascending order as ranges, as COPYUID, VANISHED and ESEARCH write them by `sequenceSet`. */
export function rangesOf(ascending: Iterable<number>): NumberRange[] {
  const ranges: { from: number; to: number }[] = []
  let last: { from: number; to: number } | undefined
  for (const number of ascending) {
    if (last && number === last.to + 1) last.to = number
    else {
      last = { from: number, to: number }
      ranges.push(last)
    }
  }
  return ranges
}

/** An untagged response, the text of which is written by the functions above. */
export function untagged(response: string): string {
  return `* ${response}\r\n`
}

export type Status = 'OK' | 'NO' | 'BAD' | 'BYE' | 'PREAUTH'

/** A status response (RFC 9051, section 7.1): tagged, or untagged by the tag `*`. The text is for people, who may not get
 *  more than ASCII. The code is that of our own, such as `READ-WRITE` or `COPYUID 1 2:3 4:5`. */
export function statusLine(tag: string, status: Status, text: string, code?: string): string {
  const shown = text.replace(/[^\x20-\x7e]+/g, '?').replace(/^\[/, '(') || 'Done'
  return `${tag} ${status} ${code === undefined ? '' : `[${code.replace(/[\r\n\]]/g, '')}] `}${shown}\r\n`
}

/** Longer ones are easier to read as literals, and RFC 9051 leaves their length to who writes them. */
const quotable = /^[\x20-\x7e\t]{0,1024}$/
const quotableUtf8 = /^[^\x00-\x1f\x7f]{0,1024}$/
const isAscii = /^[\x00-\x7f]*$/

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function literalOf(text: string): string {
  const written = text.replaceAll('\0', '')
  return `{${Buffer.byteLength(written)}}\r\n${written}`
}

function bound(number: number): string {
  return number === Number.POSITIVE_INFINITY ? '*' : String(number)
}
