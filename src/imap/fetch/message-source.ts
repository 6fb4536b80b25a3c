import type { Db } from '#/base/db/schema.ts'
import { type Entity, readEntity } from '#/formats/mime/entity/entity.ts'
import type { Headers } from '#/formats/mime/header/headers.ts'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { octetsOf } from '#/mail/store/octets.ts'
import type { Content } from './contents.ts'
import type { ReadAhead } from './read-ahead.ts'
import type { Range } from './section.ts'
import { largeStructure } from './structures.ts'

/** Where messages are read. */
export interface Store {
  readonly db: Db
  readonly reader: MessageReader
  readonly organizationId: string
  readonly signal: AbortSignal
  readonly ahead: ReadAhead
}

/** A header with its octets. */
export interface HeaderOctets {
  readonly headers: Headers
  readonly bytes: Buffer
}

/** Limit for a header whose fields are told one by one. Fields behind it are left out. */
const mostHeader = 512 << 10

/** The octets of one message and where its parts are in them. What was not read with it is read when it is asked for; then `Gone`
 *  is thrown if the message is no longer there. */
export class MessageSource {
  readonly #store: Store
  readonly #content: Content
  /** Of the message, as `ReadAhead` knows it. */
  readonly #name: string
  #entity: Entity | undefined
  /** The range of the message's header; undefined if its end is not known from the beginning of the message. */
  #header: Range | undefined
  #fields: { readonly range: Range; readonly octets: HeaderOctets } | undefined

  constructor(store: Store, content: Content, name: string) {
    this.#store = store
    this.#content = content
    this.#name = name
  }

  get size(): number {
    return this.#content.sizeBytes
  }

  async entity(): Promise<Entity> {
    const { structure } = this.#content
    this.#entity ??= this.#isWhole
      ? readEntity(this.#content.head)
      : structure === null
        ? await largeStructure(this.#store, this.#store.organizationId, this.#content, this.#store.signal)
        : (JSON.parse(structure) as Entity)
    return this.#entity
  }

  /** Where the message's own header is, which is found in its beginning, unless that is all header. */
  async header(): Promise<Range> {
    this.#header ??= this.#headerInHead() ?? { start: 0, end: (await this.entity()).start }
    return this.#header
  }

  /** The fields of a header that is there; the last is kept, since items may name it many times. */
  async headerOctets(range: Range): Promise<HeaderOctets> {
    if (this.#fields?.range.start !== range.start) this.#fields = { range, octets: await this.#readHeader(range) }
    return this.#fields.octets
  }

  async #readHeader({ start, end }: Range): Promise<HeaderOctets> {
    const bytes = await this.bytes({ start, end: Math.min(end, start + mostHeader) })
    return { headers: readHeaders(bytes).headers, bytes }
  }

  /** All octets of a short range. */
  async bytes(range: Range): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.octets(range)) pieces.push(piece)
    const [only] = pieces
    return only && pieces.length === 1 ? only : Buffer.concat(pieces)
  }

  /** In pieces. */
  async *octets({ start, end }: Range): AsyncGenerator<Buffer> {
    const { head } = this.#content
    if (end <= start) return
    if (end <= head.length) yield head.subarray(start, end)
    else yield* this.#stored({ start, end })
  }

  /** A part of the octets that end at `last`, which a client may ask for one after the other. */
  piece(range: Range, last: number): AsyncIterable<Buffer> {
    const isRead = range.end <= range.start || range.end <= this.#content.head.length
    if (isRead) return this.octets(range)
    const read = (wanted: Range) => this.#stored(wanted)
    return this.#store.ahead.octets(this.#name, this.#content, range, { last, read })
  }

  #stored(range: Range): AsyncIterable<Buffer> {
    const { db, organizationId } = this.#store
    return octetsOf(db, organizationId, this.#content.contentId, range)
  }

  get #isWhole(): boolean {
    return this.#content.head.length === this.#content.sizeBytes
  }

  #headerInHead(): Range | undefined {
    const { head } = this.#content
    const { headers, bodyStart, signedStart } = readHeaders(head)
    const isKnown = this.#isWhole || (headers.complete && signedStart < head.length)
    return isKnown ? { start: 0, end: bodyStart } : undefined
  }
}
