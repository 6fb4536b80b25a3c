import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Outcome, Relay } from '#/ports/relay.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'
import { backoff, delayWorthTelling } from './backoff.ts'
import { type Batch, type Claimed, leaseMs, markDot, renew, start } from './claims.ts'
import { decideTogether } from './decide-together.ts'
import { together } from './departures.ts'
import { type Held, heldMessage, heldOctets } from './held.ts'
import { localRoute, routesOf } from './local.ts'
import { logOutcomes } from './log-outcomes.ts'
import { holdClaim, type Postponed, postpone, settle } from './settle.ts'
import { isWanted } from './wanted.ts'

/** What an attempt stands on. */
export interface Postal {
  readonly db: Db
  readonly relay: Pick<Relay, 'deliver' | 'routeOf'>
  /** Takes what does not leave. */
  readonly local: Pick<Relay, 'deliver'>
  readonly time: SharedTime
  readonly log: Logger
  /** Has copies of what was scheduled in Sent. */
  readonly mailHost: MailHost
  readonly reader: MessageReader
  /** When the worker's next round is, in which what was scheduled and nobody has yet is tried again. */
  nextRound(now: Date): Date
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
  if (attempts === undefined) return
  const message = await heldMessage(db, organizationId, messageId)
  if (!message) return
  if (!(await isWanted(db, time, message, recipients))) return await letGo(postal, message, recipients)
  const renewing = setInterval(() => {
    time(db)
      .then((now) => renew(db, recipients, now))
      .catch((err: unknown) => log.error({ err, message: messageId }, 'a claim could not be renewed'))
  }, leaseMs / 3)
  try {
    if (route !== together) {
      const outcomes = await deliver(postal, message, { route, recipients }, signal)
      await insist(postal, signal, () => finish(postal, message, recipients, outcomes))
    } else if (attempts <= mostAttempts) {
      const addresses = recipients.map(({ recipient }) => recipient)
      const ways = await routesOf(db, postal.relay, addresses)
      const outcomes = await deliverEveryWay(postal, message, { ways, recipients }, signal)
      await insist(postal, signal, () => decideTogether(postal, message, { recipients, outcomes, ways }))
    } else await giveUp(postal, message, recipients)
  } catch (err) {
    if (!(err instanceof Overtaken)) throw err
    log.warn({ message: messageId }, err.message)
  } finally {
    clearInterval(renewing)
  }
}

function deliver(
  { db, relay, local }: Postal,
  { id, sender, sizeBytes, smtpUtf8, eightBit }: Held,
  { route, recipients }: Pick<Batch, 'route' | 'recipients'>,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  return (route === localRoute ? local : relay).deliver(
    {
      sender,
      recipients: recipients.map(({ recipient }) => recipient),
      size: sizeBytes,
      content: () => heldOctets(db, id),
      smtpUtf8,
      eightBit,
      beforeDot: async (accepted) => {
        const going = recipients.filter(({ recipient }) => accepted.includes(recipient))
        if (!(await markDot(db, going))) throw new Overtaken('Another worker has taken this message')
      },
    },
    signal,
  )
}

/** Delivers by all routes at once, and answers for the recipients in their order. */
async function deliverEveryWay(
  postal: Postal,
  message: Held,
  { ways, recipients }: { ways: ReadonlyMap<string, string>; recipients: readonly Claimed[] },
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>()
  const parties = Map.groupBy(recipients, ({ recipient }) => ways.get(recipient) ?? '')
  const tried = await Promise.allSettled(
    [...parties].map(async ([route, party]) => {
      for (const outcome of await deliver(postal, message, { route, recipients: party }, signal))
        outcomes.set(outcome.recipient, outcome)
    }),
  )
  for (const one of tried) {
    // Who had their message by another route have it: what failed on our side is no reason to forget that.
    if (one.status === 'rejected' && one.reason instanceof Overtaken) throw one.reason
    if (one.status === 'rejected')
      postal.log.error({ err: one.reason, message: message.id }, 'a route failed on our side')
  }
  return recipients.map(({ recipient }) => outcomes.get(recipient) ?? ourFault(recipient))
}

function ourFault(recipient: string): Outcome {
  return { ...nothingSaid, recipient, result: 'deferred', status: '4.3.0', reason: 'Something is out of order here' }
}

const nothingSaid = { reply: null, host: null, ambiguous: false } as const

/** Nobody wants it to go any more. */
async function letGo({ db, log }: Postal, message: Held, recipients: readonly Claimed[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const held = await holdClaim(tx, recipients)
    const ids = held.map(({ id }) => id)
    await settle(tx, message.id, recipients, ids, 0)
  })
  log.info({ message: message.id, organization_id: message.organizationId, kind: message.kind }, 'let go unsent')
}

/** Whoever tried to send it has ended three times. */
async function giveUp(postal: Postal, message: Held, recipients: readonly Claimed[]): Promise<void> {
  const reason = 'Sending it was cut short three times'
  const refused = { ...nothingSaid, result: 'refused', status: '5.3.0', reason } as const
  const outcomes = recipients.map(({ recipient }) => ({ ...refused, recipient }))
  await decideTogether(postal, message, { recipients, outcomes, ways: new Map() })
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
  logOutcomes(log, message, outcomes)
}
