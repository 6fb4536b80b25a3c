import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import type { MailTaker } from './host.ts'
import { loggedSender, NotOurs, Rejection } from './reply.ts'

/** A request has some thirty attributes, the longest a certificate's subject. */
const LONGEST_REQUEST = 64 * 1024
const MOST_CONNECTIONS = 1_000
/** Postfix lets go of an idle connection after five minutes. In milliseconds. */
const IDLE = 600_000

/** Answers Postfix's policy delegation at RCPT (SMTPD_POLICY_README: `check_policy_service`): what we would refuse, Postfix
 *  refuses before it takes the message in, in our words. It has the last word on all else, domains that are not ours among
 *  it. */
export class PolicyListener implements AsyncDisposable {
  readonly #taker: Pick<MailTaker, 'admit' | 'trouble'>
  readonly #log: Logger
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(taker: Pick<MailTaker, 'admit' | 'trouble'>, log: Logger) {
    this.#taker = taker
    this.#log = log
    this.#server = createServer({ noDelay: true }, (socket) => void this.#serve(socket))
    this.#server.maxConnections = MOST_CONNECTIONS
  }

  /** Port 0 is any that is free. */
  async listen(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port })
    await once(this.#server, 'listening')
    this.#server.on('error', (err) => this.#log.error({ err }, 'a connection could not be accepted'))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Postfix asks again elsewhere, or answers for the time being that it cannot tell. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroySoon()
    await closed
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.setTimeout(IDLE, () => socket.destroy())
    let received = ''
    try {
      for await (const chunk of socket.setEncoding('utf8')) {
        received += chunk
        for (let end = received.indexOf('\n\n'); end >= 0; end = received.indexOf('\n\n')) {
          const request = received.slice(0, end)
          received = received.slice(end + 2)
          socket.write(`action=${await this.#actionFor(attributesIn(request))}\n\n`)
        }
        if (received.length > LONGEST_REQUEST) break
      }
    } catch {} // it went away; nothing was promised
    socket.destroy()
  }

  async #actionFor(request: ReadonlyMap<string, string>): Promise<string> {
    const sender = request.get('sender') ?? ''
    const recipient = request.get('recipient') ?? ''
    if (request.get('protocol_state') !== 'RCPT' || recipient === '') return 'DUNNO'
    try {
      await this.#taker.admit(sender, recipient)
      return 'DUNNO'
    } catch (error) {
      if (error instanceof NotOurs) return 'DUNNO'
      if (!(error instanceof Rejection)) this.#log.error({ err: error }, 'trouble of our own with a recipient')
      const reply = error instanceof Rejection ? error.reply : this.#taker.trouble(error)
      const logged = loggedSender(sender, error instanceof Rejection && error.concealed)
      this.#log.info({ sender: logged, recipient, reply }, 'recipient refused')
      return `${reply.code} ${reply.status} ${reply.text}`
    }
  }
}

function attributesIn(request: string): ReadonlyMap<string, string> {
  return new Map(
    request.split('\n').map((line) => {
      const equals = line.indexOf('=')
      return [line.slice(0, equals), line.slice(equals + 1)]
    }),
  )
}
