import type { Limits } from '#/smtp/connection/limits.ts'
import type { Received } from '#/smtp/connection/smtp-reader.ts'
import type { Client, Named, Origin } from './envelope.ts'
import { parseMailFrom, parseRcptTo } from './mail-command.ts'
import type { MailHandler, SessionContext } from './mail-handler.ts'
import { Rejection, type Reply } from './reply.ts'

/** One mail transaction (RFC 5321, section 3.3), from MAIL to the end of data. Throws `Rejection`. */
export class Transaction {
  readonly id: string
  readonly sender: string
  readonly #utf8: boolean
  readonly #context: SessionContext
  readonly #handler: MailHandler<Named>
  readonly #recipients: Named[] = []

  private constructor(
    context: SessionContext,
    handler: MailHandler<Named>,
    { sender, utf8 }: { sender: string; utf8: boolean },
  ) {
    this.#context = context
    this.#handler = handler
    this.id = context.nextId()
    this.sender = sender
    this.#utf8 = utf8
  }

  /** Opens the transaction by the argument of MAIL; refuses a message for which there is no memory. */
  static async open(argument: string, context: SessionContext, client: Client): Promise<Transaction> {
    const { limits, memory, handler } = context
    const { size, ...begun } = parseMailFrom(argument, { auth: handler.begin !== undefined })
    if (size > limits.messageSize) throw faulty('too large', limits)
    if (!memory.fits(size)) throw faulty('no room', limits)
    return new Transaction(context, (await handler.begin?.(begun.sender, client)) ?? handler, begun)
  }

  /** Parses the argument of RCPT. */
  recipientIn(argument: string): string {
    const recipient = parseRcptTo(argument, this.#utf8)
    if (this.#recipients.length < this.#context.limits.recipients) return recipient
    throw new Rejection(452, '4.5.3', 'Too many recipients; send the message again for the rest')
  }

  async add(recipient: string): Promise<void> {
    this.#recipients.push(await this.#handler.admit(this.sender, recipient))
  }

  /** The sender as the log may name it: not if a recipient is a Private mailbox, or the error concerns one. */
  loggedSender(error: unknown): string | undefined {
    const concealed = this.#recipients.some((one) => 'private' in one && one.private)
    return concealed || (error instanceof Rejection && error.concealed) ? undefined : this.sender
  }

  get fromPrivate(): boolean {
    return this.#handler.fromPrivate ?? false
  }

  get isEmpty(): boolean {
    return this.#recipients.length === 0
  }

  /** Resolves with the replies once the message is durable. */
  async receive({ bytes, fault }: Received, client: Client, origin: Origin | undefined): Promise<readonly Reply[]> {
    const { limits, clock, protocol } = this.#context
    if (fault) throw faulty(fault, limits)
    const envelope = {
      ...{ id: this.id, receivedAt: new Date(clock.now()), client },
      origin: protocol === 'LMTP' ? origin : client,
      ...{ sender: this.sender, utf8: this.#utf8, recipients: this.#recipients },
    }
    const { reply, otherwise } = await this.#handler.receive(envelope, bytes)
    return this.replies(
      (one) => (one && otherwise.get('mailboxId' in one ? String(one.mailboxId) : one.recipient)) || reply,
    )
  }

  /** One reply for the message; over LMTP one for each recipient, in order (RFC 2033, section 4.2). */
  replies(to: (recipient?: Named) => Reply): readonly Reply[] {
    return this.#context.protocol === 'LMTP' ? this.#recipients.map(to) : [to()]
  }
}

function faulty(fault: NonNullable<Received['fault']>, limits: Limits): Rejection {
  switch (fault) {
    case 'too large':
    case 'endless':
      return new Rejection(552, '5.3.4', `Message exceeds ${limits.messageSize} octets`)
    case 'no room':
      return new Rejection(452, '4.3.1', 'Insufficient memory for incoming mail; try again shortly')
    case 'bare line ending':
      return new Rejection(554, '5.6.0', 'Message contains a bare CR or LF')
    case 'nul':
      return new Rejection(554, '5.6.0', 'Message contains a NUL')
  }
}
