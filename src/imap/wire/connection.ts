import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { type SecureContext, TLSSocket } from 'node:tls'
import { handshake } from '#/smtp/connection/connection.ts'
import type { MemoryReservation, MemoryShare } from '#/smtp/connection/message-memory.ts'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'
import { Bad, Bye } from '../answers.ts'
import type { Connection } from '../session/connection.ts'
import type { Command } from './arguments.ts'
import { nameOf, tagOf } from './command-name.ts'
import { type Fault, type ReaderContext, type ReceivedCommand, readCommand } from './command-reader.ts'
import { statusLine } from './format.ts'
import { Input } from './input.ts'
import type { ImapLimits } from './limits.ts'
import { Parser } from './parser.ts'
import { Sender } from './sender.ts'

/** Milliseconds for which commands that have come together are carried out before others have their turn. */
const turnLength = 5

/** What a connection is given by its listener. */
export interface ConnectionContext {
  readonly address: string
  readonly localAddress: string
  readonly limits: ImapLimits
  readonly memory: MemoryReservation
  /** The part of the memory that an organization may use. */
  readonly shareOf: (organizationId: string) => MemoryShare
  /** The certificate; undefined if TLS is not possible. */
  readonly tls: { context(): Promise<SecureContext> } | undefined
}

/** A client's connection, with its time limits. Times are by `performance.now()`: setting the machine's clock does not disconnect
 *  clients. */
export class ImapConnection implements Connection, ReaderContext {
  readonly address: string
  readonly localAddress: string
  readonly limits: ImapLimits
  readonly memory: MemoryReservation
  readonly output: Sender
  usesUtf8 = false
  isEncrypted = false
  isSignedIn = false
  readonly #tls: ConnectionContext['tls']
  readonly #shareOf: ConnectionContext['shareOf']
  readonly #ended = new AbortController()
  #socket: Socket
  #input: Input
  #isShakingHands = false
  #isClosing = false
  #deadline = Number.POSITIVE_INFINITY
  #waitingSince: number | undefined
  #faults = 0
  #stopped: Bye | undefined
  #turnAt = performance.now()

