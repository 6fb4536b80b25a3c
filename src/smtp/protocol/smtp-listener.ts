import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'
import { clientNetwork } from '#/base/network/ip-address.ts'
import { Acceptor, type Client } from '#/smtp/connection/acceptor.ts'
import { ClientConnection } from '#/smtp/connection/connection.ts'
import { LIMITS, type Limits } from '#/smtp/connection/limits.ts'
import { FixedShare, MemoryReservation, type MemoryShare, MessageMemory } from '#/smtp/connection/message-memory.ts'
import type { Named } from './envelope.ts'
import type { MailHandler, SessionContext, SmtpAuth } from './mail-handler.ts'
import { render, reply } from './reply.ts'
import { SmtpSession } from './smtp-session.ts'

export interface SmtpConfig {
  /** SMTP by default. */
  readonly protocol?: 'SMTP' | 'LMTP'
  readonly hostname: string
  readonly tls?: SessionContext['tls']
  readonly implicitTls?: boolean
  readonly auth?: SmtpAuth
  readonly limits?: Partial<Limits> | undefined
}

const TOO_MANY = reply(421, '4.3.2', 'Too many connections; try again shortly')
const TOO_SLOW = reply(421, '4.3.2', 'Server busy and transfer too slow; try again shortly')
const TIMED_OUT = reply(421, '4.4.2', 'Timed out; try again')

/** Milliseconds between checks for clients that have timed out. */
const CHECK_INTERVAL = 1_000

/** An SMTP (RFC 5321) or LMTP (RFC 2033) listener: limits connections, and shuts down. */
export class SmtpListener implements AsyncDisposable {
  readonly #host: Omit<SessionContext, 'memory'>
  readonly #memory: MessageMemory
  readonly #acceptor: Acceptor
  readonly #sessions = new Map<SmtpSession, { readonly client: Client; readonly over: Promise<void> }>()
  readonly #clients = new Map<string, Client>()
  readonly #timer: NodeJS.Timeout

  constructor(config: SmtpConfig, handler: MailHandler<Named>, clock: Clock, log: Logger) {
    const limits = { ...LIMITS, ...config.limits }
    this.#host = {
      protocol: config.protocol ?? 'SMTP',
      hostname: config.hostname,
      tls: config.tls,
      implicitTls: config.implicitTls ?? false,
      auth: config.auth,
      limits,
      clock,
      log,
      handler,
      nextId: idSource(),
    }
    this.#memory = new MessageMemory(limits.memory, limits.slow)
    this.#acceptor = new Acceptor((socket, address) => this.#accept(socket, address), log)
    this.#timer = setInterval(() => this.#checkDeadlines(), Math.min(CHECK_INTERVAL, limits.command)).unref()
  }

  /** Port 0 is any free port. */
  async listen(host: string, port: number): Promise<void> {
    await this.#acceptor.listen(host, port)
  }

  get port(): number {
    return this.#acceptor.port
  }

  /** Accepts no new connection, ends idle sessions, and finishes current work within `limits.stop`. A message that
   *  takes longer is sent again by its client. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#acceptor.close(() => {
      for (const session of this.#sessions.keys()) session.stop()
      return Promise.all(Array.from(this.#sessions.values(), (session) => session.over))
    }, this.#host.limits.stop)
  }

  #accept(socket: Socket, address: string): void {
    const { limits, hostname } = this.#host
    const name = clientNetwork(address)
    const client = this.#clients.get(name) ?? { connections: 0, share: shareOf(limits) }
    if (client.connections >= limits.connectionsPerClient || !this.#admits(client)) {
      socket.end(render(reply(421, '4.7.0', `${hostname} has too many connections; try again shortly`)))
      // Not waited for, or a client that reconnects in a loop would fill the process with closing connections.
      socket.destroySoon()
      return
    }
    client.connections += 1
    this.#clients.set(name, client)
    const memory = new MemoryReservation(this.#memory, client.share, () => session.disconnect(TOO_SLOW))
    const session: SmtpSession = new SmtpSession(
      { ...this.#host, memory },
      new ClientConnection(socket, address, limits),
    )
    const over = session.run()
    this.#sessions.set(session, { client, over })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    closed.then(() => this.#sessions.delete(session))
    // A message that is being stored holds memory after its client has gone.
    Promise.all([over, closed]).then(() => {
      client.connections -= 1
      if (client.connections === 0) this.#clients.delete(name)
    })
  }

  /** At the limit of connections, the session that has been silent the longest outside a transaction is disconnected. If
   *  there is none, one that keeps us waiting is: of the client with the most connections, if it has more than the new one. */
  #admits(client: Client): boolean {
    if (this.#sessions.size < this.#host.limits.connections) return true
    const session = this.#first(({ idleSince }) => idleSince) ?? this.#slowestOf(this.#busiest(), client)
    session?.disconnect(TOO_MANY)
    return session !== undefined
  }

  #slowestOf(busiest: Client | undefined, than: Client): SmtpSession | undefined {
    if (!busiest || busiest.connections <= than.connections + 1) return undefined
    return this.#first((session) => (this.#sessions.get(session)?.client === busiest ? session.deadline : undefined))
  }

  #busiest(): Client | undefined {
    let busiest: Client | undefined
    for (const client of this.#clients.values())
      if (!busiest || client.connections > busiest.connections) busiest = client
    return busiest
  }

  /** The session with the lowest number, of those that have one. */
  #first(number: (session: SmtpSession) => number | undefined): SmtpSession | undefined {
    let first: { session: SmtpSession; at: number } | undefined
    for (const session of this.#sessions.keys()) {
      const at = number(session)
      if (at !== undefined && (!first || at < first.at)) first = { session, at }
    }
    return first?.session
  }

  #checkDeadlines(): void {
    for (const session of this.#sessions.keys()) {
      if (performance.now() >= (session.deadline ?? Number.POSITIVE_INFINITY)) session.disconnect(TIMED_OUT)
    }
  }
}

/** Half of the memory, and at least one message, so that no client can use it all. */
function shareOf({ memory, messageSize }: Limits): MemoryShare {
  return new FixedShare(Math.max(messageSize, memory / 2))
}

/** Ids that are unique in the logs: a random part for this listener, and a count. */
function idSource(): () => string {
  const listener = randomBytes(5).readUIntBE(0, 5).toString(36).padStart(8, '0')
  let count = 0
  return () => `${listener}${(count++).toString(36).padStart(4, '0')}`
}
