import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { Limits } from './limits.ts'
import type { Room } from './room.ts'
import { Gone, type Line, type Received, Wire } from './wire.ts'

/** A client's connection: what it sends, what is sent to it, and our patience with it. Times are `performance.now()`,
 *  so that setting the machine's clock hangs up on nobody. */
export class Connection {
  readonly address: string
  /** Version and cipher, once TLS is on. */
  tls: string | undefined
  readonly #limits: Limits
  #socket: Socket
  #wire: Wire
  #replies = ''
  #handshake = false
  /** When patience with the client ends; never while the client waits for us. */
  #deadline = Number.POSITIVE_INFINITY
  #waitingSince: number | undefined

  constructor(socket: Socket, address: string, limits: Limits) {
    this.address = address
    this.#limits = limits
    this.#socket = socket
    this.#wire = new Wire(socket)
  }

  /** Whether the client has sent more than it was asked for. */
  get ahead(): boolean {
    return this.#wire.ahead
  }

  /** Whether its next command need not be waited for. */
  get lineAhead(): boolean {
    return this.#wire.lineAhead
  }

  /** Since when the client has been about to say its next command; undefined while it is not its turn. */
  get waitingSince(): number | undefined {
    return this.#waitingSince
  }

  /** Replies gather here, so that those to pipelined commands leave together (RFC 2920 3.2). */
  say(text: string): void {
    this.#replies += text
  }

  /** Sends what has been said. Waits for a client that does not read. Throws `Gone`. */
  async flush(): Promise<void> {
    const replies = this.#replies
    this.#replies = ''
    if (this.#socket.destroyed) throw new Gone()
    if (!replies || this.#socket.write(replies)) return
    const socket = this.#socket
    await this.#patiently(this.#limits.command, () => {
      return new Promise<void>((resolve) => {
        socket.once('drain', resolve)
        socket.once('close', resolve)
      })
    })
  }

  /** The next command line. Throws `Gone`. */
  async line(): Promise<Line> {
    this.#waitingSince = performance.now()
    try {
      return await this.#patiently(this.#limits.command, () => this.#wire.line())
    } finally {
      this.#waitingSince = undefined
    }
  }

  /** The message after 354. Throws `Gone`. */
  async message(room: Room): Promise<Received> {
    const { message, messageSize, slowest } = this.#limits
    // Never more than at the beginning, or whoever sends much in one go could fall silent for hours.
    const progress = (octets: number) => {
      this.#deadline = Math.min(this.#deadline + (octets / slowest) * 1000, performance.now() + message)
    }
    return this.#patiently(message, () => this.#wire.message(messageSize, room, progress))
  }

  /** Goes over to TLS; what was sent in the clear before is not read. Throws `Gone` where the handshake fails. */
  async startTls(secureContext: SecureContext): Promise<void> {
    this.#wire.release()
    this.#handshake = true
    const secured = new TLSSocket(this.#socket, { isServer: true, secureContext })
    await this.#patiently(this.#limits.command, () => shaken(secured))
    this.#handshake = false
    this.#socket = secured
    this.#wire = new Wire(secured)
    this.tls = `${secured.getProtocol()} ${secured.getCipher().standardName}`
  }

  /** Sends what has been said and an end, then discards what still comes, so that no reset overtakes the last reply. */
  hangUp(): void {
    const socket = this.#socket
    if (socket.destroyed || socket.writableEnded) return
    this.#deadline = Number.POSITIVE_INFINITY
    this.#wire.close()
    if (this.#handshake) return void socket.destroy()
    socket.end(this.#replies)
    this.#replies = ''
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), this.#limits.farewell)
    socket.once('close', () => clearTimeout(timer))
  }

  /** When patience with the client ends; undefined while it waits for us. */
  get deadline(): number | undefined {
    return this.#deadline === Number.POSITIVE_INFINITY ? undefined : this.#deadline
  }

  /** Whether the client has kept us waiting for too long. */
  get expired(): boolean {
    return performance.now() >= this.#deadline
  }

  async #patiently<T>(milliseconds: number, wait: () => Promise<T>): Promise<T> {
    this.#deadline = performance.now() + milliseconds
    try {
      return await wait()
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY
    }
  }
}

/** Resolves when the handshake is done. Throws `Gone` where it fails, or the client says that nothing more will come. */
async function shaken(secured: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const gone = () => reject(new Gone())
  // The end shows only to whoever reads; before the handshake is done there is nothing else to be read.
  const look = () => secured.read(0)
  secured.once('secure', resolve)
  secured.on('readable', look)
  secured.once('end', gone)
  secured.once('close', gone)
  secured.on('error', gone)
  await promise
  secured.off('readable', look)
}
