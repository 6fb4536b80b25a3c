import { Duplex } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'
import { Batches } from './batches.ts'

/** AuthenticationOk and ReadyForQuery (idle): all code that can reach the thread may use the database. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

/** The messages of the port: batches to the engine, blocks back, and at the end `close` in both directions, since the other
 *  side may not notice that a port was closed. */
export type ToSession = Uint8Array<ArrayBuffer> | 'close'
export type FromSession = Uint8Array<ArrayBuffer> | 'close'

/** One connection to the embedded engine, in the form of a socket for node-postgres. `port` leads to the engine's thread,
 *  where the end of the stream ends the session and rolls back its transaction. */
export class WireStream extends Duplex {
  readonly #port: MessagePort
  readonly #batches = new Batches()
  readonly #arrived: FromSession[] = []
  #delivering = false

  constructor(port: MessagePort) {
    super({ decodeStrings: true })
    this.#port = port
    port.on('message', (message: FromSession) => {
      this.#arrived.push(message)
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

  /** One block per turn of the event loop, as from a socket: parsing small rows of 64 KiB takes 1 to 3 ms, and what is longer is one row. A port
   *  delivers up to a thousand messages in one turn: a result of 100,000 rows held the loop for 350 ms. */
  #deliver(): void {
    const block = this.#arrived.shift()
    this.#delivering = block !== undefined
    if (block === undefined) return
    setImmediate(() => this.#deliver())
    if (this.destroyed) return
    this.push(block === 'close' ? null : Buffer.from(block.buffer, block.byteOffset, block.length))
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    for (const event of this.#batches.add(chunk)) {
      if (event.kind === 'startup') this.push(welcome)
      else if (event.kind === 'terminate') this.#send('close')
      else this.#send(event.bytes)
    }
    done()
  }

  #send(message: ToSession): void {
    this.#port.postMessage(message, message === 'close' ? [] : [message.buffer])
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#send('close')
    this.#port.close()
    done(error)
  }
}
