import type { Logger } from 'pino'
import type { Connection } from './connection.ts'
import type { Client, Origin } from './envelope.ts'
import type { Host } from './host.ts'
import { logIn } from './log-in.ts'
import { loggedSender, Rejection, type Reply, render, reply } from './reply.ts'
import { Transaction } from './transaction.ts'
import { commandIn, fixedAnswer, outOfStep } from './verbs.ts'
import { welcome } from './welcome.ts'
import { Gone } from './wire.ts'
import { parseForward } from './xforward.ts'

/** One client's conversation with us (RFC 5321 section 4; LMTP, RFC 2033): which command may come when, and what is
 *  answered. It knows nothing of mailboxes, messages or the database. */
export class Session {
  #host: Host
  readonly #connection: Connection
  readonly #log: Logger
  /** One object from greeting to greeting. */
  #client: Client
  /** Whom the server before us has the next message from, as it says. */
  #origin: Origin | undefined
  #transaction: Transaction | undefined
  #loggedIn = false
  #failedLogins = 0
  #errors = 0
  #commands = 0
  #over = false
  #stopping = false

  constructor(host: Host, connection: Connection) {
    this.#host = host
    this.#connection = connection
    this.#client = this.#greetedAs('', 'SMTP')
    this.#log = host.log.child({ session: host.nextId(), client: connection.address })
  }

