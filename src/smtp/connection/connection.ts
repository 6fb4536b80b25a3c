import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { Limits } from './limits.ts'
import type { MemoryReservation } from './message-memory.ts'
import { ClientGone, type Line, type Received, SmtpReader } from './smtp-reader.ts'

/** A client's connection, with its time limits. Times are by `performance.now()`: setting the machine's clock does not
 *  disconnect clients. */
export class ClientConnection {
  readonly address: string
  /** Version and cipher; undefined without TLS. */
  tls: string | undefined
  readonly #limits: Limits
  #socket: Socket
  #reader: SmtpReader
  #replies = ''
  #handshake = false
  #deadline = Number.POSITIVE_INFINITY
  #waitingSince: number | undefined

  constructor(socket: Socket, address: string, limits: Limits) {
    this.address = address
    this.#limits = limits
    this.#socket = socket
    this.#reader = new SmtpReader(socket)
  }

  /** Whether the client has sent more than was read. */
  get ahead(): boolean {
    return this.#reader.ahead
  }

  /** Whether the next command has been received. */
  get lineAhead(): boolean {
    return this.#reader.lineAhead
  }

  /** Since when the session waits for the next command; undefined while it does not. */
  get waitingSince(): number | undefined {
    return this.#waitingSince
  }

  /** Buffers a reply: those to pipelined commands are sent together (RFC 2920, section 3.2). */
  say(text: string): void {
    this.#replies += text
  }

  /** Sends the buffered replies. If the client does not read, resolves once it does. Throws `ClientGone`. */
  flush(): Promise<void> | undefined {
    const replies = this.#replies
    this.#replies = ''
    if (this.#socket.destroyed) throw new ClientGone()
    if (!replies || this.#socket.write(replies)) return undefined
    const socket = this.#socket
    return this.#within(this.#limits.command, () => {
      return new Promise<void>((resolve) => {
        socket.once('drain', resolve)
        socket.once('close', resolve)
      })
    })
  }

  /** The next command line. Throws `ClientGone`. */
  async line(): Promise<Line> {
    this.#waitingSince = performance.now()
    this.#deadline = this.#waitingSince + this.#limits.command
    try {
      return await this.#reader.line()
    } finally {
      this.#waitingSince = undefined
      this.#deadline = Number.POSITIVE_INFINITY
    }
  }

  /** The message after 354. Throws `ClientGone`. */
  async message(memory: MemoryReservation): Promise<Received> {
    const { message, messageSize, slowest } = this.#limits
    // Capped at the initial limit, or a fast start would allow hours of silence.
    const progress = (octets: number) => {
      this.#deadline = Math.min(this.#deadline + (octets / slowest) * 1000, performance.now() + message)
    }
    return this.#within(message, () => this.#reader.message(messageSize, memory, progress))
  }

  /** Starts TLS; what was sent in the clear is not read. Throws `ClientGone` if the handshake fails. */
  async startTls(secureContext: SecureContext): Promise<void> {
    this.#reader.release()
    this.#handshake = true
    const secured = new TLSSocket(this.#socket, { isServer: true, secureContext })
    await this.#within(this.#limits.command, () => handshake(secured))
    this.#handshake = false
    this.#socket = secured
    this.#reader = new SmtpReader(secured)
    this.tls = `${secured.getProtocol()} ${secured.getCipher().standardName}`
  }

  /** Sends the buffered replies, shuts down, and discards further input: a reset could overtake the last reply. */
  close(): void {
    const socket = this.#socket
    if (socket.destroyed || socket.writableEnded) return
    this.#deadline = Number.POSITIVE_INFINITY
    this.#reader.close()
    if (this.#handshake) return void socket.destroy()
    socket.end(this.#replies)
    this.#replies = ''
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), this.#limits.linger)
    socket.once('close', () => clearTimeout(timer))
  }

  /** When the client's time limit ends; undefined while it waits for us. */
  get deadline(): number | undefined {
    return this.#deadline === Number.POSITIVE_INFINITY ? undefined : this.#deadline
  }

  async #within<T>(milliseconds: number, wait: () => Promise<T>): Promise<T> {
    this.#deadline = performance.now() + milliseconds
    try {
      return await wait()
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY
    }
  }
}

/** Throws `ClientGone` if it fails, or the client shuts down its side. */
export async function handshake(secured: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const gone = () => reject(new ClientGone())
  secured.once('secure', resolve)
  secured.once('end', gone)
  secured.once('close', gone)
  secured.on('error', gone)
  await promise
}
