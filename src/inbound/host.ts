import type { Logger } from 'pino'
import type { Clock } from '#/ports/clock.ts'
import type { Admitted, Returning } from './admit.ts'
import type { Certificate } from './certificate.ts'
import type { Envelope } from './envelope.ts'
import type { Limits } from './limits.ts'
import type { Reply } from './reply.ts'
import type { Room } from './wire.ts'

/** Who decides about mail. Both throw `Rejection` where the answer is no; whatever else they throw is our own trouble,
 *  for which the client is asked to come again. */
export interface MailTaker {
  admit(sender: string, recipient: string): Promise<Admitted | Returning>
  /** Resolves once the message is ours to keep. */
  take(envelope: Envelope, bytes: Buffer): Promise<Taken>
  /** What is answered to trouble of our own. */
  trouble(error: unknown): Reply
}

/** A message that is ours to keep. */
export interface Taken {
  readonly reply: Reply
  /** Of mailboxes that did not take it although others did, and of rewritten senders, by their address. */
  readonly otherwise: ReadonlyMap<string, Reply>
}

/** What all sessions of a listener share. */
export interface Host {
  readonly protocol: 'SMTP' | 'LMTP'
  readonly hostname: string
  /** STARTTLS is offered only with it. */
  readonly tls: Pick<Certificate, 'context'> | undefined
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Logger
  readonly room: Room
  readonly taker: MailTaker
  nextId(): string
}