  /** Resolves when the conversation is over. Never throws. */
  async run(): Promise<void> {
    try {
      await this.#greet()
      while (!this.#over) {
        if (!this.#connection.lineAhead) await this.#connection.flush()
        await this.#obey()
      }
    } catch (error) {
      if (!(error instanceof Gone)) this.#log.error({ err: error }, 'smtp session failed')
    } finally {
      this.#connection.hangUp()
    }
  }

  /** Hangs up on a client that has kept us waiting for too long. */
  expire(): void {
    if (this.#connection.expired) this.#leave(reply(421, '4.4.2', 'You took too long; try again'))
  }

  /** Since when the client has been silent outside a message, if it is; then hanging up costs it nothing. */
  get idleSince(): number | undefined {
    return this.#transaction ? undefined : this.#connection.waitingSince
  }

  /** When our patience with the client ends, if it is keeping us waiting. */
  get patienceUntil(): number | undefined {
    return this.#connection.deadline
  }

  /** Makes place for another client. */
  giveWay(): void {
    this.#leave(reply(421, '4.3.2', 'Too many connections; try again shortly'))
  }

  /** Gives up a message that comes too slowly for the memory that it takes. */
  makeRoom(): void {
    this.#leave(reply(421, '4.3.2', 'Too much mail is coming in, and yours comes slowly; try again shortly'))
  }

  /** Ends the conversation as soon as nothing of the client's is in our hands. */
  stop(): void {
    this.#stopping = true
    if (this.#connection.waitingSince !== undefined) this.#leave(this.#shuttingDown)
  }

  async #greet(): Promise<void> {
    const { hostname, limits, implicitTls, tls } = this.#host
    if (implicitTls && tls) {
      await this.#connection.startTls(await tls.context())
      this.#client = this.#greetedAs('', 'SMTP')
    }
    await new Promise((resolve) => setTimeout(resolve, limits.greetingDelay))
    if (this.#connection.ahead) return this.#end(outOfStep)
    this.#connection.say(`220 ${hostname} ${this.#isLmtp ? 'LMTP' : 'ESMTP'}\r\n`)
  }

  async #obey(): Promise<void> {
    if (this.#stopping) return this.#end(this.#shuttingDown)
    const line = await this.#connection.line()
    if (++this.#commands > this.#host.limits.commands) return this.#end(reply(421, '4.7.0', 'Too many commands'))
    try {
      await this.#command(...commandIn(line, this.#host.protocol))
    } catch (error) {
      if (error instanceof Gone) throw error
      this.#refuse(this.#answerTo(error))
    }
  }

  #command(verb: string, argument: string): void | Promise<void> {
    switch (verb) {
      case 'LHLO':
        return this.#hello(argument, 'LMTP')
      case 'EHLO':
        return this.#hello(argument, 'ESMTP')
      case 'HELO':
        return this.#hello(argument, 'SMTP')
      case 'XFORWARD':
        return this.#forward(argument)
      case 'STARTTLS':
        return this.#startTls(argument)
      case 'MAIL':
        return this.#mail(argument)
      case 'RCPT':
        return this.#rcpt(argument)
      case 'DATA':
        return this.#data(argument)
      case 'RSET':
        this.#transaction = undefined
        return this.#say(reply(250, '2.0.0', 'Forgotten'))
      case 'QUIT':
        return this.#end(reply(221, '2.0.0', 'Goodbye'))
      case 'AUTH':
        return this.#auth(argument)
      default:
        return this.#say(fixedAnswer(verb))
    }
  }

  #hello(argument: string, protocol: Client['protocol']): void {
    if (!/^\S{1,255}$/.test(argument)) throw new Rejection(501, '5.5.4', 'Say who you are')
    this.#transaction = undefined
    this.#client = this.#greetedAs(argument, protocol)
    if (this.#connection.ahead) this.#end(outOfStep)
    else this.#connection.say(welcome(this.#host, this.#client, this.#loggedIn))
  }

  #greetedAs(helo: string, protocol: Client['protocol']): Client {
    return { address: this.#connection.address, helo, protocol, tls: this.#connection.tls }
  }

  get #isLmtp(): boolean {
    return this.#host.protocol === 'LMTP'
  }

  async #startTls(argument: string): Promise<void> {
    const { tls } = this.#host
    if (!tls) throw new Rejection(502, '5.5.1', 'TLS is not set up here')
    if (this.#connection.tls) throw new Rejection(503, '5.5.1', 'TLS is on already')
    if (argument) throw new Rejection(501, '5.5.4', 'STARTTLS takes no argument')
    const context = await tls.context()
    if (this.#connection.ahead) return this.#end(outOfStep)
    this.#say(reply(220, '2.0.0', 'Go ahead'))
    await this.#connection.flush()
    await this.#connection.startTls(context)
    // All that was said in the clear is forgotten (RFC 3207 4.2).
    this.#client = this.#greetedAs('', 'SMTP')
    this.#transaction = undefined
  }

  async #auth(argument: string): Promise<void> {
    if (!this.#client.helo) throw new Rejection(503, '5.5.1', 'Say EHLO first')
    if (this.#loggedIn || this.#transaction) throw new Rejection(503, '5.5.1', 'It is too late to log in')
    try {
      this.#host = { ...this.#host, taker: await logIn(argument, this.#host, this.#connection, this.#client) }
      this.#loggedIn = true
      this.#say(reply(235, '2.7.0', 'You are logged in'))
    } catch (error) {
      if (++this.#failedLogins < this.#host.limits.logins || error instanceof Gone) throw error
      this.#say(this.#answerTo(error))
      this.#end(reply(421, '4.7.0', 'Too many failed logins'))
    }
  }

  /** Postfix's XFORWARD, where another server of ours brings mail. It holds for one message. */
  #forward(argument: string): void {
    if (!this.#client.helo) throw new Rejection(503, '5.5.1', 'Say LHLO first')
    if (this.#transaction) throw new Rejection(503, '5.5.1', 'A message has been begun already')
    this.#origin = parseForward(argument, this.#origin)
    this.#say(reply(250, '2.0.0', 'Noted'))
  }

  async #mail(argument: string): Promise<void> {
    if (!this.#client.helo) throw new Rejection(503, '5.5.1', `Say ${this.#isLmtp ? 'LHLO' : 'EHLO'} first`)
    if (this.#transaction) throw new Rejection(503, '5.5.1', 'A message has been begun already')
    this.#transaction = await Transaction.begunBy(argument, this.#host, this.#client)
    this.#say(reply(250, '2.1.0', 'Sender noted'))
  }

  async #rcpt(argument: string): Promise<void> {
    const transaction = this.#transaction
    if (!transaction) throw new Rejection(503, '5.5.1', 'Say MAIL first')
    const recipient = transaction.recipientIn(argument)
    try {
      await transaction.add(recipient)
      this.#say(reply(250, '2.1.5', 'Recipient noted'))
    } catch (error) {
      const answer = this.#answerTo(error)
      const concealed = transaction.concealed || (error instanceof Rejection && error.concealed)
      const sender = loggedSender(transaction.sender, concealed)
      const to = transaction.fromPrivate ? {} : { recipient }
      this.#log.info({ message: transaction.id, sender, ...to, reply: answer }, 'recipient refused')
      this.#refuse(answer)
    }
  }

  async #data(argument: string): Promise<void> {
    const transaction = this.#transaction
    if (argument) throw new Rejection(501, '5.5.4', 'DATA takes no argument')
    if (this.#connection.ahead) return this.#end(outOfStep)
    if (!transaction) throw new Rejection(503, '5.5.1', 'Say MAIL and RCPT first')
    if (transaction.isEmpty) throw new Rejection(554, '5.5.1', 'No recipient has been taken')
    this.#connection.say('354 Send the message; end it with CR LF . CR LF\r\n')
    await this.#connection.flush()
    const received = await this.#connection.message(this.#host.room)
    if (received.fault === 'endless') this.#over = true
    try {
      for (const answer of await transaction.take(received, this.#client, this.#origin)) this.#say(answer)
      this.#errors = 0
      this.#commands = 0
    } catch (error) {
      const answer = this.#answerTo(error)
      const sender = loggedSender(transaction.sender, transaction.concealed)
      const octets = received.bytes.length
      this.#log.info({ message: transaction.id, sender, octets, reply: answer }, 'message refused')
      for (const one of transaction.answers(() => answer).slice(1)) this.#say(one)
      this.#refuse(answer)
    } finally {
      this.#host.room.give(received.bytes.length)
      this.#transaction = undefined
      this.#origin = undefined
    }
  }

  get #shuttingDown(): Reply {
    return reply(421, '4.3.2', `${this.#host.hostname} is shutting down; try again shortly`)
  }

  #answerTo(error: unknown): Reply {
    if (error instanceof Rejection) return error.reply
    this.#log.error({ err: error }, 'trouble of our own with mail coming in')
    return this.#host.taker.trouble(error)
  }

  #say(answer: Reply): void {
    this.#connection.say(render(answer))
  }

  /** A 5xx counts against the client; too many and it is sent away. */
  #refuse(answer: Reply): void {
    this.#say(answer)
    if (answer.code >= 500 && ++this.#errors >= this.#host.limits.errors) {
      this.#end(reply(421, '4.7.0', 'Too many errors'))
    }
  }

  #end(answer: Reply): void {
    this.#say(answer)
    this.#over = true
  }

  /** Says a last word in the middle of a wait. */
  #leave(answer: Reply): void {
    this.#end(answer)
    this.#connection.hangUp()
  }
}
