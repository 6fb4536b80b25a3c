import { Duplex } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'
import { Batches } from './batches.ts'

/** AuthenticationOk and ReadyForQuery (idle): whoever can reach the thread may use the database. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

/**
 * One connection to the embedded engine, as node-postgres expects a socket to be. `port` leads to the engine's
 * thread; closing it ends the session there and rolls back what it left open.
 */
export class WireStream extends Duplex {
  readonly #port: MessagePort
  readonly #batches = new Batches()
  readonly #arrived: Uint8Array[] = []
  #delivering = false

  constructor(port: MessagePort) {
    super({ decodeStrings: true })
    this.#port = port
    port.on('message', (bytes: Uint8Array) => {
      this.#arrived.push(bytes)
      if (!this.#delivering) this.#deliver()
    })
  }

  connect(): this {
    queueMicrotask(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    this.#port.ref()
    return this
  }

  unref(): this {
    this.#port.unref()
    return this
  }

  /** One block in each turn of the event loop: a large result would otherwise be parsed in one go. */
  #deliver(): void {
    const block = this.#arrived.shift()
    this.#delivering = this.#arrived.length > 0
    if (this.#delivering) setImmediate(() => this.#deliver())
    if (block && !this.destroyed) this.push(Buffer.from(block.buffer, block.byteOffset, block.byteLength))
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    for (const event of this.#batches.add(chunk)) {
      if (event.kind === 'startup') this.push(welcome)
      else if (event.kind === 'terminate') this.push(null)
      else this.#port.postMessage(event.bytes, [event.bytes.buffer])
    }
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port.close()
    done(error)
  }
}
