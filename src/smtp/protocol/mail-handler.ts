import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'
import type { Certificate } from '#/smtp/connection/certificate.ts'
import type { Limits } from '#/smtp/connection/limits.ts'
import type { MemoryReservation } from '#/smtp/connection/message-memory.ts'
import type { Admitted, Returning } from '#/smtp/inbound/recipients/admit.ts'
import type { Client, Envelope, Named } from './envelope.ts'
import type { Reply } from './reply.ts'

/** Decides on mail. Methods throw `Rejection` to refuse; any other error is an internal error, and the client retries. */
export interface MailHandler<Recipient extends Named = Admitted | Returning> {
  /** Decides on MAIL, if senders are authenticated; returns the handler of this message. */
  begin?(sender: string, client: Client): Promise<MailHandler<Recipient>>
  /** The sender is a Private mailbox: recipients are not logged. */
  readonly fromPrivate?: boolean
  admit(sender: string, recipient: string): Promise<Recipient>
  /** Resolves once the message is durable. */
  receive(envelope: Envelope<Recipient>, bytes: Buffer): Promise<AcceptedMessage>
}

export interface AcceptedMessage {
  readonly reply: Reply
  /** Other replies over LMTP: of mailboxes by id, of rewritten senders by address. */
  readonly otherwise: ReadonlyMap<string, Reply>
}

/** Authentication (RFC 4954) for submission (RFC 6409). */
export interface SmtpAuth {
  /** As in EHLO: `PLAIN LOGIN`. */
  readonly mechanisms: string
  /** Returns the handler of the user's mail. `ask` sends a challenge and returns the response. Throws `Rejection`. */
  logIn(argument: string, client: Client, ask: (challenge: string) => Promise<string>): Promise<MailHandler<Named>>
}

/** The context of a listener's sessions. */
export interface SessionContext {
  readonly protocol: 'SMTP' | 'LMTP'
  readonly hostname: string
  readonly tls: Pick<Certificate, 'context'> | undefined
  /** TLS begins with the connection (RFC 8314, section 3.3). */
  readonly implicitTls: boolean
  readonly auth: SmtpAuth | undefined
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Logger
  readonly memory: MemoryReservation
  readonly handler: MailHandler<Named>
  nextId(): string
}
