import type { Delivery, Outcome } from '#/out/relay/relay.ts'
import { path } from '../address.ts'
import { ConnectionLost, DeliveryFailure, failureFrom, stopped } from '../delivery-failure.ts'
import type { Deadline } from './deadline.ts'
import { stuffed } from './dot-stuffing.ts'
import { type Reply, replyText, statusOf } from './reply.ts'
import type { SmtpClient } from './smtp-client.ts'

/** The server closed a reused session before the transaction. */
export class Stale extends Error {}

export type Outcomes = Map<string, Outcome>

/**
 * One mail transaction (RFC 5321, section 3.3). Returns an outcome for each recipient, or rejects: with `Stale`, or with
 * what `content` or `beforeEndOfData` rejected with.
 */
export async function transact(
  session: SmtpClient,
  delivery: Delivery,
  recipients: readonly string[],
  deadline: Deadline,
): Promise<Outcomes> {
  const { connection } = session
  const { signal } = deadline
  const stop = () => connection.destroy(stopped(signal))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await new Transaction(session, delivery, recipients).run(deadline)
  } catch (error) {
    connection.destroy()
    throw error
  } finally {
    session.used += 1
    signal.removeEventListener('abort', stop)
  }
}

class Transaction {
  readonly #session: SmtpClient
  readonly #delivery: Delivery
  readonly #recipients: readonly string[]
  readonly #outcomes: Outcomes = new Map()
  /** Between 354 and the reply to the end of data: the session cannot be reused. */
  #inMessage = false
  /** The end of data was sent, and not answered. */
  #unanswered = false

  constructor(session: SmtpClient, delivery: Delivery, recipients: readonly string[]) {
    this.#session = session
    this.#delivery = delivery
    this.#recipients = recipients
  }

