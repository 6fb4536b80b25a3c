import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { slices } from '#/bytes.ts'
import type { ImapServer } from '#/config/imap-url.ts'
import { type Data, type Response, readResponse, type Status } from './response.ts'
import { ResponseSplitter } from './response-splitter.ts'
import { Slice } from './slice.ts'
import { CommandRefused, ConnectionLost } from './trouble.ts'

/** A command's parts: text that goes as it is, octets that go as literals, and lines that go when the server asks for them. */
export type Command = readonly (string | Buffer | { readonly asked: string })[]

/** Takes what a server says while a command runs. False: it is about something else. A promise holds up what comes next. */
export type Taker = (data: Data) => boolean | Promise<true>

/** Takes a response, which stands in the bytes from `start` to `end`, before it is taken apart, for those that come by the
 *  hundred thousand. Nothing may be kept of the bytes. False: it is not what it knows. */
export type BytesTaker = (bytes: Buffer, start: number, end: number) => boolean | Promise<true>

/** How long a server may be silent, in milliseconds: when it is asked for what it has at hand, and when it may have to
 *  look at every message of a folder first. */
export const patience = { usual: 4_500, whole: 60_000 } as const

/** What a socket has, all of them in turn: with memory for each look at a socket, most of it left empty, the garbage collector
 *  takes a tenth of the time in which a folder is read. */
const arrived = Buffer.allocUnsafeSlow(64 << 10)

interface Pending {
  readonly tag: string
  readonly name: string
  readonly take: Taker | undefined
  readonly takeBytes: BytesTaker | undefined
  readonly patience: number
  readonly done: PromiseWithResolvers<Status>
  asked: (() => void) | undefined
}

