import { isUtf8 } from 'node:buffer'
import { decodeBytes, decodeUnlabelled } from './charset.ts'
import { decodeText } from './encoded-words.ts'
import { trimSpace } from './lexical.ts'

/** How much of a header is looked at, in bytes and in lines that start a field. A header that is longer is read that
 *  far, and no body is found after it: looking for its end would hold the event loop. */
const MOST_BYTES = 8 * 1024 * 1024
const MOST_FIELDS = 10_000
/** How much of one value is decoded. References, the one field that may be longer, are read as octets. */
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
  /** Where its value starts, and where it ends before its last line break; line breaks of folding lie within. */
  readonly valueStart: number
  readonly end: number
}

/** The fields of a message's or a part's header (RFC 5322, section 2.2). Values are decoded when they are asked for;
 *  names are given in lower case. */
export class Headers {
  /** In the order of the header. */
  readonly fields: readonly Field[]
  /** False where the header is longer than what is looked at: its other fields are not known. */
  readonly complete: boolean
  readonly #bytes: Buffer
  readonly #byName = new Map<string, Field[]>()
  /** What octets above 127 are in where they are not UTF-8: what the body is in. */
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

  /** Of a field that a header may have once. Where it stands twice the last counts, as for a signature (RFC 6376, section
   *  5.4.2): what was put in front of a signed field is not shown in its place. */
  last(name: string): string | undefined {
    const field = this.#byName.get(name)?.at(-1)
    return field && this.#value(field)
  }

  /** False where a field of that name is longer than what is decoded of it. */
  isWhole(name: string): boolean {
    return (this.#byName.get(name) ?? []).every(({ valueStart, end }) => end - valueStart <= MOST_VALUE)
  }

  /** As `all`, but one character an octet and still folded, for values that are taken apart before they are decoded. */
  octets(name: string): string[] {
    return (this.#byName.get(name) ?? []).map(({ valueStart, end }) => this.#octets(valueStart, end))
  }

  /** The last field's text for people: encoded words decoded, no controls. Empty where there is no such field. */
  text(name: string): string {
    const field = this.#byName.get(name)?.at(-1)
    return field ? decodeText(this.#value(field, false)) : ''
  }

  /** Of a `structured` value nobody may hide an @ or a bracket in a character of two octets. */
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

/** What divides a structured value. */
function punctuation(text: string): string {
  return text.replace(/[^@<>,;:"()[\]\\]+/g, '')
}

/** Reads the header that starts at `start`, up to the empty line. Takes LF for CRLF, an mbox `From ` line, lines that
 *  are no field (they are skipped) and a header without a body, for which `bodyStart` is `end`. Where the empty line is
 *  missing, the body starts at the first line that is no field. Never throws. */
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
  /** Where a line stands that is no field, at the start of which an mbox may have one. */
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
      // Some fold before the colon; whoever unfolds first reads a field there.
      nameAlone = field ? undefined : line
      if (!field && line > start) stray ??= line
    }
    line = lineEnd + 1
  }
  return { headers: new Headers(bytes, fields, line >= end), bodyStart: (line >= end && stray) || end }
}

/** Where the line that holds `from` ends: at its LF, or at `limit`. Short lines are cheaper to walk than to search. */
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