  async run(deadline: Deadline): Promise<Outcomes> {
    try {
      await this.#run(deadline)
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error
      if (error instanceof ConnectionLost || this.#inMessage) this.#session.connection.destroy()
      for (const recipient of this.#left()) this.#settle(recipient, error, this.#unanswered)
    }
    return this.#outcomes
  }

  async #run(deadline: Deadline): Promise<void> {
    const { connection, limits } = this.#session
    const accepted = await this.#envelope(this.#parameters())
    if (accepted.length === 0) return
    this.#inMessage = true
    await this.#content()
    await this.#delivery.beforeEndOfData(accepted)
    await connection.poll()
    this.#assertNoReply()
    const lost = connection.lost()
    if (lost) throw lost
    deadline.lift()
    this.#unanswered = true
    connection.send('.\r\n')
    const reply = await connection.reply('the end of the message', limits.endOfData)
    this.#unanswered = reply.code < 400 && !succeeded(reply)
    this.#inMessage = this.#unanswered
    this.#session.begun = false
    if (!succeeded(reply)) throw failureFrom(reply, connection.host, 'the message')
    for (const recipient of accepted) this.#deliver(recipient, reply)
  }

  /** The parameters of MAIL, checked against the extensions of the server. */
  #parameters(): string {
    const { connection, extensions } = this.#session
    const { sender, size, smtpUtf8, eightBit } = this.#delivery
    const unicode = smtpUtf8 || [sender, ...this.#recipients].some((address) => address !== '' && !path(address)?.ascii)
    if (unicode && !extensions.has('SMTPUTF8'))
      throw new DeliveryFailure(
        '5.6.7',
        `${connection.host} does not support internationalised addresses or headers (SMTPUTF8)`,
      )
    const most = Number(extensions.get('SIZE')?.[0] ?? 0)
    if (most > 0 && size > most)
      throw new DeliveryFailure(
        '5.3.4',
        `${connection.host} accepts messages of up to ${most} octets; this one has ${size}`,
      )
    return [
      extensions.has('SIZE') && ` SIZE=${size}`,
      extensions.has('8BITMIME') && (eightBit || unicode) && ' BODY=8BITMIME',
      unicode && ' SMTPUTF8',
    ]
      .filter(Boolean)
      .join('')
  }

  /** MAIL, RCPT and DATA, pipelined if the server supports that (RFC 2920). Returns the accepted recipients; if there are
   *  none, the transaction is over. */
  async #envelope(parameters: string): Promise<string[]> {
    const { connection, limits, extensions } = this.#session
    const { sender } = this.#delivery
    const recipients = this.#left()
    const mail = `MAIL FROM:<${sender && path(sender)?.text}>${parameters}\r\n`
    const rcpts = recipients.map((recipient) => `RCPT TO:<${path(recipient)?.text}>\r\n`)
    const pipelining = extensions.has('PIPELINING')
    const say = async (command: string, limit: number) => {
      if (!pipelining) connection.send(command)
      return connection.reply(command.slice(0, 4), limit)
    }
    const refusal = await this.#begin(async () => {
      this.#assertNoReply()
      if (pipelining) connection.send([mail, ...rcpts, 'DATA\r\n'].join(''))
      return say(mail, limits.envelope)
    })
    if (refusal && !pipelining) throw refusal
    this.#session.begun = true
    const accepted: string[] = []
    for (const [at, recipient] of recipients.entries()) {
      const answer = await say(rcpts[at] ?? '', limits.envelope)
      const failure = refusal ?? this.#failureOf(answer, accepted.length)
      if (failure instanceof ConnectionLost) throw failure
      if (failure) this.#settle(recipient, failure)
      else accepted.push(recipient)
    }
    if (accepted.length > 0 || pipelining) this.#data(await say('DATA\r\n', limits.data), accepted.length > 0)
    return accepted
  }

  /** MAIL. Returns the failure if the sender is refused. A session that was idle may have been closed, which is not a
   *  failure of the message. */
  async #begin(mail: () => Promise<Reply>): Promise<DeliveryFailure | undefined> {
    try {
      const reply = await mail()
      const failure = succeeded(reply) ? undefined : failureFrom(reply, this.#session.connection.host, 'the sender')
      if (failure instanceof ConnectionLost) throw failure
      return failure
    } catch (error) {
      throw error instanceof ConnectionLost && this.#session.used > 0 ? new Stale() : error
    }
  }

  /** `wanted`: a recipient was accepted. Otherwise a server that waits for the message is disconnected. */
  #data(reply: Reply, wanted: boolean): void {
    const { connection } = this.#session
    if (wanted && reply.code !== 354) throw failureFrom(reply, connection.host, 'the message')
    if (!wanted && reply.code === 354) connection.destroy()
  }

  /** 552 may mean too many recipients (RFC 5321, section 4.5.3.1.10). */
  #failureOf(reply: Reply, accepted: number): DeliveryFailure | undefined {
    const { host } = this.#session.connection
    if (succeeded(reply)) return undefined
    if (reply.code === 552 && accepted > 0 && ['5.0.0', '5.5.3'].includes(statusOf(reply)))
      return new DeliveryFailure('4.5.3', `${host} accepts no more recipients in one transaction`, {
        reply: replyText(reply),
        host,
      })
    return failureFrom(reply, host, 'the recipient')
  }

  async #content(): Promise<void> {
    const { connection, limits } = this.#session
    for await (const octets of stuffed(this.#delivery.content())) {
      this.#assertNoReply()
      await connection.write(octets, limits.block).catch((error: unknown) => {
        this.#assertNoReply()
        throw error
      })
    }
    this.#assertNoReply()
  }

  /** After an unsolicited reply, the next one could be mistaken for the reply to the end of data. */
  #assertNoReply(): void {
    const { connection } = this.#session
    const reply = connection.unsolicited()
    if (!reply) return
    const failure = failureFrom(reply, connection.host, 'the message')
    connection.destroy()
    throw failure
  }

  /** Recipients without an outcome. */
  #left(): string[] {
    return this.#recipients.filter((recipient) => !this.#outcomes.has(recipient))
  }

  #settle(recipient: string, failure: DeliveryFailure, ambiguous = false): void {
    const { host } = this.#session.connection
    this.#outcomes.set(recipient, outcomeOf(recipient, failure, host, ambiguous))
  }

  #deliver(recipient: string, reply: Reply): void {
    const { host } = this.#session.connection
    this.#outcomes.set(recipient, {
      recipient,
      result: 'delivered',
      reply: replyText(reply),
      status: statusOf(reply),
      reason: `${host} accepted the message`,
      host,
      ambiguous: false,
    })
  }
}

/** The outcome of a failure for a recipient. */
export function outcomeOf(
  recipient: string,
  failure: DeliveryFailure,
  host: string | null,
  ambiguous = false,
): Outcome {
  const { result, status, reply, message } = failure
  const reason = ambiguous ? `${message}; the message may or may not have been delivered` : message
  return { recipient, result, reply, status, reason, host: failure.host ?? host, ambiguous }
}

function succeeded({ code }: Reply): boolean {
  return code >= 200 && code < 300
}
