import { isUtf8 } from 'node:buffer'
import { switchesToJapanese } from '../charset/switched.ts'
import { decodeBytes, decodeUnlabelled } from '../charset.ts'
import { decodeWholeText, escapeInWords } from './encoded-words.ts'
import { trimSpace } from './lexical.ts'
import {
  endOfLine,
  type Field,
  isBlank,
  isMboxLine,
  lacksParameter,
  type OpenField,
  readField,
  startsWithSpace,
} from './lines.ts'
import { MissingSeparator } from './missing-separator.ts'

/** Limits for a header, in bytes and in fields. A longer one is read that far, and no body is found after it: to search for its
 *  end would block the event loop. */
const MOST_BYTES = 8 * 1024 * 1024
const MOST_FIELDS = 10_000
/** Limit for decoding a value. References may be longer, and are read as octets. */
const MOST_VALUE = 256 * 1024

const CR = 0x0d
const DASH = 0x2d

/** The fields of a message's or a part's header (RFC 5322, section 2.2). Values are decoded on request. Names are in lower case. */
export class Headers {
  /** In the order of the header. */
  readonly fields: readonly Field[]
  /** False if the header is over the limits: its other fields are unknown. */
  readonly complete: boolean
  /** How many of the fields stand before the text. Those behind are lines of a text that no empty line separates, which
   *  other readers may take for fields. */
  readonly certain: number
  readonly #bytes: Buffer
  readonly #byName = new Map<string, Field[]>()
  /** The charset of octets above 127 that are not UTF-8: that of the body. */
  charset: string

  constructor(bytes: Buffer, fields: readonly Field[], complete: boolean, certain = fields.length, charset = '') {
    this.#bytes = bytes
    this.charset = charset
    this.complete = complete
    this.fields = fields
    this.certain = certain
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
    const field = this.#last(name)
    return field && this.#value(field)
  }

  #last(name: string): Field | undefined {
    const same = this.#byName.get(name)
    const textStart = this.fields[this.certain]?.start
    if (textStart === undefined) return same?.at(-1)
    return same?.findLast(({ start }) => start < textStart) ?? same?.at(-1)
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
    const field = this.#last(name)
    return field ? this.textOf(field) : ''
  }

  /** The decoded text of one of the fields. */
  textOf(field: Field): string {
    return decodeWholeText(this.#value(field, false))
  }

  /** In a `structured` value, no @ or bracket may be hidden in a character of two octets. */
  #value({ valueStart, end }: Field, structured = true): string {
    const folded = this.#octets(valueStart, Math.min(end, valueStart + MOST_VALUE))
    // RFC 5322, section 2.2.3: unfolding takes the line break and leaves the white space after it.
    const written = folded.includes('\n') ? folded.replace(/\r?\n/g, '') : folded
    if (!/[\x1b\x80-\xff]/.test(written)) return written
    const octets = escapeInWords(written)
    const bytes = Buffer.from(octets, 'latin1')
    const japanese = switchesToJapanese(bytes)
    if (!japanese && (this.charset === '' || isUtf8(bytes))) return decodeUnlabelled(bytes)
    const text = decodeBytes(bytes, japanese ? '' : this.charset)
    const holds = !text.includes('\ufffd') && (!structured || punctuation(text) === punctuation(octets))
    return holds ? text : decodeUnlabelled(bytes)
  }

  #octets(start: number, end: number): string {
    return trimSpace(this.#bytes.toString('latin1', start, end))
  }
}

/** The delimiters of structured values, without those of escape sequences. */
function punctuation(text: string): string {
  return text.replace(/\x1b[($][@BIJ]|[^\x1b@<>,;:"()[\]\\]+|\x1b/g, '')
}

/** Where a header ends. */
export interface ReadHeader {
  readonly headers: Headers
  /** Where the text starts. */
  readonly bodyStart: number
  /** Where a signature finds the body (RFC 6376, section 3.4): behind the empty line. */
  readonly signedStart: number
}

/** Reads the header from `start` to the empty line. Accepts LF for CRLF, an mbox `From ` line, invalid lines (which it skips) and
 *  a header without a body, for which `bodyStart` is `end`. Without an empty line where the text starts, `bodyStart` is in front of
 *  that. Never throws. */
export function readHeaders(bytes: Buffer, start = 0, end = bytes.length, mostFields = MOST_FIELDS): ReadHeader {
  const limit = Math.min(end, start + MOST_BYTES)
  const fields: OpenField[] = []
  const separator = new MissingSeparator()
  let field: OpenField | undefined
  let nameAlone: number | undefined
  let looked = 0
  let line = start
  while (line < limit) {
    const lineEnd = endOfLine(bytes, line, limit)
    const textEnd = lineEnd > line && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd
    if (textEnd === line && lineEnd < limit) return asRead(bytes, fields, separator, lineEnd + 1, true)
    if (startsWithSpace(bytes, line)) {
      const blank = isBlank(bytes, line, textEnd)
      separator.continuation(line, lineEnd + 1, blank)
      if (field) field.end = textEnd
      else if (nameAlone !== undefined && !blank) {
        // Some fold before the colon: readers that unfold first see a field there.
        field = readField(bytes, nameAlone, textEnd)
        if (field) fields.push(field)
        if (field) separator.folded(nameAlone)
        nameAlone = undefined
      }
    } else {
      if (looked++ === mostFields) break
      const next = readField(bytes, line, textEnd)
      nameAlone = next ? undefined : line
      if (next) {
        separator.field(line, next.name, fields.length)
        fields.push(next)
      } else if (field && lacksParameter(bytes, field)) {
        field.end = textEnd
        line = lineEnd + 1
        continue
      } else if (!isMboxLine(bytes, line, line === start)) {
        separator.text(line, fields.length, bytes[line] === DASH && bytes[line + 1] === DASH)
      }
      field = next
    }
    line = lineEnd + 1
  }
  return asRead(bytes, fields, separator, end, line >= end)
}

function asRead(
  bytes: Buffer,
  fields: OpenField[],
  { textStart, fieldsBefore }: MissingSeparator,
  signedStart: number,
  complete: boolean,
): ReadHeader {
  const certain = textStart === undefined ? fields.length : fieldsBefore
  const last = fields[certain - 1]
  // Indented words behind a line of white space were read as its continuation.
  if (last && textStart !== undefined) last.end = Math.min(last.end, textStart - 1)
  return { headers: new Headers(bytes, fields, complete, certain), bodyStart: textStart ?? signedStart, signedStart }
}
