import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { Follow } from '#/ports/follow.ts'
import type { Outcome, Relay } from '#/ports/relay.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'
import type { SealingKey } from '#/seal.ts'
import { openedRecipient } from '#/sending/sealed.ts'
import { type Batch, type Claimed, leaseMs, Overtaken, renew, together } from './claims.ts'
import { decideTogether } from './decide-together.ts'
import { deliver, deliverEveryWay, refusal } from './deliver.ts'
import { finish, letGo } from './finish.ts'
import { type Held, heldMessage } from './held.ts'
import { type LocalDoor, routesOf } from './local.ts'
import type { OwedCopies } from './owed-copies.ts'
import type { Sent } from './sent.ts'
import { isWanted } from './wanted.ts'

/** What an attempt stands on. */
export interface Postal {
  readonly db: Db
  readonly relay: Pick<Relay, 'deliver' | 'routeOf'>
  readonly local: LocalDoor
  readonly time: SharedTime
  /** Opens what waits. */
  readonly mailKey: SealingKey
  readonly log: Logger
  readonly follow?: Follow | undefined
  /** Stores the copies for Sent of what was scheduled. */
  readonly copies: Pick<OwedCopies, 'wake' | 'processAll' | 'storeDoubtful'>
  /** What becomes of a recipient of whom nobody knows whether they have the message. */
  readonly ambiguous: 'retry' | 'fail'
  /** When the worker's next round is, in which what was scheduled and nobody has yet is tried again. */
  nextRound(now: Date): Date
  /** Tells the sender of a message, in the transaction, of recipients who will never get it, or have not got it yet. */
  notify(tx: Tx, message: Held, news: News, now: Date): Promise<void>
}

/** The same, with what attempts that run beside each other have done together. */
export interface Desk extends Postal {
  /** Marks the dot of recipients who are about to get it; false where the claim is lost. */
  markDot(recipients: readonly Claimed[]): Promise<boolean>
  /** Ends an attempt with which everybody has their message; false where that is not done. */
  endSent(sent: Sent): Promise<boolean>
}

export interface News {
  readonly kind: 'failed' | 'delayed'
  readonly about: readonly About[]
}

/** What came of sending to a recipient who has not got the message, as far as anybody knows. */
export interface About {
  readonly outcome: Outcome
  readonly attempts: number
  /** Since when nobody knows it for sure. */
  readonly doubtedAt: Date | null
}

/** What an attempt is about, as far as it is known without asking the database. */
export interface InHand {
  readonly message: Held
  /** Undefined where there is too much of it. */
  readonly octets?: Buffer | undefined
  /** The route of each recipient. */
  readonly ways?: ReadonlyMap<string, string>
}

/** After so many workers that ended over it nobody tries any more to send what goes by one route. */
const mostCutShort = 10

/**
 * One attempt at recipients that a worker has claimed (reliability.md, "The protocol"): the claim has counted it, the
 * message goes out up to its final dot, the dot is marked where the claim still holds, and only then sent. Whatever ends
 * this process on the way, the recipients are claimed again once the lease is over; nobody else has touched them before.
 */
export async function attempt(desk: Desk, taken: Batch, known: InHand | undefined, signal: AbortSignal): Promise<void> {
  const { db, time, log } = desk
  const { organizationId, messageId } = taken
  const message = known?.message ?? (await heldMessage(db, desk.mailKey, organizationId, messageId))
  if (!message) return
  const batch = message.concealed ? withOpened(desk.mailKey, taken) : taken
  const { recipients } = batch
  if (!(await isWanted(db, time, message, recipients))) return await letGo(desk, message, recipients)
  const renewing = setInterval(() => {
    time(db)
      .then((now) => renew(db, recipients, now))
      .catch((err: unknown) => log.error({ err, message: messageId }, 'a claim could not be renewed'))
  }, leaseMs / 3)
  try {
    await (batch.route === together ? tryTogether : tryOneWay)(desk, batch, { ...known, message }, signal)
  } catch (err) {
    if (!(err instanceof Overtaken)) throw err
    log.warn({ message: messageId }, err.message)
  } finally {
    clearInterval(renewing)
  }
}

function withOpened(key: SealingKey, batch: Batch): Batch {
  const opened = (one: Claimed) => ({ ...one, recipient: openedRecipient(key, batch.messageId, one.recipient) })
  return { ...batch, recipients: batch.recipients.map(opened) }
}

async function tryOneWay(desk: Desk, { route, recipients, cutShort }: Batch, inHand: InHand, signal: AbortSignal) {
  const outcomes =
    cutShort < mostCutShort
      ? await deliver(desk, inHand, { route, recipients }, signal)
      : recipients.map(({ recipient }) => refusal(recipient, `Sending it was cut short ${mostCutShort} times`))
  await insist(desk, signal, () => finish(desk, inHand.message, recipients, outcomes))
}

async function tryTogether(desk: Desk, { recipients, attempts, cutShort }: Batch, inHand: InHand, signal: AbortSignal) {
  const addresses = recipients.map(({ recipient }) => recipient)
  const ways = inHand.ways ?? (await routesOf(desk.db, desk.relay, addresses))
  const outcomes =
    cutShort < mostAttempts && attempts - cutShort <= mostAttempts
      ? await deliverEveryWay(desk, inHand, { ways, recipients }, signal)
      : addresses.map((address) => refusal(address, 'Sending it was cut short three times'))
  await insist(desk, signal, () =>
    decideTogether(desk, inHand.message, { recipients, outcomes, ways, attempts: attempts - cutShort }),
  )
}

/** How long to go on trying to write down what came of an attempt, and how long to wait in between, in milliseconds. */
const mostInsistence = 10 * 60_000
const mostBetween = 5_000

/** A trouble with the database must not make a message go twice that somebody has, so it is waited for, the claim being
 *  held meanwhile. Rejects once the worker stops. */
async function insist({ log }: Postal, signal: AbortSignal, write: () => Promise<void>): Promise<void> {
  const end = performance.now() + mostInsistence
  for (let between = 100; ; between = Math.min(2 * between, mostBetween)) {
    try {
      return await write()
    } catch (err) {
      if (signal.aborted || performance.now() > end) throw err
      log.error({ err }, 'what came of an attempt could not be written down yet')
      await wait(between, undefined, { signal })
    }
  }
}
