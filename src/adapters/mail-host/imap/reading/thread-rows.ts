import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Address } from '#/mime/address/address.ts'
import { authorAmong, parseAddresses } from '#/mime/address/address-list.ts'
import { type Headers, readHeaders } from '#/mime/header/headers.ts'
import { type ThreadIds, threadIds } from '#/mime/header/references.ts'
import { type IdHashKey, idHashWords } from '#/mime/id-hash.ts'
import type { Message } from '#/mime/message.ts'
import type { MessageReader } from '#/mime/reader.ts'
import { isNotice } from '#/mime/report/report-fields.ts'
import { namedBy } from '#/mime/report/returned.ts'
import type { ThreadRows } from '#/ports/folder-changes.ts'
import { readPlainHeader } from './plain-header.ts'
import { ThreadColumns } from './thread-columns.ts'

/** Longer headers, which have thousands of ids, are read in pieces to keep the event loop free. */
const longHeader = 64 << 10
/** Ids hashed at once: 3 to 5 ms. */
const hashedAtOnce = 5_000

/** The header fields for threading. */
export const threadFields = 'MESSAGE-ID REFERENCES IN-REPLY-TO FROM CONTENT-TYPE X-MAILROOM-OWN-ID'

export interface ThreadRow {
  readonly uid: number
  readonly seen: boolean
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  /** Where the header is in the given bytes: the fields and the empty line. */
  readonly start: number
  readonly end: number
}

/** Collects from headers what threads need of new messages. */
export class ThreadRowsReader {
  readonly #key: IdHashKey
  readonly #reader: Pick<MessageReader, 'message'>
  readonly #columns = new ThreadColumns()
  /** The rows of notices of non-delivery, by uid. The messages that they return connect them too, and are in no header
   *  field. */
  readonly #notices = new Map<number, number>()

  constructor(key: IdHashKey, reader: Pick<MessageReader, 'message'>) {
    this.#key = key
    this.#reader = reader
  }

  get uids(): Uint32Array {
    return this.#columns.uids
  }

  /** The uids of the notices. */
  get notices(): number[] {
    return [...this.#notices.keys()]
  }

  /** Adds the ids that a notice returns. */
  addReturned(uid: number, returned: ThreadIds): void {
    const row = this.#notices.get(uid)
    if (row === undefined) return
    const { strong, weak } = namedBy(returned)
    this.#columns.addIds(row, idHashWords(this.#key, strong), idHashWords(this.#key, weak))
  }

  /** Keeps nothing of the bytes. A promise if the header is long and is read in pieces. */
  add(bytes: Buffer, { uid, seen, receivedAt, start, end }: ThreadRow): Promise<true> | undefined {
    this.#columns.begin(uid, seen, receivedAt)
    if (readPlainHeader(bytes, start, end, this.#key, this.#columns)) return undefined
    this.#columns.clear()
    return this.#addWithCare(uid, bytes.subarray(start, end))
  }

  #addWithCare(uid: number, header: Buffer): Promise<true> | undefined {
    if (header.length > longHeader) return this.#addLong(uid, Buffer.from(header))
    const { headers } = readHeaders(header)
    this.#noteNotice(uid, headers)
    const author = authorAmong(parseAddresses(headers.last('from') ?? ''))
    const { messageId, strong, weak } = threadIds(headers)
    this.#addOwn(messageId, author)
    this.#columns.strong.append(idHashWords(this.#key, strong))
    this.#columns.weak.append(idHashWords(this.#key, weak))
    return undefined
  }

  async #addLong(uid: number, header: Buffer): Promise<true> {
    const { headers, messageId, from, strong, weak } = await this.#reader.message(header)
    this.#noteNotice(uid, headers)
    this.#addOwn(messageId, from ?? undefined)
    for (const [column, ids] of [
      [this.#columns.strong, strong],
      [this.#columns.weak, weak],
    ] as const) {
      for (let at = 0; at < ids.length; at += hashedAtOnce) {
        await nextTurn()
        column.append(idHashWords(this.#key, ids.slice(at, at + hashedAtOnce)))
      }
    }
    return true
  }

  #noteNotice(uid: number, headers: Headers): void {
    if (isNotice(headers)) this.#notices.set(uid, this.#columns.rows - 1)
  }

  #addOwn(messageId: Message['messageId'], author: Address | undefined): void {
    const { ownId, sender } = this.#columns
    if (messageId !== null) ownId.words.set(idHashWords(this.#key, [messageId]), ownId.at)
    sender.append(Buffer.from(author?.address.toLowerCase() ?? ''))
  }

  rows(): ThreadRows {
    return this.#columns.all()
  }
}
