import { setImmediate as turn } from 'node:timers/promises'
import { parseAddresses } from '#/mime/address-list.ts'
import { readHeaders } from '#/mime/headers.ts'
import { type IdHashKey, idHashes } from '#/mime/id-hash.ts'
import { threadIds } from '#/mime/references.ts'
import type { ThreadRows } from '#/ports/folder-changes.ts'

/** Longer headers, which name thousands of ids, are taken up in turns of the event loop. */
const longHeader = 64 << 10
/** Hashed in one turn: 3 to 5 ms. */
const hashedAtOnce = 5_000

/** The header fields that threading goes by. */
export const threadFields = 'MESSAGE-ID REFERENCES IN-REPLY-TO FROM'

export interface ThreadRow {
  readonly uid: number
  readonly seen: boolean
  readonly receivedAt: number
  /** The fields, and the empty line. */
  readonly header: Buffer
}

/** Gathers new messages, column by column, out of the headers that a server sends. */
export class ThreadRowsReader {
  readonly #key: IdHashKey
  readonly #uid: number[] = []
  readonly #seen: number[] = []
  readonly #receivedAt: number[] = []
  readonly #sender: Buffer[] = []
  readonly #id: Buffer[] = []
  readonly #strong: Buffer[] = []
  readonly #weak: Buffer[] = []

  constructor(key: IdHashKey) {
    this.#key = key
  }

  get uids(): readonly number[] {
    return this.#uid
  }

  /** Nothing is kept of the header itself. A promise where it is so long that it takes turns. */
  add({ uid, seen, receivedAt, header }: ThreadRow): Promise<true> | undefined {
    this.#uid.push(uid)
    this.#seen.push(seen ? 1 : 0)
    this.#receivedAt.push(receivedAt)
    const { headers } = readHeaders(header)
    this.#sender.push(Buffer.from(senderOf(headers.first('from'))))
    const { messageId, strong, weak } = threadIds(headers)
    this.#id.push(messageId === null ? noId : idHashes(this.#key, [messageId]))
    if (header.length > longHeader) return this.#addLong(strong, weak)
    this.#strong.push(idHashes(this.#key, strong))
    this.#weak.push(idHashes(this.#key, weak))
    return undefined
  }

  async #addLong(strong: readonly string[], weak: readonly string[]): Promise<true> {
    this.#strong.push(await this.#hashed(strong))
    this.#weak.push(await this.#hashed(weak))
    return true
  }

  async #hashed(ids: readonly string[]): Promise<Buffer> {
    const hashes: Buffer[] = []
    for (let at = 0; at < ids.length; at += hashedAtOnce) {
      await turn()
      hashes.push(idHashes(this.#key, ids.slice(at, at + hashedAtOnce)))
    }
    return Buffer.concat(hashes)
  }

  rows(): ThreadRows {
    return {
      uid: Uint32Array.from(this.#uid),
      seen: Uint8Array.from(this.#seen),
      receivedAt: Float64Array.from(this.#receivedAt),
      sender: Buffer.concat(this.#sender),
      senderLength: lengths(this.#sender),
      id: Buffer.concat(this.#id),
      strong: Buffer.concat(this.#strong),
      strongLength: lengths(this.#strong),
      weak: Buffer.concat(this.#weak),
      weakLength: lengths(this.#weak),
    }
  }
}

const noId = Buffer.alloc(8)

/** Nearly every From is one of these, which need no parser: `a@b`, `<a@b>`, `Name <a@b>`. */
const plain = /^(?:[^"(),:;<>@[\]\\]*<)?([!#-'*+\-./0-9=?A-Z^_`a-z{|}~]+@[\w.-]+)>?$/

function senderOf(from: string | undefined): string {
  if (from === undefined) return ''
  const address = plain.exec(from)?.[1] ?? parseAddresses(from)[0]?.address ?? ''
  return address.toLowerCase()
}

function lengths(buffers: readonly Buffer[]): Uint32Array {
  return Uint32Array.from(buffers, ({ length }) => length)
}
