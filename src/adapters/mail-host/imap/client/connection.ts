import { once } from 'node:events'
import type { Socket } from 'node:net'
import { slices } from '#/event-loop/pieces.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { CommandRefused, ConnectionLost } from './errors.ts'
import { Receiver } from './receiver.ts'
import { type Data, type Response, readResponse, type Status } from './response.ts'
import { openSocket, secure } from './socket.ts'

/** A command's parts: text, octets that are sent as literals, and lines that answer a continuation request. */
export type Command = readonly (string | Buffer | { readonly continuation: string })[]

/** How long a server may be silent, in milliseconds: when the reply is at hand, when it checks a password, which takes a busy
 *  machine long on purpose, and when it may have to read every message of a folder. */
export const timeouts = { usual: 4_500, login: 30_000, wholeFolder: 60_000 } as const

interface Options {
  /** Gets data that the server sends while the command runs. False if the data is not part of its reply. A promise delays
   *  what follows. */
  readonly onData?: (data: Data) => boolean | Promise<true>
  /** Gets a response before it is parsed, in the bytes from `start` to `end`, which are valid until it returns: for
   *  responses that come in large numbers. False if the response is to be parsed. */
  readonly onBytes?: (bytes: Buffer, start: number, end: number) => boolean | Promise<true>
  readonly timeout?: number
}

interface Running extends Options {
  /** Empty for the greeting, with which every connection begins. */
  readonly tag: string
  readonly awaited: string
  readonly timeout: number
  readonly done: PromiseWithResolvers<Status>
  onContinuation: (() => void) | undefined
}

/** A connection to an IMAP server: commands out, responses in. Every command times out. */
export class ImapConnection {
  /** Gets data that belongs to no command. */
  onUnsolicited: (data: Data) => void = () => {}
  /** In upper case. */
  #capabilities: ReadonlySet<string> = new Set()
  readonly #server: ImapServer
  readonly #name: string
  #socket: Socket
  #receiver: Receiver
  #running: Running | undefined
  /** Settles when the last command has ended. */
  #queue: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #lost: ConnectionLost | undefined
  readonly #closed = Promise.withResolvers<void>()
  #tags = 0

  private constructor(server: ImapServer) {
    this.#server = server
    this.#name = `${server.host}:${server.port}`
    this.#receiver = this.#newReceiver()
    this.#socket = this.#attend(openSocket(server, (bytes) => this.#receive(bytes)))
  }

