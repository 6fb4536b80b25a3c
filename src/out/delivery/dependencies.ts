import type { Logger } from 'pino'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import type { Follow } from '#/base/event-loop/follow.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import type { Claimed } from '#/out/queue/claims.ts'
import type { Sent } from '#/out/queue/lifecycle.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import type { WorkingRoutes } from '#/out/queue/unanswered.ts'
import type { Outcome, Relay } from '#/out/relay/relay.ts'
import type { LocalTransport, Routes } from './local.ts'
import type { PendingCopies } from './pending-copies.ts'

/** What attempts depend on. */
export interface WorkerDependencies extends DepartDependencies {
  readonly db: Db
  readonly relay: Pick<Relay, 'deliver' | 'routeOf'>
  readonly local: LocalTransport
  readonly time: SharedTime
  /** The key that opens queued mail. */
  readonly mailKey: SealingKey
  readonly log: Logger
  readonly follow?: Follow | undefined
  /** Stores pending Sent copies of scheduled messages. */
  readonly copies: Pick<PendingCopies, 'wake' | 'hold' | 'processAll' | 'storeAmbiguous'>
  /** What to do when delivery to a recipient is ambiguous. */
  readonly ambiguous: 'retry' | 'fail'
  /** The envelope sender under which a message leaves. */
  envelopeSender(message: QueuedMessage): string
  /** Composes a message that is `uncomposed`. */
  compose(message: QueuedMessage, recipients: readonly Claimed[]): Promise<LoadedMessage>
  /** The time of the worker's next round. It retries scheduled messages that are not delivered to any recipient. */
  nextRound(now: Date): Date
  /** Writes notices to the sender, in the transaction, about recipients whose delivery has failed or is delayed. */
  notify(tx: Tx, message: QueuedMessage, news: News, now: Date): Promise<void>
}

/** The same, with work of concurrent attempts that shares one statement or transaction. */
export interface AttemptDependencies extends WorkerDependencies {
  /** Records that the end of data is sent to these recipients. False if their lease is lost. */
  markEndOfData(recipients: readonly Claimed[]): Promise<boolean>
  /** Ends an attempt that delivered a scheduled message to all its recipients. False if a lease is lost. */
  endSent(sent: Sent): Promise<boolean>
  readonly workingRoutes: WorkingRoutes
  /** Recipients may be due. */
  wake(): void
  /** Makes a scheduled message ready to leave. */
  depart(claim: Claim): Promise<Departed>
}

export interface News {
  readonly kind: 'failed' | 'delayed'
  readonly about: readonly About[]
}

/** The outcome for a recipient to whom a message is not delivered, as far as we know. */
export interface About {
  readonly outcome: Outcome
  readonly attempts: number
  /** Since when delivery is ambiguous; null if it is not. */
  readonly ambiguousAt: Date | null
}

/** What an attempt came to. */
export interface Tried {
  /** As it was sent. */
  readonly message: QueuedMessage
  /** In the order of the recipients; of a message that is not to be sent any more, that it is not. */
  readonly outcomes: readonly Outcome[] | 'switched off'
  /** Why no recipient was tried. */
  readonly failure?: string
  /** The route of each recipient of a message that was delivered to none before. */
  readonly routes?: Routes | undefined
}

/** A recipient after an attempt. */
export interface TriedRecipient extends About {
  readonly id: number
  readonly delayNoticeAt: Date | null
}

/** A message in an attempt. */
export interface LoadedMessage {
  readonly message: QueuedMessage
  /** Undefined if they are to be read from the queue. */
  readonly octets?: Buffer | undefined
  /** The route of each recipient; undefined if all have one route. */
  readonly routes?: Routes | undefined
}

export interface DepartDependencies {
  readonly db: Db
  readonly relay: Pick<Relay, 'routeOf'>
  readonly time: SharedTime
  readonly log: Logger
  readonly signingKeys: SigningKeys
  /** The key that seals queued mail. */
  readonly mailKey: SealingKey
}

/** A scheduled message in an attempt, which has not departed yet. */
export interface Claim {
  readonly message: QueuedMessage
  readonly recipients: readonly Claimed[]
}

/** The message with its final octets, or why it cannot be sent now. */
export type Departed = LoadedMessage | { readonly failure: string }
