import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import {
  broken,
  ConnectionLost,
  connectionClosed,
  outOfSequence,
  stopped,
  TlsFailed,
  timedOut,
  tlsFailed,
} from '../delivery-failure.ts'
import type { Endpoint } from './endpoint.ts'
import { MalformedReply, type Reply, ReplyReader } from './reply.ts'

/** A connection to an SMTP server. It reads no more than one chunk ahead, so a server that floods it fills only the
 *  kernel's buffers. There is one wait at a time, with a time-out in milliseconds. Methods throw `ConnectionLost`, after
 *  which the connection is closed. */
export class SmtpConnection {
  readonly host: string
  #socket: Socket
  #replies = new ReplyReader()
  #over = false
  #lost: ConnectionLost | undefined
  #wake: (() => void) | undefined
  #reject: ((why: ConnectionLost) => void) | undefined
  #idle: (() => void) | undefined

  private constructor(host: string, socket: Socket) {
    this.host = host
    this.#socket = socket
    socket.setNoDelay(true)
    this.#listen((error) => broken(host, error))
  }

  static async open(to: Endpoint, limit: number, signal: AbortSignal): Promise<SmtpConnection> {
    if (signal.aborted) throw stopped(signal)
    const { host, address, port, localAddress } = to
    const socket = connect({ host: address, port, localAddress })
    const connection = new SmtpConnection(host, socket)
    const stop = () => connection.destroy(stopped(signal))
    signal.addEventListener('abort', stop, { once: true })
    try {
      await connection.#within(
        limit,
        () => timedOut('4.4.1', `${host} could not be reached`, limit),
        (done) => socket.once('connect', () => done(undefined)),
      )
      return connection
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Sends without waiting; the next wait reports a failure. */
  send(octets: string | Buffer): void {
    if (!this.#lost) this.#socket.write(octets)
  }

  /** Sends, and waits until the system has accepted the octets. */
  async write(octets: Buffer, limit: number): Promise<void> {
    await this.#within(
      limit,
      () => timedOut('4.4.2', `${this.host} accepted no more data`, limit),
      (done) => this.#socket.write(octets, (error) => error ?? done(undefined)),
    )
  }

  /** The next reply; `after` names the command. */
  async reply(after: string, limit: number): Promise<Reply> {
    const here = this.#read()
    if (here) return here
    return this.#within<Reply>(
      limit,
      () => timedOut('4.4.2', `${this.host} did not answer ${after}`, limit),
      (done) => {
        this.#wake = () => {
          const reply = this.#read()
          if (reply) done(reply)
          else if (this.#over) this.#fail(connectionClosed(this.host, ` before it answered ${after}`))
        }
        this.#wake()
      },
    )
  }

  /** An unsolicited reply, if there is one. */
  unsolicited(): Reply | undefined {
    const reply = this.#read()
    if (reply) return reply
    if (this.#replies.pending) this.#fail(outOfSequence(this.host))
    return undefined
  }

  /** Polls the socket. Its end is reported only after the last octet was read. */
  async poll(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await new Promise((resolve) => setImmediate(resolve))
      const octets = this.#socket.read() as Buffer | null
      if (octets) this.#replies.feed(octets)
    }
  }

  /** Why the connection is unusable, if it is. */
  lost(): ConnectionLost | undefined {
    return this.#over ? this.#fail(connectionClosed(this.host)) : this.#lost
  }

  /** Starts TLS. `verified`: the certificate must be trusted and name the host. Throws `TlsFailed`. */
  async secure({ host, ca }: Endpoint, verified: boolean, limit: number): Promise<void> {
    // Input from before the handshake could have been injected.
    if (this.unsolicited()) throw this.#fail(outOfSequence(host))
    const plain = this.#socket
    this.#unlisten()
    plain.on('error', () => {})
    const secured = connectTls({
      socket: plain,
      rejectUnauthorized: verified,
      ...(ca !== undefined && { ca }),
      ...(isIP(host) === 0 ? { servername: host } : { host }),
    })
    plain.once('close', () => secured.destroy())
    this.#socket = secured
    this.#listen((error) => tlsFailed(host, error))
    await this.#within(
      limit,
      () => new TlsFailed('4.7.5', `${host} timed out in the TLS handshake`),
      (done) => secured.once('secureConnect', () => done(undefined)),
    )
    this.#unlisten()
    this.#listen((error) => broken(host, error))
  }

  /** Why the certificate is not trusted; null if it is, undefined in the clear. */
  get distrust(): string | null | undefined {
    if (!isTls(this.#socket)) return undefined
    return this.#socket.authorized ? null : String(this.#socket.authorizationError)
  }

  /** Calls back once if the idle connection is closed by the server, or receives input. */
  watch(changed: (() => void) | undefined): void {
    this.#idle = changed
  }

  /** Sends QUIT, waits for the reply and closes. Never rejects. */
  async quit(limit: number): Promise<void> {
    this.watch(undefined)
    this.send('QUIT\r\n')
    await this.reply('QUIT', limit).catch(() => {})
    this.destroy()
  }

  /** Closes the connection; a pending wait is rejected with `why`. */
  destroy(why: ConnectionLost = connectionClosed(this.host)): void {
    this.#fail(why)
  }

  readonly #onReadable = () => this.#onInput()
  readonly #onEnd = () => {
    this.#over = true
    this.#onInput()
  }
  readonly #onClose = () => {
    this.#onEnd()
    this.#fail(connectionClosed(this.host))
  }
  #onError = (_: Error) => {}

  #listen(asLost: (error: Error) => ConnectionLost): void {
    this.#onError = (error) => {
      // A last reply may be buffered.
      this.#wake?.()
      this.#fail(asLost(error))
    }
    this.#socket.on('readable', this.#onReadable)
    this.#socket.on('end', this.#onEnd)
    this.#socket.on('close', this.#onClose)
    this.#socket.on('error', this.#onError)
  }

  #unlisten(): void {
    this.#socket.off('readable', this.#onReadable)
    this.#socket.off('end', this.#onEnd)
    this.#socket.off('close', this.#onClose)
    this.#socket.off('error', this.#onError)
  }

  #onInput(): void {
    if (this.#wake) return void this.#wake()
    const idle = this.#idle
    this.#idle = undefined
    idle?.()
  }

  #read(): Reply | undefined {
    try {
      for (;;) {
        const reply = this.#replies.next()
        if (reply) return reply
        const octets = this.#socket.read() as Buffer | null
        if (octets === null) return undefined
        this.#replies.feed(octets)
      }
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error
      this.#fail(new ConnectionLost('4.5.0', `${this.host} sent a malformed reply: ${error.message}`))
      return undefined
    }
  }

  /** `tooLate` is lazy: creating an error costs more than reading most replies. */
  async #within<T>(
    limit: number,
    tooLate: () => ConnectionLost,
    start: (done: (value: T) => void) => void,
  ): Promise<T> {
    if (this.#lost) throw this.#lost
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const timer = setTimeout(() => this.#fail(tooLate()), limit)
    this.#reject = reject
    try {
      start(resolve)
      return await promise
    } finally {
      clearTimeout(timer)
      this.#reject = undefined
      this.#wake = undefined
    }
  }

  #fail(why: ConnectionLost): ConnectionLost {
    this.#lost ??= why
    this.#socket.destroy()
    this.#reject?.(this.#lost)
    return this.#lost
  }
}

function isTls(socket: Socket): socket is TLSSocket {
  return 'authorized' in socket
}
