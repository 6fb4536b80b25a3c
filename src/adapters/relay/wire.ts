import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { Garbled, type Reply, ReplyReader } from './reply.ts'
import { broken, hungUp, Lost, late, NoTls, outOfStep, stopped } from './trouble.ts'

/** Whom a connection leads to. */
export interface Endpoint {
  /** What people know it by, and what its certificate must name. */
  readonly host: string
  /** An IP address, or a name for the system to look up. */
  readonly address: string
  readonly port: number
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string | undefined
}

/** A connection to an SMTP server: octets out, replies in. Nothing is read ahead of what was asked for but what the
 *  socket holds, so a server that never stops talking waits in the kernel's buffers. Every wait has a limit, in
 *  milliseconds, and there is one at a time. Everything throws `Lost`, and then the connection is gone. */
export class Wire {
  readonly host: string
  #socket: Socket
  #replies = new ReplyReader()
  #over = false
  #lost: Lost | undefined
  /** Looks again at what has come. */
  #wake: (() => void) | undefined
  #reject: ((why: Lost) => void) | undefined
  #idle: (() => void) | undefined

  private constructor(host: string, socket: Socket) {
    this.host = host
    this.#socket = socket
    socket.setNoDelay(true)
    this.#listen((error) => broken(host, error))
  }

  static async open({ host, address, port }: Endpoint, limit: number, signal: AbortSignal): Promise<Wire> {
    if (signal.aborted) throw stopped(signal)
    const socket = connect({ host: address, port })
    const wire = new Wire(host, socket)
    const stop = () => wire.destroy(stopped(signal))
    signal.addEventListener('abort', stop, { once: true })
    try {
      await wire.#patiently(
        limit,
        () => late('4.4.1', `${host} could not be reached`, limit),
        (done) => socket.once('connect', () => done(undefined)),
      )
      return wire
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Sends without waiting; where that fails, the next wait says so. */
  send(octets: string | Buffer): void {
    if (!this.#lost) this.#socket.write(octets)
  }

  /** Sends, and waits until the system has taken the octets. */
  async write(octets: Buffer, limit: number): Promise<void> {
    await this.#patiently(
      limit,
      () => late('4.4.2', `${this.host} took no more of the message`, limit),
      (done) => this.#socket.write(octets, (error) => error ?? done(undefined)),
    )
  }

  /** The next reply; `after` names what it answers. */
  async reply(after: string, limit: number): Promise<Reply> {
    const here = this.#read()
    if (here) return here
    return this.#patiently<Reply>(
      limit,
      () => late('4.4.2', `${this.host} did not answer ${after}`, limit),
      (done) => {
        this.#wake = () => {
          const reply = this.#read()
          if (reply) done(reply)
          else if (this.#over) this.#fail(hungUp(this.host, ` before it answered ${after}`))
        }
        this.#wake()
      },
    )
  }

  /** What came without being asked for; undefined where that is nothing. */
  unasked(): Reply | undefined {
    const reply = this.#read()
    if (reply) return reply
    if (this.#replies.pending) this.#fail(outOfStep(this.host))
    return undefined
  }

  /** Sees what the system has to tell by now. That nothing more comes is told after the last octet was read. */
  async look(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      const octets = this.#socket.read() as Buffer | null
      if (octets) this.#replies.feed(octets)
    }
  }

  /** Why nothing can be sent any more; undefined as long as nothing is known to be wrong. */
  lost(): Lost | undefined {
    return this.#over ? this.#fail(hungUp(this.host)) : this.#lost
  }

  /** Goes over to TLS. `verified`: the certificate must be trusted and name the host. Throws `NoTls`. */
  async secure({ host, ca }: Endpoint, verified: boolean, limit: number): Promise<void> {
    // What was said in the clear is no part of the secured session, whoever put it in.
    if (this.unasked()) throw this.#fail(outOfStep(host))
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
    this.#listen((error) => new NoTls('4.7.5', distrust(host, error), { cause: error }))
    await this.#patiently(
      limit,
      () => new NoTls('4.7.5', `${host} did not agree on TLS in time`),
      (done) => secured.once('secureConnect', () => done(undefined)),
    )
    this.#unlisten()
    this.#listen((error) => broken(host, error))
  }

  /** Why the certificate would not be trusted, null where it would; undefined in the clear. */
  get distrust(): string | null | undefined {
    if (!isTls(this.#socket)) return undefined
    return this.#socket.authorized ? null : String(this.#socket.authorizationError)
  }

  /** Calls back, once, when anything happens while nobody waits: the server hung up, or spoke unasked. */
  watch(changed: (() => void) | undefined): void {
    this.#idle = changed
  }

  /** Says QUIT, waits a little for the answer and goes. Never rejects. */
  async quit(limit: number): Promise<void> {
    this.watch(undefined)
    this.send('QUIT\r\n')
    await this.reply('QUIT', limit).catch(() => {})
    this.destroy()
  }

  /** Cuts the connection; whoever waits is told why. */
  destroy(why: Lost = hungUp(this.host)): void {
    this.#fail(why)
  }

  readonly #onReadable = () => this.#stir()
  readonly #onEnd = () => {
    this.#over = true
    this.#stir()
  }
  readonly #onClose = () => {
    this.#onEnd()
    this.#fail(hungUp(this.host))
  }
  #onError = (_: Error) => {}

  #listen(asLost: (error: Error) => Lost): void {
    this.#onError = (error) => {
      // What the server said before it cut the connection may be there to read.
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

  #stir(): void {
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
      if (!(error instanceof Garbled)) throw error
      this.#fail(new Lost('4.5.0', `${this.host} gave an answer that is none: ${error.message}`))
      return undefined
    }
  }

  /** What comes too late is said only then: an error takes longer to make than most replies to be read. */
  async #patiently<T>(limit: number, tooLate: () => Lost, start: (done: (value: T) => void) => void): Promise<T> {
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

  #fail(why: Lost): Lost {
    this.#lost ??= why
    this.#socket.destroy()
    this.#reject?.(this.#lost)
    return this.#lost
  }
}

function isTls(socket: Socket): socket is TLSSocket {
  return 'authorized' in socket
}

function distrust(host: string, error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  return /CERT|ISSUER|CA_|SIGNATURE|ALTNAME/.test(code)
    ? `The certificate of ${host} is not to be trusted: ${error.message.split('\n')[0]?.slice(0, 200)}`
    : `${host} and we could not agree on TLS${code && ` (${code})`}`
}
