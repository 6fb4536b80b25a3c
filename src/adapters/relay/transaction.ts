import type { Delivery, Outcome } from '#/ports/relay.ts'
import { path } from './address.ts'
import type { Deadline } from './deadline.ts'
import { stuffed } from './dot-stuffing.ts'
import { type Reply, said, statusOf } from './reply.ts'
import type { Session } from './session.ts'
import { Lost, stopped, Trouble, troubleFrom } from './trouble.ts'

/** The server had closed a session that it had carried messages in, before it knew of this one. */
export class Stale extends Error {}

/** What is to be said for each recipient that has an outcome so far. */
export type Outcomes = Map<string, Outcome>

/**
 * One message to some of its recipients, on a session that is ready (RFC 5321 3.3). Gives each an outcome, or rejects:
 * with `Stale`, or with what `content` or `beforeDot` rejected with.
 */
export async function transact(
  session: Session,
  delivery: Delivery,
  recipients: readonly string[],
  deadline: Deadline,
): Promise<Outcomes> {
  const { wire } = session
  const { signal } = deadline
  const stop = () => wire.destroy(stopped(signal))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await new Transaction(session, delivery, recipients).run(deadline)
  } catch (error) {
    wire.destroy()
    throw error
  } finally {
    session.used += 1
    signal.removeEventListener('abort', stop)
  }
}

class Transaction {
  readonly #session: Session
  readonly #delivery: Delivery
  readonly #recipients: readonly string[]
  readonly #outcomes: Outcomes = new Map()
  /** Between 354 and the reply to the dot there is no way on but the message's. */
  #inMessage = false
  /** The dot is out, and nothing has been said to it. */
  #unanswered = false

  constructor(session: Session, delivery: Delivery, recipients: readonly string[]) {
    this.#session = session
    this.#delivery = delivery
    this.#recipients = recipients
  }

