import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib'
import { ResponseReader } from './response-reader.ts'

/** What a command was answered. */
export interface ImapAnswer {
  /** `OK`, `NO` or `BAD`. */
  readonly status: string
  /** The tagged line after the status: `[READ-WRITE] Done`. */
  readonly text: string
  /** Untagged responses before it, in order, without `* ` and their last line end, with literals as they came, in Latin-1. */
  readonly untagged: readonly string[]
}

/** Part of a command: what is sent as a literal, all else is text. */
export interface Literal {
  readonly literal: string | Buffer
  /** `''` waits for the server to ask for it, `+` does not (RFC 7888). */
  readonly mark?: '' | '+'
  /** A literal8 (RFC 3516). */
  readonly binary?: boolean
}

/** A raw client of IMAP that sends given octets, also forbidden ones; texts are Latin-1.
 *
 *      await using client = await ImapClient.greeted(port)
 *      const { status, untagged } = await client.run('LOGIN ann@example.com ', { literal: 'secret' })
 *      client.write('i1 IDLE\r\n')
 *      await client.untagged(/^1 EXISTS/)
 */
export class ImapClient implements AsyncDisposable {
  #socket: Socket
  #reader = new ResponseReader()
  #write: (octets: Buffer) => void
  #tags = 0
  #wake: (() => void)[] = []
  #isOver = false

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#write = (octets) => socket.write(octets)
    this.#listen(socket)
  }

  static async open(port: number, { host = '127.0.0.1', localAddress }: { host?: string; localAddress?: string } = {}) {
    const socket = connect({ port, host, noDelay: true, ...(localAddress && { localAddress }) })
    await once(socket, 'connect')
    return new ImapClient(socket)
  }

  /** Connects over implicit TLS, without verification of the certificate. `first` is sent before, in the clear, as a proxy does. */
  static async openTls(port: number, first = ''): Promise<ImapClient> {
    const clear = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(clear, 'connect')
    clear.write(first, 'latin1')
    const socket = connectTls({ socket: clear, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    return new ImapClient(socket)
  }

  /** Connects and reads the greeting. */
  static async greeted(port: number): Promise<ImapClient> {
    const client = await ImapClient.open(port)
    await client.untagged(/^(OK|BYE|PREAUTH)/)
    return client
  }

  /** Sends exactly these octets. */
  write(octets: string | Buffer): void {
    this.#write(typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets)
  }

  /** Sends a command with a tag, and answers what it was answered. A literal waits until the server asks for it, unless it is
   *  marked otherwise; if the command is refused instead, that is the answer. */
  async run(...parts: readonly (string | Literal)[]): Promise<ImapAnswer> {
    const tag = `t${++this.#tags}`
    this.write(`${tag} `)
    for (const part of parts) {
      if (typeof part === 'string') {
        this.write(part)
        continue
      }
      const { literal, mark = '', binary = false } = part
      const octets = typeof literal === 'string' ? Buffer.from(literal, 'latin1') : literal
      this.write(`${binary ? '~' : ''}{${octets.length}${mark}}\r\n`)
      if (mark === '' && (await this.#asked(tag))) return this.answer(tag)
      this.write(octets)
    }
    this.write('\r\n')
    return this.answer(tag)
  }

  /** The answer to the command with this tag, which was written before. */
  async answer(tag: string): Promise<ImapAnswer> {
    const line = await this.#when(() => this.#reader.takeTagged(tag))
    return { ...line, untagged: this.#reader.takeUntagged() }
  }

  /** Waits for an untagged response that matches, and answers it. It and all before it are taken. */
  async untagged(pattern: RegExp): Promise<string> {
    return this.#when(() => this.#reader.takeUntil(pattern))
  }

  /** Waits for a continuation request, and answers its text. */
  async continuation(): Promise<string> {
    return this.#when(() => this.#reader.takeContinuation())
  }

  /** STARTTLS, without verification of the certificate. `behind` is sent with it, in the clear. */
  async startTls(behind = ''): Promise<ImapAnswer> {
    const tag = `t${++this.#tags}`
    this.write(`${tag} STARTTLS\r\n${behind}`)
    const answer = await this.answer(tag)
    if (answer.status !== 'OK') return answer
    this.#socket.removeAllListeners('data')
    const secured: TLSSocket = connectTls({ socket: this.#socket, rejectUnauthorized: false })
    await once(secured, 'secureConnect')
    this.#socket = secured
    this.#write = (octets) => secured.write(octets)
    this.#listen(secured)
    return answer
  }

  /** COMPRESS DEFLATE (RFC 4978). */
  async compress(): Promise<ImapAnswer> {
    const answer = await this.run('COMPRESS DEFLATE')
    if (answer.status !== 'OK') return answer
    const [deflate, inflate] = [createDeflateRaw(), createInflateRaw()]
    this.#socket.removeAllListeners('data')
    this.#socket.pipe(inflate)
    inflate.on('data', (octets) => this.#hear(octets)).on('error', () => this.#socket.destroy())
    deflate.pipe(this.#socket)
    this.#write = (octets) => {
      deflate.write(octets)
      deflate.flush(constants.Z_SYNC_FLUSH)
    }
    return answer
  }

  /** Stops to read, as a client that does not take its answers. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Resolves once the server has ended the connection, to all that it said since what was last taken. */
  async ended(): Promise<string> {
    await this.#when(() => this.#isOver || undefined)
    return this.#reader.takeAll()
  }

  /** Ends the connection as a client that crashes. */
  cut(): void {
    this.#socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.closed) return
    this.#socket.destroy()
    await once(this.#socket, 'close')
  }

  #listen(socket: Socket): void {
    socket.on('data', (octets) => this.#hear(octets))
    // A server that hangs up early resets what is still in transit.
    socket.on('error', () => {})
    const over = () => {
      this.#isOver = true
      this.#stir()
    }
    socket.once('end', over).once('close', over)
  }

  #hear(octets: Buffer): void {
    this.#reader.feed(octets.toString('latin1'))
    this.#stir()
  }

  #stir(): void {
    const waiting = this.#wake
    this.#wake = []
    for (const wake of waiting) wake()
  }

  /** Whether the command was refused in place of being asked for a literal. */
  async #asked(tag: string): Promise<boolean> {
    return this.#when(() => {
      if (this.#reader.hasTagged(tag)) return true
      return this.#reader.takeContinuation() === undefined ? undefined : false
    })
  }

  /** What is looked for, once it is there. Throws if the connection ends before. */
  async #when<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      if (this.#isOver) throw new Error(`the connection has ended after: ${this.#reader.takeAll()}`)
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }
}
