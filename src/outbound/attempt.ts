import type { Logger } from 'pino'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { Outcome, Relay } from '#/ports/relay.ts'
import { backoff, delayWorthTelling } from './backoff.ts'
import { localRoute } from './local.ts'
import {
  type Batch,
  type Claimed,
  type Held,
  heldMessage,
  heldOctets,
  holdClaim,
  leaseMs,
  markDot,
  type Postponed,
  postpone,
  renew,
  settle,
  start,
} from './queue.ts'

/** What an attempt stands on. */
export interface Postal {
  readonly db: Db
  readonly relay: Pick<Relay, 'deliver'>
  /** Takes what does not leave. */
  readonly local: Pick<Relay, 'deliver'>
  readonly time: SharedTime
  readonly log: Logger
  /** Tells the sender of a message, in the transaction, of recipients who will never get it, or have not got it yet. */
  notify(tx: Tx, message: Held, news: News, now: Date): Promise<void>
}

export interface News {
  readonly kind: 'failed' | 'delayed'
  readonly about: readonly { readonly outcome: Outcome; readonly attempts: number }[]
}

/** The claim went to another worker, which took this one for dead. */
class Overtaken extends Error {}

/**
 * One attempt at recipients that a worker has claimed (reliability.md, "The protocol"): the attempt is counted, the
 * message goes out up to its final dot, the dot is marked where the claim still holds, and only then sent. Whatever ends
 * this process on the way, the recipients are claimed again once the lease is over; nobody else has touched them before.
 */
export async function attempt(
  postal: Postal,
  { organizationId, messageId, route, recipients }: Batch,
  signal: AbortSignal,
) {
  const { db, time, log } = postal
  const attempts = await start(db, recipients)
  const message = attempts === undefined ? undefined : await heldMessage(db, organizationId, messageId)
  if (!message) return
  const renewing = setInterval(() => {
    time(db)
      .then((now) => renew(db, recipients, now))
      .catch((err: unknown) => log.error({ err, message: messageId }, 'a claim could not be renewed'))
  }, leaseMs / 3)
  try {
    const outcomes = await (route === localRoute ? postal.local : postal.relay).deliver(
      {
        sender: message.sender,
        recipients: recipients.map(({ recipient }) => recipient),
        size: message.sizeBytes,
        content: () => heldOctets(db, messageId),
        smtpUtf8: message.smtpUtf8,
        eightBit: message.eightBit,
        beforeDot: async (accepted) => {
          const going = recipients.filter(({ recipient }) => accepted.includes(recipient))
          if (!(await markDot(db, going))) throw new Overtaken('Another worker has taken this message')
        },
      },
      signal,
    )
    await finish(postal, message, recipients, outcomes)
  } catch (err) {
    if (!(err instanceof Overtaken)) throw err
    log.warn({ message: messageId }, err.message)
  } finally {
    clearInterval(renewing)
  }
}

/** Writes down what came of an attempt: who has the message, who never will, and when to try the others again. */
async function finish(
  postal: Postal,
  message: Held,
  recipients: readonly Claimed[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const { db, time, log } = postal
  await db.transaction().execute(async (tx) => {
    const now = await time(tx)
    const held = await holdClaim(tx, recipients)
    const delivered: number[] = []
    const failed: { id: number; outcome: Outcome; attempts: number }[] = []
    const later: (Postponed & { outcome: Outcome; attempts: number })[] = []
    for (const { id, attempts, toldAt } of held) {
      const outcome = outcomes[recipients.findIndex((one) => one.id === id)]
      if (!outcome) throw new Error('A relay answers for each recipient')
      const dueAt = new Date(now.getTime() + backoff(attempts))
      if (outcome.result === 'delivered') delivered.push(id)
      else if (outcome.result === 'refused' || dueAt > message.expiresAt) failed.push({ id, outcome, attempts })
      else {
        const late = toldAt === null && now.getTime() - message.createdAt.getTime() > delayWorthTelling
        const { reply, reason, host } = outcome
        later.push({ id, dueAt, reply, reason, host, toldAt: late ? now : null, outcome, attempts })
      }
    }
    await postpone(tx, recipients, later)
    const delayed = later.filter(({ toldAt }) => toldAt !== null)
    if (failed.length > 0) await postal.notify(tx, message, { kind: 'failed', about: failed }, now)
    if (delayed.length > 0) await postal.notify(tx, message, { kind: 'delayed', about: delayed }, now)
    await settle(tx, message.id, recipients, [...delivered, ...failed.map(({ id }) => id)], delivered.length)
  })
  for (const { recipient, result, status, reply, host } of outcomes) {
    log.info(
      { message: message.id, organization_id: message.organizationId, recipient, result, status, reply, host },
      'mail out',
    )
  }
}
