import { isUtf8 } from 'node:buffer'
import { decodeBytes, decodeUnlabelled } from '../charset.ts'
import { decodeText } from './encoded-words.ts'
import { trimSpace } from './lexical.ts'

/** Limits for a header, in bytes and in fields. A longer one is read that far, and no body is found after it: to search for its
 *  end would block the event loop. */
const MOST_BYTES = 8 * 1024 * 1024
const MOST_FIELDS = 10_000
/** Limit for decoding a value. References may be longer, and are read as octets. */
const MOST_VALUE = 256 * 1024

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a

/** A field of a header, as offsets into the bytes it was read from. */
export interface Field {
  /** In lower case. */
  readonly name: string
  /** Where the field's first line starts. */
  readonly start: number
  /** Where its value starts, and where it ends, before its last line break. A folded value has line breaks. */
  readonly valueStart: number
  readonly end: number
}

/** The fields of a message's or a part's header (RFC 5322, section 2.2). Values are decoded on request. Names are in lower case. */
export class Headers {
  /** In the order of the header. */
  readonly fields: readonly Field[]
  /** False if the header is over the limits: its other fields are unknown. */
  readonly complete: boolean
  readonly #bytes: Buffer
  readonly #byName = new Map<string, Field[]>()
  /** The charset of octets above 127 that are not UTF-8: that of the body. */
  charset: string

  constructor(bytes: Buffer, fields: readonly Field[], complete: boolean, charset = '') {
    this.#bytes = bytes
    this.charset = charset
    this.complete = complete
    this.fields = fields
    for (const field of fields) {
      const same = this.#byName.get(field.name)
      if (same) same.push(field)
      else this.#byName.set(field.name, [field])
    }
  }

  count(name: string): number {
    return this.#byName.get(name)?.length ?? 0
  }

  /** The unfolded values of every field of that name, in order. Bytes over 127 are UTF-8 (RFC 6532), else in the charset of
   *  the body, or windows-1252 where that hides punctuation; encoded words stay as they are. */
  all(name: string): string[] {
    return (this.#byName.get(name) ?? []).map((field) => this.#value(field))
  }

  first(name: string): string | undefined {
    const field = this.#byName.get(name)?.[0]
    return field && this.#value(field)
  }

  /** The last field of that name, as for a signature (RFC 6376, section 5.4.2): a field that was added before a signed one is not
   *  shown in its place. */
  last(name: string): string | undefined {
    const field = this.#byName.get(name)?.at(-1)
    return field && this.#value(field)
  }

  /** False if a field of that name is over the limit for decoding. */
  isWhole(name: string): boolean {
    return (this.#byName.get(name) ?? []).every(({ valueStart, end }) => end - valueStart <= MOST_VALUE)
  }

  /** Like `all`, but one character an octet and still folded, for values that are split before decoding. */
  octets(name: string): string[] {
    return (this.#byName.get(name) ?? []).map(({ valueStart, end }) => this.#octets(valueStart, end))
  }

  /** The last field's decoded text, without controls. Empty if there is no such field. */
  text(name: string): string {
    const field = this.#byName.get(name)?.at(-1)
    return field ? this.textOf(field) : ''
  }

  /** The decoded text of one of the fields. */
  textOf(field: Field): string {
    return decodeText(this.#value(field, false))
  }

  /** In a `structured` value, no @ or bracket may be hidden in a character of two octets. */
  #value({ valueStart, end }: Field, structured = true): string {
    const folded = this.#octets(valueStart, Math.min(end, valueStart + MOST_VALUE))
    // RFC 5322, section 2.2.3: unfolding takes the line break and leaves the white space after it.
    const octets = folded.includes('\n') ? folded.replace(/\r?\n/g, '') : folded
    if (!/[\x80-\xff]/.test(octets)) return octets
    const bytes = Buffer.from(octets, 'latin1')
    if (this.charset === '' || isUtf8(bytes)) return decodeUnlabelled(bytes)
    const text = decodeBytes(bytes, this.charset)
    const holds = !text.includes('\ufffd') && (!structured || punctuation(text) === punctuation(octets))
    return holds ? text : decodeUnlabelled(bytes)
  }

  #octets(start: number, end: number): string {
    return trimSpace(this.#bytes.toString('latin1', start, end))
  }
}

/** The delimiters of structured values. */
function punctuation(text: string): string {
  return text.replace(/[^@<>,;:"()[\]\\]+/g, '')
}

/** Reads the header from `start` to the empty line. Accepts LF for CRLF, an mbox `From ` line, invalid lines (which it skips) and
 *  a header without a body, for which `bodyStart` is `end`. Without the empty line, the body starts at the first line that is no
 *  field. Never throws. */
export function readHeaders(
  bytes: Buffer,
  start = 0,
  end = bytes.length,
  mostFields = MOST_FIELDS,
): { headers: Headers; bodyStart: number } {
  const limit = Math.min(end, start + MOST_BYTES)
  const fields: Field[] = []
  let field: { name: string; start: number; valueStart: number; end: number } | undefined
  let nameAlone: number | undefined
  /** The offset of a line that is no field, as an mbox may have at the start. */
  let stray: number | undefined
  let looked = 0
  let line = start
  while (line < limit) {
    const lineEnd = endOfLine(bytes, line, limit)
    const textEnd = lineEnd > line && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd
    if (textEnd === line && lineEnd < limit)
      return { headers: new Headers(bytes, fields, true), bodyStart: lineEnd + 1 }
    if (bytes[line] === SPACE || bytes[line] === TAB) {
      if (field) field.end = textEnd
      else if (nameAlone !== undefined && !isBlank(bytes, line, textEnd)) {
        field = readField(bytes, nameAlone, textEnd)
        if (field) fields.push(field)
        if (field && stray === nameAlone) stray = undefined
        nameAlone = undefined
      }
    } else {
      if (looked++ === mostFields) break
      field = readField(bytes, line, textEnd)
      if (field) fields.push(field)
      // Some fold before the colon: readers that unfold first see a field there.
      nameAlone = field ? undefined : line
      if (!field && line > start) stray ??= line
    }
    line = lineEnd + 1
  }
  return { headers: new Headers(bytes, fields, line >= end), bodyStart: (line >= end && stray) || end }
}

/** Where the line with `from` ends: at its LF, or at `limit`. For short lines a loop is faster than a search. */
export function endOfLine(bytes: Buffer, from: number, limit: number): number {
  const near = Math.min(limit, from + 256)
  let at = from
  while (at < near && bytes[at] !== LF) at++
  if (at < near || near === limit) return at
  const found = bytes.indexOf(LF, at)
  return found < 0 ? limit : Math.min(found, limit)
}

/** A name is printable ASCII without a colon; white space before the colon is obsolete syntax (section 4.5). */
function readField(bytes: Buffer, start: number, end: number) {
  let at = start
  while (at < end && isNameByte(bytes[at] ?? 0)) at++
  const nameEnd = at
  while (at < end && isSpace(bytes[at] ?? 0)) at++
  if (nameEnd === start || at >= end || bytes[at] !== COLON) return undefined
  return { name: bytes.toString('latin1', start, nameEnd).toLowerCase(), start, valueStart: at + 1, end }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start
  while (at < end && isSpace(bytes[at] ?? 0)) at++
  return at === end
}

/** A fold may lie before the colon. */
function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === CR || code === LF
}

function isNameByte(code: number): boolean {
  return code > SPACE && code < 0x7f && code !== COLON
}