  async run(deadline: Deadline): Promise<Outcomes> {
    try {
      await this.#run(deadline)
    } catch (error) {
      if (!(error instanceof Trouble)) throw error
      if (error instanceof Lost || this.#inMessage) this.#session.wire.destroy()
      for (const recipient of this.#left()) this.#settle(recipient, error, this.#unanswered)
    }
    return this.#outcomes
  }

  async #run(deadline: Deadline): Promise<void> {
    const { wire, limits } = this.#session
    const accepted = await this.#envelope(this.#parameters())
    if (accepted.length === 0) return
    this.#inMessage = true
    await this.#content()
    await this.#delivery.beforeDot(accepted)
    await wire.look()
    this.#assertNothingSaid()
    const lost = wire.lost()
    if (lost) throw lost
    deadline.lift()
    this.#unanswered = true
    wire.send('.\r\n')
    const reply = await wire.reply('the end of the message', limits.dot)
    this.#unanswered = reply.code < 400 && !succeeded(reply)
    this.#inMessage = this.#unanswered
    this.#session.begun = false
    if (!succeeded(reply)) throw troubleFrom(reply, wire.host, 'the message')
    for (const recipient of accepted) this.#deliver(recipient, reply)
  }

  /** What MAIL is said with, checked against what the server offers. */
  #parameters(): string {
    const { wire, extensions } = this.#session
    const { sender, size, smtpUtf8, eightBit } = this.#delivery
    const unicode = smtpUtf8 || [sender, ...this.#recipients].some((address) => address !== '' && !path(address)?.ascii)
    if (unicode && !extensions.has('SMTPUTF8'))
      throw new Trouble('5.6.7', `${wire.host} does not take internationalised addresses or headers`)
    const most = Number(extensions.get('SIZE')?.[0] ?? 0)
    if (most > 0 && size > most)
      throw new Trouble('5.3.4', `${wire.host} takes messages of up to ${most} octets; this one has ${size}`)
    return [
      extensions.has('SIZE') && ` SIZE=${size}`,
      extensions.has('8BITMIME') && (eightBit || unicode) && ' BODY=8BITMIME',
      unicode && ' SMTPUTF8',
    ]
      .filter(Boolean)
      .join('')
  }

  /** MAIL, RCPT and DATA, in one go where the server offers PIPELINING (RFC 2920). Answers who was accepted; where that
   *  is nobody, the transaction is over. */
  async #envelope(parameters: string): Promise<string[]> {
    const { wire, limits, extensions } = this.#session
    const { sender } = this.#delivery
    const recipients = this.#left()
    const mail = `MAIL FROM:<${sender && path(sender)?.text}>${parameters}\r\n`
    const rcpts = recipients.map((recipient) => `RCPT TO:<${path(recipient)?.text}>\r\n`)
    const pipelining = extensions.has('PIPELINING')
    const say = async (command: string, limit: number) => {
      if (!pipelining) wire.send(command)
      return wire.reply(command.slice(0, 4), limit)
    }
    const refusal = await this.#begin(async () => {
      this.#assertNothingSaid()
      if (pipelining) wire.send([mail, ...rcpts, 'DATA\r\n'].join(''))
      return say(mail, limits.envelope)
    })
    if (refusal && !pipelining) throw refusal
    this.#session.begun = true
    const accepted: string[] = []
    for (const [at, recipient] of recipients.entries()) {
      const answer = await say(rcpts[at] ?? '', limits.envelope)
      const trouble = refusal ?? this.#troubleOf(answer, accepted.length)
      if (trouble instanceof Lost) throw trouble
      if (trouble) this.#settle(recipient, trouble)
      else accepted.push(recipient)
    }
    if (accepted.length > 0 || pipelining) this.#data(await say('DATA\r\n', limits.data), accepted.length > 0)
    return accepted
  }

  /** MAIL. Answers why the sender was refused, undefined where it was not. A session that was idle may have been closed
   *  meanwhile, which says nothing about the message. */
  async #begin(mail: () => Promise<Reply>): Promise<Trouble | undefined> {
    try {
      const reply = await mail()
      const trouble = succeeded(reply) ? undefined : troubleFrom(reply, this.#session.wire.host, 'the sender')
      if (trouble instanceof Lost) throw trouble
      return trouble
    } catch (error) {
      throw error instanceof Lost && this.#session.used > 0 ? new Stale() : error
    }
  }

  /** `wanted`: somebody was accepted. Where nobody was, a server that still waits for the message is left. */
  #data(reply: Reply, wanted: boolean): void {
    const { wire } = this.#session
    if (wanted && reply.code !== 354) throw troubleFrom(reply, wire.host, 'the message')
    if (!wanted && reply.code === 354) wire.destroy()
  }

  /** 552 to one of several is an old way to say that these are too many at once (RFC 5321 4.5.3.1.10). */
  #troubleOf(reply: Reply, accepted: number): Trouble | undefined {
    const { host } = this.#session.wire
    if (succeeded(reply)) return undefined
    if (reply.code === 552 && accepted > 0 && ['5.0.0', '5.5.3'].includes(statusOf(reply)))
      return new Trouble('4.5.3', `${host} takes no more recipients at once`, { reply: said(reply), host })
    return troubleFrom(reply, host, 'the recipient')
  }

  async #content(): Promise<void> {
    const { wire, limits } = this.#session
    for await (const octets of stuffed(this.#delivery.content())) {
      this.#assertNothingSaid()
      await wire.write(octets, limits.block).catch((error: unknown) => {
        this.#assertNothingSaid()
        throw error
      })
    }
    this.#assertNothingSaid()
  }

  /** A server that speaks before it is asked has either changed its mind or is out of step, and then its next reply
   *  cannot be told from the one to our dot. */
  #assertNothingSaid(): void {
    const { wire } = this.#session
    const reply = wire.unasked()
    if (!reply) return
    const trouble = troubleFrom(reply, wire.host, 'the message')
    wire.destroy()
    throw trouble
  }

  /** Recipients that have no outcome yet. */
  #left(): string[] {
    return this.#recipients.filter((recipient) => !this.#outcomes.has(recipient))
  }

  #settle(recipient: string, trouble: Trouble, ambiguous = false): void {
    const { host } = this.#session.wire
    this.#outcomes.set(recipient, outcomeOf(recipient, trouble, host, ambiguous))
  }

  #deliver(recipient: string, reply: Reply): void {
    const { host } = this.#session.wire
    this.#outcomes.set(recipient, {
      recipient,
      result: 'delivered',
      reply: said(reply),
      status: statusOf(reply),
      reason: `${host} took the message`,
      host,
      ambiguous: false,
    })
  }
}

/** What a trouble means for a recipient. */
export function outcomeOf(recipient: string, trouble: Trouble, host: string | null, ambiguous = false): Outcome {
  const { result, status, reply, message } = trouble
  const reason = ambiguous ? `${message}; it may have taken the message, or not` : message
  return { recipient, result, reply, status, reason, host: trouble.host ?? host, ambiguous }
}

function succeeded({ code }: Reply): boolean {
  return code >= 200 && code < 300
}
