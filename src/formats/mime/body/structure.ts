import { type Headers, readHeaders } from '../header/headers.ts'
import { endOfLine } from '../header/lines.ts'
import { describe, OPAQUE, type OpenPart } from './describe-part.ts'
import type { Part } from './part.ts'

/** Limits for parts and their depth. The rest of the message is one opaque part. Real mail nests four or five deep. */
const MOST_PARTS = 1_000
const DEEPEST = 32
/** Limit for fields of a part's header, of which only the Content fields matter. */
const MOST_PART_FIELDS = 100
/** Limit for lines that start with `--` and are no delimiter; a line that begins like a delimiter counts tenfold. Keeps the worst
 *  25 MiB under 50 ms. */
const MOST_MISSES = 1_000_000
/** RFC 2046, section 5.1.1 allows 70. */
const LONGEST_BOUNDARY = 200

const LF = 0x0a
const CR = 0x0d
const DASH = 0x2d

interface Delimiter {
  readonly open: OpenMultipart
  /** Of how many multiparts around it. */
  readonly level: number
  readonly last: boolean
}

interface OpenMultipart {
  readonly part: OpenPart
  readonly boundary: Buffer
  /** A delimiter of it was seen. */
  delimited: boolean
}

/** Finds the parts of a message in one pass over its bytes, without decoding or copying. `headers` and `bodyStart` are the
 *  message's, whose own header starts at `header`. Sets the header's charset to that of the body, since old mailers write headers in it. Never throws, and takes linear
 *  time with any boundaries. */
export function readStructure(raw: Buffer, headers: Headers, bodyStart: number, header = 0): Part {
  const root = describe(headers, 'text/plain', { header, start: bodyStart, end: raw.length })
  new Walk(raw, root).run(bodyStart)
  if (root.parts.length === 0) root.path = '1'
  headers.charset = charsetOf(root)
  return root
}

/** The charset of the message, or of its first text that names one. */
function charsetOf(root: Part): string {
  for (const { leaf } of leaves(root)) {
    const charset = leaf.parameters.get('charset')
    if (charset !== undefined && leaf.type.startsWith('text/')) return charset
  }
  return ''
}

/** The leaves of a structure in their order, each with the multiparts that hold it, outermost first. */
export function* leaves(part: Part, within: readonly Part[] = []): Generator<{ leaf: Part; within: readonly Part[] }> {
  if (part.parts.length === 0 && !part.type.startsWith('multipart/')) yield { leaf: part, within }
  for (const child of part.parts) yield* leaves(child, [...within, part])
}

class Walk {
  readonly #raw: Buffer
  /** The multiparts that we are within, outermost first. */
  readonly #open: OpenMultipart[] = []
  /** The leaf that we are in; undefined before and after the parts of a multipart. */
  #leaf: OpenPart | undefined
  /** By first byte, how many of their boundaries start with it: rejects most other lines at once. */
  readonly #firstBytes = new Uint8Array(256)
  /** The multipart whose last delimiter we are behind: what follows is its own until a delimiter of one that holds it. */
  #ended: OpenPart | undefined
  #count = 0
  #misses = 0

  constructor(raw: Buffer, root: OpenPart) {
    this.#raw = raw
    this.#enter(root)
  }

