import type { Logger } from 'pino'
import type { ClientConnection } from '#/smtp/connection/connection.ts'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'
import { logIn } from './auth-command.ts'
import { commandIn, fixedReply, outOfSequence } from './command-line.ts'
import { ehloReply } from './ehlo-reply.ts'
import type { Client, Origin } from './envelope.ts'
import { replyTo } from './internal-error.ts'
import type { SessionContext } from './mail-handler.ts'
import { Rejection, type Reply, render, reply } from './reply.ts'
import { Transaction } from './transaction.ts'
import { parseForward } from './xforward.ts'

/** An SMTP or LMTP session (RFC 5321, section 4; RFC 2033): the order of commands, and the replies. */
export class SmtpSession {
  #context: SessionContext
  readonly #connection: ClientConnection
  readonly #log: Logger
  /** The same object from one EHLO to the next: SPF results are cached by it. */
  #client: Client
  /** The client that the server before us received the next message from (XFORWARD). */
  #origin: Origin | undefined
  #transaction: Transaction | undefined
  #loggedIn = false
  #failedLogins = 0
  #errors = 0
  #commands = 0
  #over = false
  #stopping = false

  constructor(context: SessionContext, connection: ClientConnection) {
    this.#context = context
    this.#connection = connection
    this.#client = { address: connection.address, helo: '', protocol: 'SMTP', tls: undefined }
    this.#log = context.log.child({ session: context.nextId(), client: connection.address })
  }

  /** Never throws. */
  async run(): Promise<void> {
    try {
      await this.#greet()
      while (!this.#over) {
        const sending = this.#connection.lineAhead ? undefined : this.#connection.flush()
        if (sending) await sending
        await this.#next()
      }
    } catch (error) {
      if (!(error instanceof ClientGone)) this.#log.error({ err: error }, 'smtp session failed')
    } finally {
      this.#connection.close()
    }
  }

  /** Since when the client has been silent outside a transaction: then it loses nothing by being disconnected. */
  get idleSince(): number | undefined {
    return this.#transaction ? undefined : this.#connection.waitingSince
  }

  /** When the client's time limit ends; undefined while it waits for us. */
  get deadline(): number | undefined {
    return this.#connection.deadline
  }

  /** Ends the session while it waits for the client, with this reply. */
  disconnect(answer: Reply): void {
    this.#end(answer)
    this.#connection.close()
  }

  /** Ends the session before the next command. */
  stop(): void {
    this.#stopping = true
    if (this.#connection.waitingSince !== undefined) this.disconnect(this.#shuttingDown)
  }

  async #greet(): Promise<void> {
    const { protocol, hostname, limits, implicitTls, tls } = this.#context
    if (implicitTls && tls) {
      await this.#connection.startTls(await tls.context())
      this.#reset()
    }
    await new Promise((resolve) => setTimeout(resolve, limits.greetingDelay))
    if (this.#connection.ahead) return this.#end(outOfSequence)
    this.#connection.say(`220 ${hostname} ${protocol === 'LMTP' ? protocol : 'ESMTP'}\r\n`)
  }

  async #next(): Promise<void> {
    if (this.#stopping) return this.#end(this.#shuttingDown)
    const line = await this.#connection.line()
    if (++this.#commands > this.#context.limits.commands) return this.#end(reply(421, '4.7.0', 'Too many commands'))
    try {
      const [verb, argument] = commandIn(line, this.#context.protocol)
      const execute = this.#verbs[verb]
      if (execute) await execute(argument)
      else this.#say(fixedReply(verb))
    } catch (error) {
      if (error instanceof ClientGone) throw error
      this.#refuse(this.#answerTo(error))
    }
  }

  readonly #verbs: Readonly<Record<string, (argument: string) => void | Promise<void>>> = {
    LHLO: (argument) => this.#hello(argument, 'LMTP'),
    EHLO: (argument) => this.#hello(argument, 'ESMTP'),
    HELO: (argument) => this.#hello(argument, 'SMTP'),
    XFORWARD: (argument) => this.#forward(argument),
    STARTTLS: (argument) => this.#startTls(argument),
    AUTH: (argument) => this.#auth(argument),
    MAIL: (argument) => this.#mail(argument),
    RCPT: (argument) => this.#rcpt(argument),
    DATA: (argument) => this.#data(argument),
    RSET: () => this.#rset(),
    QUIT: () => this.#end(reply(221, '2.0.0', 'Bye')),
  }

  #hello(argument: string, protocol: Client['protocol']): void {
    if (!/^\S{1,255}$/.test(argument)) throw new Rejection(501, '5.5.4', 'Invalid host name in greeting')
    this.#reset(argument, protocol)
    if (this.#connection.ahead) this.#end(outOfSequence)
    else this.#connection.say(ehloReply(this.#context, this.#client, this.#loggedIn))
  }

  #reset(helo = '', protocol: Client['protocol'] = 'SMTP'): void {
    const { address, tls } = this.#connection
    this.#client = { address, helo, protocol, tls }
    this.#transaction = undefined
  }

  #rset(): void {
    this.#transaction = undefined
    this.#say(reply(250, '2.0.0', 'OK'))
  }

