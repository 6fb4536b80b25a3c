import type { Logger } from 'pino'
import type { Clock } from '#/ports/clock.ts'
import type { Admitted, Returning } from './admit.ts'
import type { Certificate } from './certificate.ts'
import type { Client, Envelope, Named } from './envelope.ts'
import type { Limits } from './limits.ts'
import type { Reply } from './reply.ts'
import type { Room } from './room.ts'

/** Who decides about mail. Both throw `Rejection` where the answer is no; whatever else they throw is our own trouble,
 *  for which the client is asked to come again. */
export interface MailTaker<Recipient extends Named = Admitted | Returning> {
  /** Answers MAIL, where who may send is asked: with who decides about this one message. */
  begin?(sender: string, client: Client): Promise<MailTaker<Recipient>>
  /** A Private mailbox writes: whom to is nothing for the log. */
  readonly fromPrivate?: boolean
  admit(sender: string, recipient: string): Promise<Recipient>
  /** Resolves once the message is ours to keep. */
  take(envelope: Envelope<Recipient>, bytes: Buffer): Promise<Taken>
  /** What is answered to trouble of our own. */
  trouble(error: unknown): Reply
}

/** A message that is ours to keep. */
export interface Taken {
  readonly reply: Reply
  /** Of mailboxes that did not take it although others did, and of rewritten senders, by their address. */
  readonly otherwise: ReadonlyMap<string, Reply>
}

/** Lets clients log in, where mail is submitted (RFC 6409). */
export interface Gate {
  /** What `EHLO` offers, as `PLAIN LOGIN`. */
  readonly mechanisms: string
  /** Answers AUTH (RFC 4954) with who decides about mail of whoever logs in. `ask` says a challenge and answers what the
   *  client says to it. Throws `Rejection` where nobody is let in. */
  logIn(argument: string, client: Client, ask: (challenge: string) => Promise<string>): Promise<MailTaker<Named>>
}

/** What all sessions of a listener share. */
export interface Host {
  readonly protocol: 'SMTP' | 'LMTP'
  readonly hostname: string
  /** STARTTLS is offered only with it. */
  readonly tls: Pick<Certificate, 'context'> | undefined
  /** TLS begins with the connection (RFC 8314, section 3.3). */
  readonly implicitTls: boolean
  readonly gate: Gate | undefined
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Logger
  readonly room: Room
  readonly taker: MailTaker<Named>
  nextId(): string
}