  run(bodyStart: number): void {
    let line = this.#open.length > 0 ? nextDashes(this.#raw, bodyStart) : -1
    while (line >= 0) {
      const lineEnd = endOfLine(this.#raw, line, this.#raw.length)
      const delimiter = this.#delimiter(line + 2, lineEnd)
      if (delimiter === undefined) line = this.#misses < MOST_MISSES ? nextDashes(this.#raw, lineEnd + 1) : -1
      else if (delimiter.last) {
        this.#closeFrom(delimiter.level, line)
        // Not if it turned out to be no multipart: its text ends before the delimiter.
        const { part } = delimiter.open
        if (part.type.startsWith('multipart/')) this.#ended = part
        line = this.#open.length > 0 ? nextDashes(this.#raw, lineEnd + 1) : -1
      } else {
        this.#closeFrom(delimiter.level + 1, line)
        line = this.#startPart(lineEnd + 1)
      }
    }
    this.#closeFrom(0, this.#raw.length)
  }

  /** The innermost open multipart whose delimiter is there. White space may follow it, and behind that, or behind the dashes of a
   *  closing one, other text (RFC 2046, section 5.1.1), unless the whole line is the delimiter of another. */
  #delimiter(start: number, lineEnd: number): Delimiter | undefined {
    const raw = this.#raw
    this.#misses++
    if (!this.#firstBytes[raw[start] ?? 0]) return undefined
    let end = lineEnd
    while (end > start && (raw[end - 1] ?? 0) <= 0x20) end--
    let found: Delimiter | undefined
    for (let level = this.#open.length - 1; level >= 0; level--) {
      const open = this.#open[level]
      if (!open || end - start < open.boundary.length || !equalAt(raw, start, open.boundary)) continue
      const after = start + open.boundary.length
      const last = raw[after] === DASH && raw[after + 1] === DASH && after + 2 <= end
      const isWhole = end === after || (last && end === after + 2)
      if (isWhole || (!found && (last || (raw[after] ?? 0) <= 0x20))) found = { open, level, last }
      if (isWhole) break
    }
    if (!found) this.#misses += 9
    else {
      found.open.delimited = true
      this.#misses--
    }
    return found
  }

  /** Starts a part and returns the next line that may be a delimiter. It is looked for first, so that a header without
   *  an end is not read beyond its part. */
  #startPart(start: number): number {
    const parent = this.#open.at(-1)?.part
    if (!parent) return -1
    const next = nextDashes(this.#raw, start)
    const path = `${parent.path}${parent.path && '.'}${parent.parts.length + 1}`
    if (++this.#count >= MOST_PARTS) {
      parent.parts.push(opaque(path, start, this.#raw.length))
      return -1
    }
    const { headers, bodyStart } = readHeaders(this.#raw, start, next < 0 ? this.#raw.length : next, MOST_PART_FIELDS)
    const byDefault = parent.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
    const part = describe(headers, byDefault, { header: start, start: bodyStart, end: this.#raw.length })
    part.path = path
    parent.parts.push(part)
    this.#enter(part)
    return next
  }

  #enter(part: OpenPart): void {
    const boundary = Buffer.from(part.type.startsWith('multipart/') ? (part.parameters.get('boundary') ?? '') : '')
    if (boundary.length > 0 && boundary.length <= LONGEST_BOUNDARY && this.#open.length < DEEPEST) {
      this.#open.push({ part, boundary, delimited: false })
      this.#countFirstByte(boundary, 1)
      return
    }
    // A multipart that cannot be split: text, by RFC 2045, section 5.2, or nested too deep.
    if (part.type.startsWith('multipart/')) part.type = this.#open.length < DEEPEST ? 'text/plain' : OPAQUE
    this.#leaf = part
  }

  /** Ends the leaf that we are in and the multiparts from `level` inwards, before the line break before `line`. */
  #closeFrom(level: number, line: number): void {
    let end = line
    if (line < this.#raw.length) {
      if (this.#raw[end - 1] === LF) end--
      if (this.#raw[end - 1] === CR) end--
    }
    if (this.#leaf) {
      this.#leaf.end = end
      // A part without a body: its header ran into the delimiter.
      this.#leaf.start = Math.min(this.#leaf.start, end)
    }
    this.#leaf = undefined
    if (this.#ended) this.#ended.end = end
    this.#ended = undefined
    for (const { part, boundary, delimited } of this.#open.splice(level)) {
      this.#countFirstByte(boundary, -1)
      part.end = end
      part.start = Math.min(part.start, end)
      if (delimited && part.parts.length === 0) this.#withoutDelimiter(part)
      // The declared boundary does not occur: show the body as text.
      else if (!delimited) part.type = 'text/plain'
    }
  }

  /** Only the last delimiter of a multipart is there: what is before it is a part if it has its header, else text. */
  #withoutDelimiter(part: OpenPart): void {
    let start = part.start
    while (start < part.end && (this.#raw[start] ?? 0) <= 0x20) start++
    if (start === part.end) return
    part.type = 'text/plain'
    if (!/^content-(?:type|transfer-encoding)[ \t]*:/i.test(this.#raw.toString('latin1', start, start + 40))) return
    const { headers, bodyStart } = readHeaders(this.#raw, start, part.end, MOST_PART_FIELDS)
    const only = describe(headers, 'text/plain', { header: start, start: bodyStart, end: part.end })
    if (only.type.startsWith('multipart/')) return
    only.path = `${part.path}${part.path && '.'}1`
    part.type = 'multipart/mixed'
    part.parts.push(only)
  }

  #countFirstByte(boundary: Buffer, by: number): void {
    const byte = boundary[0] ?? 0
    this.#firstBytes[byte] = (this.#firstBytes[byte] ?? 0) + by
  }
}

function opaque(path: string, start: number, end: number): OpenPart {
  return { ...partWith({ type: OPAQUE }), path, header: start, start, end, parts: [] }
}

/** A part with these properties and no octets. */
export function partWith(known: Partial<Part>): Part {
  const nothing = { path: '', parameters: new Map(), disposition: '', filename: null, contentId: null, encoding: '' }
  return { ...nothing, type: OPAQUE, header: 0, start: 0, end: 0, parts: [], ...known }
}

/** The next line that starts with `--`, at or after `from`, which is the start of a line; -1 where there is none. Of
 *  two dashes side by side every second look finds one: 8 ms for 25 MiB. */
function nextDashes(raw: Buffer, from: number): number {
  for (let at = from + 1; at < raw.length; at += 2) {
    if (raw[at] !== DASH) continue
    if (raw[at - 1] === DASH && (at - 1 === from || raw[at - 2] === LF)) return at - 1
    if (raw[at - 1] === LF && raw[at + 1] === DASH) return at
  }
  return -1
}

function equalAt(raw: Buffer, start: number, expected: Buffer): boolean {
  for (let at = 0; at < expected.length; at++) if (raw[start + at] !== expected[at]) return false
  return true
}
