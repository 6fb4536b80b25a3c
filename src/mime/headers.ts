import { isUtf8 } from 'node:buffer'
import { decodeUnlabelled } from './charset.ts'
import { decodeText } from './encoded-words.ts'

/** How much of a header is looked at, in bytes and in fields. What lies beyond is kept with the message, unread. */
const MOST_BYTES = 8 * 1024 * 1024
const MOST_FIELDS = 10_000

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a

/** A field of a header, as offsets into the bytes it was read from. */
interface Field {
  /** In lower case. */
  readonly name: string
  /** Where the field's first line starts. */
  readonly start: number
  /** Where its value starts and ends, line breaks of folding within. */
  readonly valueStart: number
  readonly end: number
}

/** The fields of a message's or a part's header (RFC 5322, section 2.2). Values are decoded when they are asked for. */
export class Headers {
  /** In their order. */
  readonly fields: readonly Field[]
  readonly #bytes: Buffer
  readonly #byName = new Map<string, Field[]>()

  constructor(bytes: Buffer, fields: readonly Field[]) {
    this.#bytes = bytes
    this.fields = fields
    for (const field of fields) {
      const same = this.#byName.get(field.name)
      if (same) same.push(field)
      else this.#byName.set(field.name, [field])
    }
  }

  /** `name` in lower case, here and below. */
  count(name: string): number {
    return this.#byName.get(name)?.length ?? 0
  }

  /** The unfolded values of every field of that name, in order; encoded words as they are. */
  all(name: string): string[] {
    return (this.#byName.get(name) ?? []).map((field) => this.#value(field))
  }

  first(name: string): string | undefined {
    const field = this.#byName.get(name)?.[0]
    return field && this.#value(field)
  }

  /** As `all`, but one character an octet, for values that must be taken apart before they are decoded. */
  octets(name: string): string[] {
    return (this.#byName.get(name) ?? []).map(({ valueStart, end }) =>
      unfold(this.#bytes.toString('latin1', valueStart, end)),
    )
  }

  /** The first field's text for people: encoded words decoded, no controls. Empty where there is no such field. */
  text(name: string): string {
    return decodeText(this.first(name) ?? '')
  }

  #value(field: Field): string {
    const { valueStart, end } = field
    let value = this.#bytes.toString('latin1', valueStart, end)
    if (/[\x80-\xff]/.test(value)) {
      const bytes = this.#bytes.subarray(valueStart, end)
      value = isUtf8(bytes) ? bytes.toString('utf8') : decodeUnlabelled(bytes)
    }
    return unfold(value)
  }
}

/** RFC 5322, section 2.2.3: the line break goes, the white space after it stays. */
function unfold(value: string): string {
  return (value.includes('\n') ? value.replace(/\r?\n/g, '') : value).trim()
}

/** Reads the header that starts at `start`, up to the empty line. Takes LF for CRLF, an mbox `From ` line, lines that
 *  are no field (skipped) and a header without a body. `bodyStart` is `end` where no empty line comes. Never throws. */
export function readHeaders(bytes: Buffer, start = 0, end = bytes.length): { headers: Headers; bodyStart: number } {
  const limit = Math.min(end, start + MOST_BYTES)
  const fields: Field[] = []
  let field: { name: string; start: number; valueStart: number; end: number } | undefined
  let line = start
  while (line < limit) {
    const newline = bytes.indexOf(LF, line)
    const lineEnd = newline < 0 || newline >= limit ? limit : newline
    const textEnd = lineEnd > line && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd
    if (textEnd === line && lineEnd < limit) return { headers: new Headers(bytes, fields), bodyStart: lineEnd + 1 }
    const first = bytes[line]
    if (first === 0x20 || first === 0x09) {
      if (field) field.end = textEnd
    } else {
      field = fields.length < MOST_FIELDS ? readField(bytes, line, textEnd) : undefined
      if (field) fields.push(field)
    }
    line = lineEnd + 1
  }
  return { headers: new Headers(bytes, fields), bodyStart: limit < end ? bodyAfter(bytes, limit, end) : end }
}

function bodyAfter(bytes: Buffer, from: number, end: number): number {
  const at = bytes.indexOf('\r\n\r\n', from, 'latin1')
  return at < 0 || at >= end ? end : Math.min(end, at + 4)
}

/** A name is printable ASCII without colon (RFC 5322, section 2.2); white space before the colon is obsolete syntax. */
function readField(bytes: Buffer, start: number, end: number) {
  let at = start
  while (at < end) {
    const code = bytes[at] ?? 0
    if (code <= 0x20 || code >= 0x7f || code === COLON) break
    at++
  }
  const nameEnd = at
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++
  if (nameEnd === start || bytes[at] !== COLON || at >= end) return undefined
  return { name: bytes.toString('latin1', start, nameEnd).toLowerCase(), start, valueStart: at + 1, end }
}