  /** Connects, with TLS if configured, and reads the capabilities. @throws ConnectionLost, CommandRefused */
  static async open(server: ImapServer): Promise<ImapConnection> {
    const connection = new ImapConnection(server)
    try {
      const greeting = await connection.#begin('', 'greeting').done.promise
      if (greeting.status !== 'OK')
        throw new ConnectionLost(connection.#name, `The server greeted with ${greeting.status}`)
      if (connection.#capabilities.size === 0) await connection.run(['CAPABILITY'])
      if (server.tls === 'required') await connection.#startTls()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Resolves when the connection is no longer usable. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  get usable(): boolean {
    return this.#lost === undefined
  }

  /** Whether the server has a capability, given in upper case. */
  can(capability: string): boolean {
    return this.#capabilities.has(capability)
  }

  /** Runs a command to its end. It is sent once earlier ones have ended: a server may run two concurrently, and their
   *  responses could not be told apart. @throws CommandRefused for NO and BAD, ConnectionLost */
  run(command: Command, options: Options = {}): Promise<Status> {
    const ended = this.#queue.then(() => this.#run(command, options))
    this.#queue = ended.catch(() => {})
    return ended
  }

  close(): void {
    this.#lose('The connection was closed')
  }

  async #run(command: Command, options: Options): Promise<Status> {
    if (this.#lost) throw this.#lost
    const [name = ''] = /^(?:UID )?\S+/.exec(String(command[0])) ?? []
    const running = this.#begin(`m${++this.#tags}`, `answer to ${name}`, options)
    await this.#send(running, command)
    const status = await running.done.promise
    if (status.status !== 'OK') throw new CommandRefused(this.#name, name, status)
    return status
  }

  #begin(tag: string, awaited: string, options?: Options): Running {
    const done = Promise.withResolvers<Status>()
    done.promise.catch(() => {})
    this.#running = { timeout: timeouts.usual, ...options, tag, awaited, done, onContinuation: undefined }
    this.#socket.ref()
    this.#watch()
    return this.#running
  }

  async #send(running: Running, command: Command): Promise<void> {
    const octets: (string | Buffer)[] = [`${running.tag} `]
    for (const part of command) {
      if (typeof part === 'string') octets.push(part)
      else if (part instanceof Buffer && this.can('LITERAL+')) octets.push(`{${part.length}+}\r\n`, part)
      else {
        octets.push(part instanceof Buffer ? `{${part.length}}\r\n` : '\r\n')
        if (!(await this.#isContinued(running, octets.splice(0)))) return
        octets.push('continuation' in part ? part.continuation : part)
      }
    }
    octets.push('\r\n')
    await this.#write(octets)
  }

  /** Whether the server requests the rest; if not, the command has ended. */
  async #isContinued(running: Running, octets: readonly (string | Buffer)[]): Promise<boolean> {
    const continued = Promise.withResolvers<boolean>()
    running.onContinuation = () => continued.resolve(true)
    const ended = () => continued.resolve(false)
    running.done.promise.then(ended, ended)
    await this.#write(octets)
    return continued.promise
  }

  async #write(parts: readonly (string | Buffer)[]): Promise<void> {
    const pieces = parts.flatMap((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : [...slices(part)]))
    for (const piece of pieces) {
      if (this.#lost) return
      if (this.#socket.write(piece)) continue
      await Promise.race([once(this.#socket, 'drain').catch(() => {}), this.closed])
      this.#watch()
    }
  }

  /** Discards capabilities from before TLS (RFC 9051, section 6.2.1). */
  async #startTls(): Promise<void> {
    if (!this.can('STARTTLS'))
      throw new ConnectionLost(this.#name, 'The server, or somebody in between, offers no STARTTLS')
    await this.run(['STARTTLS'])
    this.#receiver = this.#newReceiver()
    this.#socket = this.#attend(secure(this.#socket, this.#server, (bytes) => this.#receive(bytes)))
    this.#capabilities = new Set()
    await this.run(['CAPABILITY'])
  }

  #attend(socket: Socket): Socket {
    socket.on('error', (cause) => this.#lose(`The connection failed: ${cause.message}`, { cause }))
    socket.on('close', () => this.#lose('The server closed the connection'))
    return socket
  }

  #receive(bytes: Buffer): void {
    this.#watch()
    this.#receiver.push(bytes, this.#socket)
  }

  #newReceiver(): Receiver {
    return new Receiver(
      (bytes, start, end) => {
        const handled = this.#running?.onBytes?.(bytes, start, end)
        if (handled) return handled === true ? undefined : handled
        // A copy, since the parsed data may be kept.
        return this.#handle(readResponse(Buffer.from(bytes.subarray(start, end))))
      },
      (cause) => this.#lose('A response could not be read', { cause }),
    )
  }

  #handle(response: Response): Promise<true> | undefined {
    if (response.kind === 'data') return this.#handleData(response)
    if (response.kind === 'continue') this.#running?.onContinuation?.()
    else this.#handleStatus(response)
    return undefined
  }

  #handleStatus(status: Status): void {
    const [name, ...values] = status.code
    this.#learnCapabilities(status.code)
    if (status.tag !== undefined || this.#running?.tag === '') this.#end(status)
    // A response code of the running command, as in `* OK [UIDVALIDITY 3]`.
    else if (typeof name === 'string') this.#handleData({ kind: 'data', name: `[${name}]`, number: 0, values })
  }

  #end(status: Status): void {
    const running = this.#running
    this.#running = undefined
    if (running?.tag !== (status.tag ?? '')) throw new Error(`The server ended ${status.tag}, which does not run`)
    running?.done.resolve(status)
    this.#watch()
  }

  #handleData(data: Data): Promise<true> | undefined {
    if (data.name === 'CAPABILITY') this.#learnCapabilities([data.name, ...data.values])
    const handled = this.#running?.onData?.(data) ?? false
    if (handled instanceof Promise) return handled
    if (!handled) this.onUnsolicited(data)
    return undefined
  }

  #learnCapabilities([name, ...values]: readonly unknown[]): void {
    if (name === 'CAPABILITY') this.#capabilities = new Set(values.map((value) => String(value).toUpperCase()))
  }

  /** Restarts the time-out. Without a command there is none, and the connection does not keep the process alive. */
  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#lost) return
    if (!this.#running) {
      this.#socket.unref()
      return
    }
    const { awaited, timeout } = this.#running
    const reason = `No ${awaited} within ${timeout / 1_000} s`
    this.#timer = setTimeout(() => this.#lose(reason, { timedOut: true }), timeout)
  }

  #lose(reason: string, detail: { timedOut?: boolean; cause?: unknown } = {}): void {
    this.#lost ??= new ConnectionLost(this.#name, reason, detail)
    clearTimeout(this.#timer)
    this.#socket.destroy()
    this.#closed.resolve()
    this.#running?.done.reject(this.#lost)
    this.#running = undefined
  }
}
