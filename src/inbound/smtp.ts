import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '#/ports/clock.ts'
import { clientOf, plainAddress } from './client.ts'
import { Connection } from './connection.ts'
import type { Named } from './envelope.ts'
import type { Gate, Host, MailTaker } from './host.ts'
import { LIMITS, type Limits } from './limits.ts'
import { render, reply } from './reply.ts'
import { Memory, Room, type Share } from './room.ts'
import { Session } from './session.ts'

export interface SmtpConfig {
  /** SMTP unless it says otherwise. */
  readonly protocol?: 'SMTP' | 'LMTP'
  /** How we name ourselves. */
  readonly hostname: string
  readonly tls?: Host['tls']
  readonly implicitTls?: boolean
  readonly gate?: Gate
  readonly limits?: Partial<Limits> | undefined
}

/** How often slow clients are looked for, in milliseconds. */
const ROUND = 1_000
/** For last replies to leave when the listener stops. */
const LAST_WORDS = 500

/** Listens for mail (RFC 5321, RFC 2033): who may connect, how many at once, and how it all ends. */
export class SmtpListener implements AsyncDisposable {
  readonly #host: Omit<Host, 'room'>
  readonly #memory: Memory
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Map<Session, { readonly client: Client; readonly over: Promise<void> }>()
  readonly #clients = new Map<string, Client>()
  readonly #round: NodeJS.Timeout

  constructor(config: SmtpConfig, taker: MailTaker<Named>, clock: Clock, log: Logger) {
    const limits = { ...LIMITS, ...config.limits }
    this.#host = {
      protocol: config.protocol ?? 'SMTP',
      hostname: config.hostname,
      tls: config.tls,
      implicitTls: config.implicitTls ?? false,
      gate: config.gate,
      limits,
      clock,
      log,
      taker,
      nextId: idSource(),
    }
    this.#memory = new Memory(limits.memory, limits.slow)
    // Half-open: a client that has said all it has to say may still want to hear the answers.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
    this.#round = setInterval(() => this.#lookRound(), Math.min(ROUND, limits.command)).unref()
  }

  /** Port 0 is any that is free. */
  async listen(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port, backlog: 1024 })
    await once(this.#server, 'listening')
    // A connection that cannot be accepted (no file descriptor is left) must not end the process.
    this.#server.on('error', (err) => this.#host.log.error({ err }, 'a connection could not be accepted'))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Takes no new client, sends away those who wait, and finishes what is in hand, within `limits.stop`. What takes
   *  longer its client will send again. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#round)
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const session of this.#sessions.keys()) session.stop()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, this.#host.limits.stop)
    const over = Promise.all(Array.from(this.#sessions.values(), (session) => session.over))
    await Promise.race([over, late.promise])
    clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroySoon()
    const patience = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, LAST_WORDS)
    await closed
    clearTimeout(patience)
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // What went wrong with a socket shows as its end.
    socket.on('error', () => {})
    const address = plainAddress(socket.remoteAddress ?? '')
    const { limits, hostname } = this.#host
    const name = clientOf(address)
    const client = this.#clients.get(name) ?? { connections: 0, share: shareOf(limits) }
    if (client.connections >= limits.connectionsPerClient || !this.#hasPlaceFor(client)) {
      socket.end(render(reply(421, '4.7.0', `${hostname} has too many connections; try again shortly`)))
      // Not waited for: whoever comes over and over would fill the process with connections that end.
      socket.destroySoon()
      return
    }
    client.connections += 1
    this.#clients.set(name, client)
    const room = new Room(this.#memory, client.share, () => session.makeRoom())
    const session: Session = new Session({ ...this.#host, room }, new Connection(socket, address, limits))
    const over = session.run()
    this.#sessions.set(session, { client, over })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    closed.then(() => this.#sessions.delete(session))
    // What is being stored takes room also after its client went away.
    Promise.all([over, closed]).then(() => {
      client.connections -= 1
      if (client.connections === 0) this.#clients.delete(name)
    })
  }

  /** When all places are taken, whoever has been silent for the longest, outside a message, gives up theirs. Where nobody
   *  is, one does who keeps us waiting, of the client that has most, if that is more than the new one would have. */
  #hasPlaceFor(client: Client): boolean {
    if (this.#sessions.size < this.#host.limits.connections) return true
    const session = this.#first(({ idleSince }) => idleSince) ?? this.#slowestOf(this.#busiest(), client)
    session?.giveWay()
    return session !== undefined
  }

  #slowestOf(busiest: Client | undefined, than: Client): Session | undefined {
    if (!busiest || busiest.connections <= than.connections + 1) return undefined
    return this.#first((session) =>
      this.#sessions.get(session)?.client === busiest ? session.patienceUntil : undefined,
    )
  }

  #busiest(): Client | undefined {
    let busiest: Client | undefined
    for (const client of this.#clients.values())
      if (!busiest || client.connections > busiest.connections) busiest = client
    return busiest
  }

  /** The session with the lowest number, of those that have one. */
  #first(number: (session: Session) => number | undefined): Session | undefined {
    let first: { session: Session; at: number } | undefined
    for (const session of this.#sessions.keys()) {
      const at = number(session)
      if (at !== undefined && (!first || at < first.at)) first = { session, at }
    }
    return first?.session
  }

  #lookRound(): void {
    for (const session of this.#sessions.keys()) session.expire()
  }
}

/** Whom limits hold for, while it is connected. */
interface Client {
  connections: number
  readonly share: Share
}

/** Half of the memory, and one message in any case, so that no client can take it all. */
function shareOf({ memory, messageSize }: Limits): Share {
  return { free: Math.max(messageSize, memory / 2) }
}

/** Ids that meet no other in any log: a random part for this listener and a count. */
function idSource(): () => string {
  const listener = randomBytes(5).readUIntBE(0, 5).toString(36).padStart(8, '0')
  let count = 0
  return () => `${listener}${(count++).toString(36).padStart(4, '0')}`
}
