import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import { replyTo } from '#/smtp/protocol/internal-error.ts'
import type { MailHandler } from '#/smtp/protocol/mail-handler.ts'
import { loggedSender, NotOurs, Rejection } from '#/smtp/protocol/reply.ts'

/** A request has some thirty attributes, the longest a certificate's subject. */
const LONGEST_REQUEST = 64 * 1024
const MOST_CONNECTIONS = 1_000
/** Milliseconds; Postfix closes an idle connection after five minutes. */
const IDLE = 600_000

/** A server of Postfix's policy delegation at RCPT (SMTPD_POLICY_README, `check_policy_service`): what we would refuse,
 *  Postfix refuses before it accepts the message, with our reply. Postfix itself decides on other domains. */
export class PolicyListener implements AsyncDisposable {
  readonly #handler: Pick<MailHandler, 'admit'>
  readonly #log: Logger
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(handler: Pick<MailHandler, 'admit'>, log: Logger) {
    this.#handler = handler
    this.#log = log
    this.#server = createServer({ noDelay: true }, (socket) => void this.#serve(socket))
    this.#server.maxConnections = MOST_CONNECTIONS
  }

  /** Port 0 is any free port. */
  async listen(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port })
    await once(this.#server, 'listening')
    this.#server.on('error', (err) => this.#log.error({ err }, 'a connection could not be accepted'))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Postfix then retries elsewhere, or defers. */
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
    } catch {} // the client disconnected
    socket.destroy()
  }

  async #actionFor(request: ReadonlyMap<string, string>): Promise<string> {
    const sender = request.get('sender') ?? ''
    const recipient = request.get('recipient') ?? ''
    if (request.get('protocol_state') !== 'RCPT' || recipient === '') return 'DUNNO'
    try {
      await this.#handler.admit(sender, recipient)
      return 'DUNNO'
    } catch (error) {
      if (error instanceof NotOurs) return 'DUNNO'
      if (!(error instanceof Rejection)) this.#log.error({ err: error }, 'internal error: recipient not answered')
      const reply = replyTo(error)
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