/** A connection to an IMAP server: commands out, responses in, each command with a limit to the server's silence. */
export class Connection {
  /** What the server says that no command asked for. */
  notice: (data: Data) => void = () => {}
  /** In upper case. */
  capabilities: ReadonlySet<string> = new Set()
  #socket: Socket
  #splitter = new ResponseSplitter()
  readonly #greeting = Promise.withResolvers<Status>()
  readonly #pending: Pending[] = []
  #silence: NodeJS.Timeout | undefined
  #lost: ConnectionLost | undefined
  #tags = 0
  /** Until the last command has ended. */
  #before: Promise<unknown> = Promise.resolve()
  readonly #slice = new Slice()
  /** Responses wait while one is being taken, or others have their turn. */
  #held = false
  readonly #closed = Promise.withResolvers<void>()

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#greeting.promise.catch(() => {})
    this.#attend(socket)
  }

  /** Connects and waits for the greeting. */
  static async open({ host, port, tls }: ImapServer): Promise<Connection> {
    // To a plain socket that TLS will take over it does not apply.
    const onread = { buffer: arrived, callback: (length: number) => connection.#hear(arrived.subarray(0, length)) }
    const socket =
      tls === 'implicit'
        ? connectTls({ port, ...identity(host) })
        : connectTcp({ host, port, ...(tls === 'never' && { onread }) })
    socket.setNoDelay(true)
    const connection = new Connection(socket)
    connection.#listen(patience.usual)
    try {
      const greeting = await connection.#greeting.promise
      if (greeting.status !== 'OK') throw new ConnectionLost(`The mail server greets with ${greeting.status}`)
      if (connection.capabilities.size === 0) await connection.run(['CAPABILITY'])
      if (tls === 'required') await connection.#startTls(host)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Resolves when it is of no more use. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  get usable(): boolean {
    return this.#lost === undefined
  }

  can(capability: string): boolean {
    return this.capabilities.has(capability)
  }

  /** Runs a command to its end. It is sent once earlier ones have ended: a server may run two at once, and what it says
   *  would be of either.
   *  @throws CommandRefused for NO and BAD, ConnectionLost */
  async run(command: Command, take?: Taker, wait: number = patience.usual, takeBytes?: BytesTaker): Promise<Status> {
    if (this.#lost) throw this.#lost
    const tag = `m${++this.#tags}`
    const [name = ''] = String(command[0]).split(' ', 1)
    const pending = {
      tag,
      name,
      take,
      takeBytes,
      patience: wait,
      done: Promise.withResolvers<Status>(),
      asked: undefined,
    }
    pending.done.promise.catch(() => {})
    this.#pending.push(pending)
    if (this.#pending.length === 1) this.#listen(wait)
    this.#socket.ref()
    this.#before = this.#before
      .then(() => this.#write(pending, command))
      .then(() => pending.done.promise)
      .catch(() => {})
    const status = await pending.done.promise
    if (status.status !== 'OK') throw new CommandRefused(name, status)
    return status
  }

  close(): void {
    this.#lose('The connection was closed')
  }

  async #write(pending: Pending, command: Command): Promise<void> {
    const octets: (string | Buffer)[] = [`${pending.tag} `]
    for (const part of command) {
      if (typeof part === 'string') octets.push(part)
      else if (part instanceof Buffer && this.can('LITERAL+')) octets.push(`{${part.length}+}\r\n`, part)
      else {
        octets.push(part instanceof Buffer ? `{${part.length}}\r\n` : '\r\n')
        if (!(await this.#isAsked(pending, octets.splice(0)))) return
        octets.push('asked' in part ? part.asked : part)
      }
    }
    octets.push('\r\n')
    await this.#send(octets)
  }

  /** Whether the server asks for more after this; if not, the command is over. */
  async #isAsked(pending: Pending, octets: readonly (string | Buffer)[]): Promise<boolean> {
    const asked = Promise.withResolvers<boolean>()
    pending.asked = () => asked.resolve(true)
    const over = () => asked.resolve(false)
    pending.done.promise.then(over, over)
    await this.#send(octets)
    return asked.promise
  }

  async #send(parts: readonly (string | Buffer)[]): Promise<void> {
    for (const part of parts) {
      for (const piece of typeof part === 'string' ? [Buffer.from(part, 'latin1')] : slices(part)) {
        if (this.#lost) return
        if (this.#socket.write(piece)) continue
        await Promise.race([once(this.#socket, 'drain'), this.closed])
        this.#listen()
      }
    }
  }

  /** Nothing that was said before counts (RFC 9051, section 6.2.1). */
  async #startTls(host: string): Promise<void> {
    if (!this.can('STARTTLS')) throw new ConnectionLost('The mail server, or somebody on the way, offers no STARTTLS')
    await this.run(['STARTTLS'])
    const plain = this.#socket
    plain.removeAllListeners('data')
    this.#splitter = new ResponseSplitter()
    this.#socket = connectTls({ socket: plain, ...identity(host) })
    this.#attend(this.#socket)
    this.capabilities = new Set()
    await this.run(['CAPABILITY'])
  }

  #attend(socket: Socket): void {
    socket.on('data', (chunk) => this.#hear(chunk))
    socket.on('error', (cause) => this.#lose(`The connection to the mail server broke: ${cause.message}`, { cause }))
    socket.on('close', () => this.#lose('The mail server closed the connection'))
  }

  #hear(chunk: Buffer): true {
    this.#listen()
    this.#splitter.push(chunk)
    if (!this.#held) this.#takeAll()
    return true
  }

  /** In order, and not before whoever took one is done with it. */
  #takeAll(): void {
    try {
      while (this.#splitter.next()) {
        const waiting = this.#takeNext() ?? (this.#slice.isOver() ? turn() : undefined)
        if (!waiting) continue
        this.#hold(waiting)
        return
      }
    } catch (cause) {
      this.#lose('The mail server cannot be understood', { cause })
    }
  }

  #takeNext(): Promise<unknown> | undefined {
    const { bytes, start, end } = this.#splitter
    const taken = this.#pending[0]?.takeBytes?.(bytes, start, end)
    if (taken) return taken === true ? undefined : taken
    // A copy: what is taken apart may be kept.
    return this.#take(readResponse(Buffer.from(bytes.subarray(start, end))))
  }

  #hold(waiting: Promise<unknown>): void {
    this.#held = true
    this.#socket.pause()
    waiting.then(
      () => this.#goOn(),
      (cause) => this.#lose('What the mail server said could not be taken', { cause }),
    )
  }

  #goOn(): void {
    this.#held = false
    if (this.#lost) return
    this.#socket.resume()
    this.#takeAll()
  }

  #take(response: Response): Promise<true> | undefined {
    if (response.kind === 'data') return this.#takeData(response)
    if (response.kind === 'continue') this.#pending[0]?.asked?.()
    else this.#takeStatus(response)
    return undefined
  }

  #takeStatus(response: Status): void {
    this.#takeCapabilities(response.code)
    if (response.tag === undefined) {
      this.#takeUntagged(response)
      return
    }
    const pending = this.#pending.shift()
    if (pending?.tag !== response.tag) throw new Error('The mail server ends a command that was not given')
    pending.done.resolve(response)
    this.#listen()
  }

  #takeUntagged(status: Status): void {
    this.#greeting.resolve(status)
    // A response code that belongs to the command at hand, as in `* OK [UIDVALIDITY 3]`.
    const [name, ...values] = status.code
    if (typeof name === 'string') this.#takeData({ kind: 'data', name: `[${name}]`, number: 0, values })
  }

  #takeData(data: Data): Promise<true> | undefined {
    if (data.name === 'CAPABILITY') this.#takeCapabilities([data.name, ...data.values])
    const taken = this.#pending[0]?.take?.(data) ?? false
    if (taken instanceof Promise) return taken
    if (!taken) this.notice(data)
    return undefined
  }

  #takeCapabilities([name, ...values]: readonly unknown[]): void {
    if (name === 'CAPABILITY') this.capabilities = new Set(values.map((value) => String(value).toUpperCase()))
  }

  /** The server has so long to say something, as long as it is asked for anything. */
  #listen(wait = this.#pending[0]?.patience): void {
    clearTimeout(this.#silence)
    if (this.#lost) return
    if (wait === undefined) {
      // Nobody waits for anything: a command of the operator may end.
      this.#socket.unref()
      return
    }
    this.#silence = setTimeout(() => {
      this.#lose(`The mail server was silent for ${wait / 1_000} s`, { silent: true })
    }, wait)
  }

  #lose(why: string, detail: { silent?: boolean; cause?: unknown } = {}): ConnectionLost {
    this.#lost ??= new ConnectionLost(why, detail)
    clearTimeout(this.#silence)
    this.#socket.destroy()
    this.#closed.resolve()
    this.#greeting.reject(this.#lost)
    for (const { done } of this.#pending.splice(0)) done.reject(this.#lost)
    return this.#lost
  }
}

/** Whom a certificate must be for. */
function identity(host: string): { host: string; servername?: string } {
  return isIP(host) === 0 ? { host, servername: host } : { host }
}
