import type { Socket } from 'node:net'
import type { TransformOptions, Writable } from 'node:stream'
import { constants, createDeflateRaw, type DeflateRaw, type ZlibOptions } from 'node:zlib'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'
import type { Output } from './output.ts'

/** Octets that are handed to the socket at a time, so that it is seen whether the client takes some; and that are kept for a
 *  client without having whoever writes wait. */
const portion = 64 * 1024
/** Text that is turned into octets together. */
const gathered = 16 * 1024

/** A window of 8 KiB and few tables: 48 KB a client in place of 260. */
const compression: ZlibOptions & TransformOptions = { windowBits: 13, memLevel: 5, highWaterMark: portion }

/** Sends responses. What is written within a turn of the event loop goes out together, compressed as one, and no more than `portion`
 *  and the last piece is kept for a client that does not read. */
export class Sender implements Output {
  #socket: Socket
  /** The socket, or what compresses for it. */
  #target: Writable
  #deflate: DeflateRaw | undefined
  #text = ''
  #queue: Buffer[] = []
  #queued = 0
  #isScheduled = false
  #isEnding = false
  /** Something was compressed that has not been flushed. */
  #isUnflushed = false
  #taken: PromiseWithResolvers<void> | undefined
  #stalledSince: number | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.#target = socket
    this.#listen(socket)
  }

  /** Since when the client has taken nothing of what waits for it; undefined if nothing waits. */
  get stalledSince(): number | undefined {
    return this.#stalledSince
  }

  get isCompressed(): boolean {
    return this.#deflate !== undefined
  }

  /** Texts are sent in UTF-8. Throws `ClientGone`. */
  write(piece: string | Buffer): Promise<void> | undefined {
    if (this.#socket.destroyed || this.#isEnding) throw new ClientGone()
    if (typeof piece === 'string') this.#text += piece
    else {
      this.#gather()
      this.#enqueue(piece)
    }
    if (this.#text.length >= gathered) this.#gather()
    if (this.#queued >= portion) this.#pump()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(this.#turn)
    }
    return this.taken()
  }

  /** Resolves once what was written needs no memory to speak of; undefined if that is so. Throws `ClientGone`. */
  taken(): Promise<void> | undefined {
    if (this.#queued < portion && this.#stalledSince === undefined) return undefined
    this.#taken ??= Promise.withResolvers()
    return this.#taken.promise
  }

  /** Resolves once all that was written has been handed to the system, or the client is gone. */
  async flushed(): Promise<void> {
    this.#turn()
    while (this.#queued > 0 && !this.#socket.destroyed) await this.taken()?.catch(() => {})
    const written = Promise.withResolvers<void>()
    this.#socket.once('close', written.resolve)
    this.#socket.write('', () => written.resolve())
    await written.promise
    this.#socket.off('close', written.resolve)
  }

  /** Sends over another socket, which has taken this one over. Nothing waits. */
  replace(socket: Socket): void {
    this.#socket.off('drain', this.#drained)
    this.#socket.off('close', this.#closed)
    this.#socket = socket
    this.#target = socket
    this.#listen(socket)
  }

  /** Compresses what is written from now on (RFC 4978). */
  compress(): void {
    const deflate = createDeflateRaw(compression)
    deflate.on('drain', this.#drained).on('error', () => {})
    deflate.pipe(this.#socket)
    this.#socket.off('drain', this.#drained)
    this.#target = deflate
    this.#deflate = deflate
  }

  /** Sends what was written, and says that no more will come. */
  end(): void {
    this.#isEnding = true
    this.#turn()
  }

  readonly #turn = () => {
    this.#isScheduled = false
    this.#gather()
    this.#pump()
  }

  readonly #drained = () => {
    this.#stalledSince = undefined
    this.#pump()
  }

  readonly #closed = () => {
    this.#queue = []
    this.#queued = 0
    this.#text = ''
    this.#taken?.promise.catch(() => {})
    this.#taken?.reject(new ClientGone())
    this.#taken = undefined
    this.#deflate?.destroy()
  }

  #listen(socket: Socket): void {
    socket.on('drain', this.#drained)
    socket.on('close', this.#closed)
  }

  #gather(): void {
    if (this.#text) this.#enqueue(Buffer.from(this.#text))
    this.#text = ''
  }

  #enqueue(octets: Buffer): void {
    if (octets.length === 0) return
    this.#queue.push(octets)
    this.#queued += octets.length
  }

  #pump(): void {
    if (this.#socket.destroyed) return
    while (this.#queued > 0 && this.#stalledSince === undefined) {
      const octets = this.#next()
      this.#queued -= octets.length
      this.#isUnflushed = this.isCompressed
      if (!this.#target.write(octets)) this.#stalledSince = performance.now()
    }
    if (this.#queued > 0) return
    if (this.#isUnflushed) this.#flush()
    if (this.#isEnding && !this.#target.writableEnded) this.#target.end()
    if (this.#stalledSince !== undefined) return
    this.#taken?.resolve()
    this.#taken = undefined
  }

  /** The next octets to hand over: a part of a large piece, or several small ones. */
  #next(): Buffer {
    const [first = Buffer.alloc(0)] = this.#queue
    if (first.length > portion) {
      this.#queue[0] = first.subarray(portion)
      return first.subarray(0, portion)
    }
    let count = 1
    let length = first.length
    for (; count < this.#queue.length; count++) {
      length += this.#queue[count]?.length ?? 0
      if (length > portion) break
    }
    const pieces = this.#queue.splice(0, count)
    return count === 1 ? first : Buffer.concat(pieces)
  }

  /** Has the client able to inflate what was compressed up to here. */
  #flush(): void {
    this.#isUnflushed = false
    this.#deflate?.flush(constants.Z_SYNC_FLUSH)
  }
}
