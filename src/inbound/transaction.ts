import { parseMailFrom, parseRcptTo } from './command.ts'
import type { Client, Named, Origin } from './envelope.ts'
import type { Host, MailTaker } from './host.ts'
import type { Limits } from './limits.ts'
import { Rejection, type Reply } from './reply.ts'
import type { Received } from './wire.ts'

/** One message from MAIL to the end of its data (RFC 5321 3.3). What is refused throws `Rejection`. */
export class Transaction {
  readonly id: string
  readonly sender: string
  readonly #utf8: boolean
  readonly #host: Host
  readonly #taker: MailTaker<Named>
  readonly #recipients: Named[] = []

  private constructor(host: Host, taker: MailTaker<Named>, { sender, utf8 }: { sender: string; utf8: boolean }) {
    this.#host = host
    this.#taker = taker
    this.id = host.nextId()
    this.sender = sender
    this.#utf8 = utf8
  }

  /** By what follows MAIL. A message is refused here that there would be no room for. */
  static async begunBy(argument: string, host: Host, client: Client): Promise<Transaction> {
    const { limits, room, taker } = host
    const { size, ...begun } = parseMailFrom(argument, { auth: taker.begin !== undefined })
    if (size > limits.messageSize) throw faulty('too large', limits)
    if (!room.fits(size)) throw faulty('no room', limits)
    return new Transaction(host, (await taker.begin?.(begun.sender, client)) ?? taker, begun)
  }

  /** What follows RCPT, if the message may have another recipient. */
  recipientIn(argument: string): string {
    const recipient = parseRcptTo(argument, this.#utf8)
    if (this.#recipients.length < this.#host.limits.recipients) return recipient
    throw new Rejection(452, '4.5.3', 'Too many recipients in one message; send it again for the others')
  }

  async add(recipient: string): Promise<void> {
    this.#recipients.push(await this.#taker.admit(this.sender, recipient))
  }

  /** A Private mailbox is among its recipients. */
  get concealed(): boolean {
    return this.#recipients.some((one) => 'private' in one && one.private)
  }

  get fromPrivate(): boolean {
    return this.#taker.fromPrivate ?? false
  }

  get isEmpty(): boolean {
    return this.#recipients.length === 0
  }

  /** Resolves with the answers once the message is ours to keep. */
  async take({ bytes, fault }: Received, client: Client, origin: Origin | undefined): Promise<readonly Reply[]> {
    const { limits, clock, protocol } = this.#host
    if (fault) throw faulty(fault, limits)
    const envelope = {
      ...{ id: this.id, receivedAt: new Date(clock.now()), client },
      origin: protocol === 'LMTP' ? origin : client,
      ...{ sender: this.sender, utf8: this.#utf8, recipients: this.#recipients },
    }
    const { reply, otherwise } = await this.#taker.take(envelope, bytes)
    return this.answers(
      (one) => (one && otherwise.get('mailboxId' in one ? String(one.mailboxId) : one.recipient)) || reply,
    )
  }

  /** One for the message, or over LMTP one for each recipient, in their order (RFC 2033 4.2). */
  answers(to: (recipient?: Named) => Reply): readonly Reply[] {
    return this.#host.protocol === 'LMTP' ? this.#recipients.map(to) : [to()]
  }
}

function faulty(fault: NonNullable<Received['fault']>, limits: Limits): Rejection {
  switch (fault) {
    case 'too large':
    case 'endless':
      return new Rejection(552, '5.3.4', `A message may have ${limits.messageSize} octets`)
    case 'no room':
      return new Rejection(452, '4.3.1', 'Too much mail is coming in; try again shortly')
    case 'bare line ending':
      return new Rejection(554, '5.6.0', 'Lines must end in CR LF; the message holds a CR or LF alone')
    case 'nul':
      return new Rejection(554, '5.6.0', 'The message holds a NUL')
  }
}