  constructor(socket: Socket, { address, localAddress, limits, memory, shareOf, tls }: ConnectionContext) {
    this.address = address
    this.localAddress = localAddress
    this.limits = limits
    this.memory = memory
    this.#tls = tls
    this.#shareOf = shareOf
    this.#socket = socket
    this.#input = new Input(socket)
    this.output = new Sender(socket)
    socket.on('close', () => this.#ended.abort())
  }

  get canStartTls(): boolean {
    return this.#tls !== undefined && !this.isEncrypted
  }

  get isCompressed(): boolean {
    return this.output.isCompressed
  }

  /** A socket may be destroyed some time before it says so. */
  get signal(): AbortSignal {
    if (this.#socket.destroyed) this.#ended.abort()
    return this.#ended.signal
  }

  /** Since when a client that has not signed in keeps us waiting; undefined for others, and while it waits for us. */
  get loiteringSince(): number | undefined {
    return this.isSignedIn ? undefined : this.#waitingSince
  }

  signedIn(organizationId: string): void {
    this.isSignedIn = true
    this.memory.release(this.memory.held)
    this.memory.belongTo(this.#shareOf(organizationId))
  }

  /** The next command. One that is too large, or no text, is refused here. A client that does not read its answers is not read
   *  either. */
  async command(): Promise<Command> {
    for (;;) {
      this.memory.release(this.memory.held)
      await this.#awaitsClient()
      let received: ReceivedCommand
      try {
        // An idle connection waits here, not deep in what reads commands, and so holds little.
        while (!this.#input.hasBegun()) await this.#input.more()
        received = await readCommand(this.#input, this)
      } finally {
        this.#answersClient()
      }
      const tag = tagOf(received.text)
      const args = new Parser(received, this.usesUtf8, tag.length)
      const name = received.fault ? undefined : nameOf(args)
      if (tag && name !== undefined) {
        this.#faults = 0
        if (name === 'STARTTLS' && this.#begins(received.text.slice(args.at))) this.#input.discardAhead()
        return { tag, name, args }
      }
      this.#faults += 1
      if (this.#faults > this.limits.faults) throw new Bye('Too many commands cannot be read')
      if (!tag) throw new Bad('A command begins with a tag')
      const { status, text, code } = received.fault ?? noName
      this.output.write(statusLine(tag, status, text, code))
    }
  }

  async ask(prompt: string): Promise<string> {
    this.output.write(`+ ${prompt.replace(/[\r\n]+/g, ' ')}\r\n`)
    await this.#awaitsClient()
    try {
      while (!this.#input.hasBegun()) await this.#input.more()
      const { text, tail } = await this.#input.line(this.limits.commandBeforeLogin)
      if (tail !== undefined) throw new Bad('The line is too long')
      return text
    } finally {
      this.#answersClient()
    }
  }

  /** For a command's reader. */
  askForLiteral(): void {
    this.output.write('+ OK\r\n')
  }

  /** Who has not signed in gets no more time for literals. */
  literalBegins(): void {
    if (this.isSignedIn) this.#deadline = performance.now() + this.limits.literal
  }

  /** Capped at the initial limit, or a fast start would allow hours of silence. */
  progress(octets: number): void {
    const { slowest, literal } = this.limits
    if (!this.isSignedIn) return
    this.#deadline = Math.min(this.#deadline + (octets / slowest) * 1000, performance.now() + literal)
  }

  /** Starts TLS, also where the client begins with it. Throws `ClientGone` if the handshake fails. */
  async startTls(): Promise<void> {
    if (!this.#tls || this.isEncrypted) throw new Error('TLS cannot be started')
    this.#isShakingHands = true
    this.#waitingSince = performance.now()
    this.#deadline = this.#waitingSince + this.limits.handshake
    const secureContext = await this.#tls.context()
    await this.output.flushed()
    if (this.#socket.destroyed) throw new ClientGone()
    this.#input.release()
    const secured = new TLSSocket(this.#socket, { isServer: true, secureContext })
    await handshake(secured)
    this.#isShakingHands = false
    this.#answersClient()
    this.isEncrypted = true
    this.#socket = secured
    this.#input = new Input(secured)
    this.output.replace(secured)
    if (this.#stopped) this.#input.stop(this.#stopped)
  }

  async compress(): Promise<void> {
    this.#deadline = performance.now() + this.limits.stalled
    await this.output.flushed()
    this.#answersClient()
    this.#input.inflate()
    this.output.compress()
  }

  stop(bye: Bye): void {
    if (this.#isShakingHands) this.destroy()
    this.#stopped ??= bye
    this.#input.stop(bye)
    this.#deadline = Math.min(this.#deadline, performance.now() + this.limits.stop)
  }

  /** Ends what still runs. Discards further input: a reset could overtake the last response. */
  async close(): Promise<void> {
    const socket = this.#socket
    if (socket.closed || socket.writableFinished) return
    const sent = new Promise<void>((resolve) => socket.once('finish', resolve).once('close', resolve))
    if (this.#isClosing) return sent
    if (this.#isShakingHands) socket.destroy()
    this.#isClosing = true
    this.#ended.abort()
    this.#deadline = performance.now() + this.limits.linger
    this.#input.release()
    this.output.end()
    socket.resume()
    return sent
  }

  /** Ends the connection without another word. */
  destroy(): void {
    this.#socket.destroy()
  }

  /** Called from time to time: ends a connection whose time is up. */
  check(now: number): void {
    const isStalled = now >= (this.output.stalledSince ?? Number.POSITIVE_INFINITY) + this.limits.stalled
    if (now < this.#deadline && !isStalled) return
    if (isStalled || this.#isClosing || this.#isShakingHands || this.#waitingSince === undefined) this.destroy()
    else this.stop(new Bye('You have said nothing for too long'))
  }

  /** Whether STARTTLS with these arguments begins TLS. Then whoever sits between may have sent what came behind it in the clear; else it
   *  is commands, of which each is answered. */
  #begins(args: string): boolean {
    return this.canStartTls && !this.isSignedIn && /^ *$/.test(args)
  }

  /** From now on we wait for the client, once it has read what it was sent and others have had their turn. */
  async #awaitsClient(): Promise<void> {
    await this.output.taken()
    if (performance.now() > this.#turnAt + turnLength) {
      await turn()
      this.#turnAt = performance.now()
    }
    this.#waitingSince = performance.now()
    this.#deadline = this.#waitingSince + (this.isSignedIn ? this.limits.idle : this.limits.login)
  }

  /** From now on the client waits for us. */
  #answersClient(): void {
    this.#waitingSince = undefined
    this.#deadline = Number.POSITIVE_INFINITY
  }
}

const noName: Fault = { status: 'BAD', text: 'A command has a name after its tag' }
