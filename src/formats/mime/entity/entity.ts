import { OPAQUE } from '../body/describe-part.ts'
import type { Part } from '../body/part.ts'
import { readStructure } from '../body/structure.ts'
import { decodedLength } from '../body/transfer-decoder.ts'
import { type Headers, readHeaders } from '../header/headers.ts'
import { type ContentFields, ContentReader } from './content-fields.ts'
import { type Envelope, readEnvelope } from './envelope.ts'

/** A message or a part of one, with all that IMAP's BODYSTRUCTURE says of it (RFC 9051, section 7.5.2), and where its octets are. It
 *  is plain data, to be kept as JSON. Parts have the numbers of `Part.path`. */
export interface Entity extends ContentFields {
  /** Where its own header starts, which ends where the body starts. */
  readonly header: number
  readonly start: number
  readonly end: number
  /** Line breaks in the body of a text or an enclosed message; 0 for others. */
  readonly lines: number
  /** The length of the body once its transfer encoding is decoded; null if that is unknown or was not asked for. */
  readonly decoded: number | null
  /** Of a multipart. */
  readonly parts: readonly Entity[]
  /** The enclosed message that is the body. */
  readonly message: EnclosedMessage | null
}

export interface EnclosedMessage {
  readonly envelope: Envelope
  readonly root: Entity
}

/** Limits for enclosed messages, so that their structure takes bounded time and room. What is beyond is opaque. */
const DEEPEST = 32
const MOST_ENTITIES = 1_000

const LF = 0x0a

/** Reads the structure of a message, with the decoded lengths if they are wanted. Never throws. */
export function readEntity(raw: Buffer, withLengths = false): Entity {
  return new EntityReader(raw, withLengths).message(0, raw.length, 0).root
}

class EntityReader {
  readonly #raw: Buffer
  readonly #withLengths: boolean
  readonly #content: ContentReader
  #count = 0

  constructor(raw: Buffer, withLengths: boolean) {
    this.#raw = raw
    this.#withLengths = withLengths
    this.#content = new ContentReader(raw)
  }

  /** The message that these octets are, within `depth` others. */
  message(from: number, end: number, depth: number): { headers: Headers; root: Entity } {
    const bytes = this.#raw.subarray(0, end)
    const { headers, bodyStart } = readHeaders(bytes, from)
    return { headers, root: this.#entity(readStructure(bytes, headers, bodyStart, from), depth, from) }
  }

  #entity(part: Part, depth: number, from: number): Entity {
    this.#count++
    const { parts } = part
    // What is empty ends before the line break in front of its delimiter, where its header would start.
    const header = Math.max(from, Math.min(part.header, part.start))
    const start = Math.max(header, part.start)
    const end = Math.max(start, part.end)
    const encloses = parts.length === 0 && (part.type === 'message/rfc822' || part.type === 'message/global')
    const opens = encloses && depth < DEEPEST && this.#count < MOST_ENTITIES
    const type = encloses && !opens ? OPAQUE : part.type
    return {
      ...this.#content.fields(header, start, type),
      ...{ header, start, end },
      lines: opens || type.startsWith('text/') ? lineBreaks(this.#raw, start, end) : 0,
      decoded: this.#withLengths && parts.length === 0 && !opens ? decodedLength(this.#raw, part) : null,
      parts: this.#isWithoutParts(part) ? [this.#nothing(end)] : parts.map((one) => this.#entity(one, depth, start)),
      message: opens ? this.#enclosed(start, end, depth + 1) : null,
    }
  }

  /** A multipart of which nothing but the last delimiter is there. */
  #isWithoutParts({ type, parts }: Part): boolean {
    return parts.length === 0 && type.startsWith('multipart/')
  }

  /** An empty text: a multipart has a part at least. */
  #nothing(at: number): Entity {
    const place = { header: at, start: at, end: at }
    return { ...this.#content.fields(at, at, 'text/plain'), ...place, lines: 0, decoded: 0, parts: [], message: null }
  }

  #enclosed(start: number, end: number, depth: number): EnclosedMessage {
    const { headers, root } = this.message(start, end, depth)
    return { envelope: this.#content.within(readEnvelope(headers)), root }
  }
}

function lineBreaks(raw: Buffer, start: number, end: number): number {
  let count = 0
  for (let at = raw.indexOf(LF, start); at >= 0 && at < end; at = raw.indexOf(LF, at + 1)) count++
  return count
}