  async #startTls(argument: string): Promise<void> {
    const { tls } = this.#context
    if (!tls) throw new Rejection(502, '5.5.1', 'TLS is not available')
    if (this.#connection.tls) throw new Rejection(503, '5.5.1', 'TLS is already active')
    if (argument) throw new Rejection(501, '5.5.4', 'STARTTLS takes no argument')
    const context = await tls.context()
    if (this.#connection.ahead) return this.#end(outOfSequence)
    this.#say(reply(220, '2.0.0', 'Ready to start TLS'))
    await this.#connection.flush()
    await this.#connection.startTls(context)
    // RFC 3207, section 4.2: what the client sent in the clear is discarded.
    this.#reset()
  }

  async #auth(argument: string): Promise<void> {
    this.#assertBetweenMessages()
    if (this.#loggedIn) throw new Rejection(503, '5.5.1', 'Already authenticated')
    try {
      const handler = await logIn(argument, this.#context, this.#connection, this.#client)
      this.#context = { ...this.#context, handler }
      this.#loggedIn = true
      this.#say(reply(235, '2.7.0', 'Authentication successful'))
    } catch (error) {
      if (++this.#failedLogins < this.#context.limits.logins || error instanceof ClientGone) throw error
      this.#say(this.#answerTo(error))
      this.#end(reply(421, '4.7.0', 'Too many failed logins'))
    }
  }

  #assertBetweenMessages(): void {
    const hello = this.#context.protocol === 'LMTP' ? 'LHLO' : 'EHLO'
    if (!this.#client.helo) throw new Rejection(503, '5.5.1', `Send ${hello} first`)
    if (this.#transaction) throw new Rejection(503, '5.5.1', 'A transaction is already open')
  }

  /** Postfix's XFORWARD, over LMTP. It applies to one message. */
  #forward(argument: string): void {
    this.#assertBetweenMessages()
    this.#origin = parseForward(argument, this.#origin)
    this.#say(reply(250, '2.0.0', 'OK'))
  }

  async #mail(argument: string): Promise<void> {
    this.#assertBetweenMessages()
    this.#transaction = await Transaction.open(argument, this.#context, this.#client)
    this.#say(reply(250, '2.1.0', 'Sender OK'))
  }

  async #rcpt(argument: string): Promise<void> {
    const transaction = this.#transaction
    if (!transaction) throw new Rejection(503, '5.5.1', 'Send MAIL first')
    const recipient = transaction.recipientIn(argument)
    try {
      await transaction.add(recipient)
      this.#say(reply(250, '2.1.5', 'Recipient OK'))
    } catch (error) {
      const answer = this.#answerTo(error)
      const sender = transaction.loggedSender(error)
      const to = transaction.fromPrivate ? {} : { recipient }
      this.#log.info({ message: transaction.id, sender, ...to, reply: answer }, 'recipient refused')
      this.#refuse(answer)
    }
  }

  async #data(argument: string): Promise<void> {
    const transaction = this.#transaction
    if (argument) throw new Rejection(501, '5.5.4', 'DATA takes no argument')
    if (this.#connection.ahead) return this.#end(outOfSequence)
    if (!transaction) throw new Rejection(503, '5.5.1', 'Send MAIL and RCPT first')
    if (transaction.isEmpty) throw new Rejection(554, '5.5.1', 'No valid recipients')
    this.#connection.say('354 End data with <CR><LF>.<CR><LF>\r\n')
    await this.#connection.flush()
    const received = await this.#connection.message(this.#context.memory)
    if (received.fault === 'endless') this.#over = true
    try {
      for (const answer of await transaction.receive(received, this.#client, this.#origin)) this.#say(answer)
      this.#errors = this.#commands = 0
    } catch (error) {
      const answer = this.#answerTo(error)
      const sender = transaction.loggedSender(error)
      const octets = received.bytes.length
      this.#log.info({ message: transaction.id, sender, octets, reply: answer }, 'message refused')
      for (const one of transaction.replies(() => answer).slice(1)) this.#say(one)
      this.#refuse(answer)
    } finally {
      this.#context.memory.release(received.bytes.length)
      this.#transaction = undefined
      this.#origin = undefined
    }
  }

  get #shuttingDown(): Reply {
    return reply(421, '4.3.2', `${this.#context.hostname} is shutting down; try again shortly`)
  }

  #answerTo(error: unknown): Reply {
    if (!(error instanceof Rejection)) this.#log.error({ err: error }, 'internal error in an smtp session')
    return replyTo(error)
  }

  #say(answer: Reply): void {
    this.#connection.say(render(answer))
  }

  /** Ends the session after too many 5xx replies. */
  #refuse(answer: Reply): void {
    this.#say(answer)
    if (answer.code >= 500 && ++this.#errors >= this.#context.limits.errors) {
      this.#end(reply(421, '4.7.0', 'Too many errors'))
    }
  }

  #end(answer: Reply): void {
    this.#say(answer)
    this.#over = true
  }
}
