import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { clientNetwork, insideOf, type Network, unmappedAddress } from '#/base/network/ip-address.ts'
import { Acceptor, type Client } from '#/smtp/connection/acceptor.ts'
import { MemoryReservation } from '#/smtp/connection/message-memory.ts'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'
import { Bye } from '../answers.ts'
import type { Serve } from '../session/connection.ts'
import { type ConnectionContext, ImapConnection } from './connection.ts'
import { statusLine } from './format.ts'
import { IMAP_LIMITS, type ImapLimits } from './limits.ts'
import { LiteralMemory } from './literal-memory.ts'
import { type Proxied, readProxyHeader } from './proxy-protocol.ts'

export interface ImapListenerConfig {
  /** The certificate; without one there is no TLS. */
  readonly tls?: ConnectionContext['tls']
  /** Clients begin with TLS (RFC 8314). */
  readonly implicitTls?: boolean
  /** Proxies that begin each connection with a header of the PROXY protocol, version 1 or 2. */
  readonly proxies?: readonly Network[]
  readonly limits?: Partial<ImapLimits>
  /** That of all listeners of a process; else it has one of its own. */
  readonly memory?: LiteralMemory
}

const tooMany = () => new Bye('Too many connections; try again shortly', 'UNAVAILABLE')
const tooSlow = () => new Bye('The server is busy, and your message too slow; try again shortly', 'UNAVAILABLE')
const stopping = () => new Bye('The server is restarted; try again shortly', 'UNAVAILABLE')

/** Milliseconds of silence after which TCP asks whether the other end is still there. What translates addresses on the way forgets connections
 *  that say nothing for some minutes, and an idle program would be told nothing any more. */
const silence = 120_000

/** Milliseconds between checks for clients whose time is up. */
const checkInterval = 1_000

/** An IMAP listener: limits connections, has a session serve each, and ends them when it is disposed. */
export class ImapListener implements AsyncDisposable {
  readonly #limits: ImapLimits
  readonly #tls: ConnectionContext['tls']
  readonly #implicitTls: boolean
  readonly #isProxy: (address: string) => boolean
  readonly #serve: Serve
  readonly #log: Logger
  readonly #memory: LiteralMemory
  readonly #acceptor: Acceptor
  readonly #connections = new Map<ImapConnection, Promise<void>>()
  readonly #clients = new Map<string, Client>()
  readonly #timer: NodeJS.Timeout

  constructor(config: ImapListenerConfig, serve: Serve, log: Logger) {
    const { tls, implicitTls = false, proxies = [], limits = {} } = config
    this.#limits = { ...IMAP_LIMITS, ...limits }
    this.#tls = tls
    this.#implicitTls = implicitTls
    this.#isProxy = insideOf(proxies)
    this.#serve = serve
    this.#log = log
    this.#memory = config.memory ?? new LiteralMemory(this.#limits)
    this.#acceptor = new Acceptor((socket, address) => this.#accept(socket, address), log)
    this.#timer = setInterval(() => this.#check(), checkInterval).unref()
  }

  /** Port 0 is any free port. */
  async listen(host: string, port: number): Promise<void> {
    await this.#acceptor.listen(host, port)
  }

  get port(): number {
    return this.#acceptor.port
  }

  /** Accepts no new connection, tells clients that wait for nothing goodbye at once and others after their command, within
   *  `limits.stop`. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#acceptor.close(() => {
      for (const connection of this.#connections.keys()) connection.stop(stopping())
      return Promise.all(this.#connections.values())
    }, this.#limits.stop)
  }

  #accept(socket: Socket, address: string): void {
    const localAddress = unmappedAddress(socket.localAddress ?? '')
    if (!this.#isProxy(address)) this.#admit(socket, address, localAddress)
    else
      this.#header(socket).then(
        (ends) => this.#admit(socket, ends?.address ?? address, ends?.localAddress ?? localAddress),
        () => socket.destroy(),
      )
  }

  #admit(socket: Socket, address: string, localAddress: string): void {
    const limits = this.#limits
    const name = clientNetwork(address)
    const client = this.#clients.get(name) ?? { connections: 0, share: this.#memory.shareOfClient() }
    if (client.connections >= limits.connectionsPerClient || !this.#hasRoom()) {
      const { message, code } = tooMany()
      // Whoever begins with TLS could not read it.
      if (!this.#implicitTls) socket.write(statusLine('*', 'BYE', message, code))
      // Not waited for, or a client that reconnects in a loop would fill the process with closing connections.
      socket.destroySoon()
      return
    }
    socket.setKeepAlive(true, silence)
    client.connections += 1
    this.#clients.set(name, client)
    const memory = new MemoryReservation(this.#memory.all, client.share, () => connection.stop(tooSlow()))
    const shareOf = (organizationId: string) => this.#memory.shareOf(organizationId)
    const given = { address, localAddress, limits, memory, shareOf, tls: this.#tls }
    const connection: ImapConnection = new ImapConnection(socket, given)
    const served = this.#run(connection)
    this.#connections.set(connection, served)
    // A message that is being stored holds memory after its client has gone: the connection counts until both are over.
    let isHalfOver = false
    const over = () => {
      if (isHalfOver) this.#forget(connection, name, client)
      isHalfOver = true
    }
    served.then(over)
    socket.on('close', over)
  }

  #forget(connection: ImapConnection, name: string, client: Client): void {
    this.#connections.delete(connection)
    client.connections -= 1
    if (client.connections === 0) this.#clients.delete(name)
  }

  async #run(connection: ImapConnection): Promise<void> {
    try {
      if (this.#implicitTls) await connection.startTls()
      await this.#serve(connection)
    } catch (err) {
      if (!(err instanceof ClientGone)) this.#log.error({ err }, 'a connection of IMAP has failed')
    }
    connection.memory.release(connection.memory.held)
    await connection.close()
  }

  /** At the limit of connections, the one that has waited the longest before it signed in makes room. */
  #hasRoom(): boolean {
    if (this.#connections.size < this.#limits.connections) return true
    let longest: ImapConnection | undefined
    for (const one of this.#connections.keys()) {
      const { loiteringSince } = one
      if (loiteringSince === undefined || loiteringSince >= (longest?.loiteringSince ?? Infinity)) continue
      longest = one
    }
    longest?.stop(tooMany())
    return longest !== undefined
  }

  #check(): void {
    const now = performance.now()
    for (const connection of this.#connections.keys()) connection.check(now)
  }

  /** The ends of a connection as a proxy names them. What follows its header is left to be read. */
  async #header(socket: Socket): Promise<Proxied['ends']> {
    const signal = AbortSignal.timeout(this.#limits.handshake)
    let octets = Buffer.alloc(0)
    for (;;) {
      const more = socket.read() as Buffer | null
      if (more) octets = Buffer.concat([octets, more])
      const header = readProxyHeader(octets)
      if (header === 'invalid' || socket.readableEnded || socket.destroyed) throw new ClientGone()
      if (!header) {
        await once(socket, 'readable', { signal })
        continue
      }
      if (octets.length > header.length) socket.unshift(octets.subarray(header.length))
      return header.ends
    }
  }
}
