import { sql } from 'kysely'
import { LeaseLost } from '#/base/db/leases.ts'
import type { Tx } from '#/base/db/schema.ts'
import { retried } from '#/base/event-loop/retried.ts'
import { allRoutes, type Batch } from '#/out/queue/claims.ts'
import { markSentToSome } from '#/out/queue/lifecycle.ts'
import { expiryOf, type QueuedMessage } from '#/out/queue/message.ts'
import { defer, lockClaimed, settle } from '#/out/queue/recipients.ts'
import { retryUnanswered } from '#/out/queue/unanswered.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { noteRefusals, type OutcomeEvents, outcomeEvents, sendingEvent, storeOutcomes } from '#/out/sent/outcomes.ts'
import { backoff, delayNoticeAfter } from './backoff.ts'
import type { AttemptDependencies, Tried, TriedRecipient } from './dependencies.ts'
import { givenIds } from './given-ids.ts'
import { localRoute } from './local.ts'
import { logOutcomes } from './log-outcomes.ts'
import { deferOrFail, deferral, outcomesOf } from './undelivered.ts'

/** For how long, and at what intervals, to retry storing the outcome of an attempt, in milliseconds. */
const patience = { forMs: 10 * 60_000, mostBetweenMs: 5_000 }

/** Ends an attempt, whatever it came to: stores what became of each recipient in one transaction, and logs it. The lease is extended
 *  while that is retried: a failure of the database must not cause a delivered message to be sent twice. Rejects once the worker stops.
 *  @throws LeaseLost */
export async function end(deps: AttemptDependencies, batch: Batch, tried: Tried, stopping: AbortSignal): Promise<void> {
  const { log } = deps
  const { message, outcomes, failure } = tried
  const failed = (err: unknown) =>
    log.error({ err }, 'the outcome of an attempt could not be stored yet; it is tried again')
  const isHeld = await retried(() => store(deps, batch, tried), { ...patience, stopping, failed })
  if (outcomes === 'switched off') {
    const about = { message: message.id, organization_id: message.organizationId, kind: message.kind }
    return log.info(about, 'not sent: its mailbox no longer forwards or answers')
  }
  if (failure === undefined) logOutcomes(log, message, outcomes)
  if (batch.route !== allRoutes) await noteRoute(deps, batch.route, outcomes)
  else if (!isHeld) throw new LeaseLost()
  else if (outcomes.some(isDelivered)) deps.copies.wake()
}

/** False if a message that is delivered to none before is not changed, because a lease is lost. Of others the recipients are changed whose
 *  leases are not. */
async function store(deps: AttemptDependencies, batch: Batch, tried: Tried): Promise<boolean> {
  const { recipients, route } = batch
  const { message, outcomes } = tried
  const given = outcomes === 'switched off' ? [] : await givenIds(deps, message, outcomes)
  if (outcomes !== 'switched off' && route === allRoutes && outcomes.every(isDelivered)) {
    const events = [...scheduledSent(message), ...outcomeEvents(message, 'delivered', outcomes), ...given]
    return await deps.endSent({ messageId: message.id, recipients, events })
  }
  return await deps.db.transaction().execute(async (tx) => {
    const now = await deps.time(tx)
    const held = await lockClaimed(tx, recipients)
    if (outcomes === 'switched off') await settle(tx, message.id, recipients, idsOf(held))
    else if (route === allRoutes && held.length < recipients.length) return false
    else await storeEach(tx, deps, { ...tried, ...batch, given, now, all: triedOf(held, batch, outcomes, now) })
    return true
  })
}

interface Ending extends Tried, Batch {
  readonly message: QueuedMessage
  readonly given: readonly OutcomeEvents[]
  readonly now: Date
  readonly all: readonly TriedRecipient[]
}

function triedOf(
  held: Awaited<ReturnType<typeof lockClaimed>>,
  { recipients, route, attempts, cutShort }: Batch,
  outcomes: readonly Outcome[],
  now: Date,
): TriedRecipient[] {
  return held.map((one) => {
    const at = recipients.findIndex(({ id }) => id === one.id)
    const [recipient, outcome] = [recipients[at], outcomes[at]]
    if (!recipient || !outcome) throw new Error('A relay answers for each recipient')
    return {
      ...{ id: one.id, delayNoticeAt: one.delayNoticeAt, outcome },
      attempts: route === allRoutes ? attempts - cutShort : one.attempts,
      ambiguousAt: recipient.ambiguousAt ?? (outcome.ambiguous ? now : null),
    }
  })
}

/** Recipients are delivered, have failed, or are tried again later. A message that was delivered to none before is sent once it is delivered
 *  to one: it leaves the list of scheduled messages, its copy is stored in Sent, and the others are retried like any. */
async function storeEach(tx: Tx, deps: AttemptDependencies, ending: Ending): Promise<void> {
  const { message, recipients, route, routes, given, now, all } = ending
  const delivered = all.filter(({ outcome }) => isDelivered(outcome))
  const isTogether = route === allRoutes
  if (isTogether && delivered.length === 0) return await deferOrFail(tx, deps, ending)
  // Recipients that were tried as often stay together.
  const jitter = Math.random()
  const dueAt = ({ attempts }: TriedRecipient) => new Date(now.getTime() + backoff(attempts, () => jitter))
  const over = all.filter((one) => one.outcome.result === 'refused' || dueAt(one) > expiryOf(message))
  const open = all.filter((one) => !delivered.includes(one) && !over.includes(one))
  const isLate = now.getTime() - message.queuedAt.getTime() > delayNoticeAfter
  const delayed = open.filter(({ delayNoticeAt }) => isLate && delayNoticeAt === null)
  const isTold = await notify(tx, deps, { message, now, failed: over, delayed, isSent: delivered.length > 0 })
  const failed = isTold ? over : []
  const later = isTold ? open : [...open, ...over]
  await defer(
    tx,
    recipients,
    later.map((one) => ({
      ...deferral(message, one, { dueAt: dueAt(one), delayNoticeAt: isTold && delayed.includes(one) ? now : null }),
      ...(isTogether && { route: routes?.get(one.outcome.recipient) ?? localRoute }),
    })),
  )
  if (isTogether) await markSentToSome(tx, message)
  await settle(tx, message.id, recipients, idsOf([...delivered, ...failed]))
  await noteRefusals(tx, message, outcomesOf(failed))
  await storeOutcomes(tx, [
    ...(isTogether ? scheduledSent(message) : []),
    ...outcomeEvents(message, 'delivered', outcomesOf(delivered)),
    ...outcomeEvents(message, 'deferred', outcomesOf(later)),
    ...outcomeEvents(message, 'bounced', outcomesOf(failed)),
    ...given,
  ])
}

interface Notices {
  readonly message: QueuedMessage
  readonly now: Date
  readonly failed: readonly TriedRecipient[]
  readonly delayed: readonly TriedRecipient[]
  /** It is delivered to some. */
  readonly isSent: boolean
}

/** Writes notices to the sender. False if that fails for a message that is delivered to some, which must not wait for a notice: those
 *  whom it concerns are tried again. */
async function notify(
  tx: Tx,
  deps: AttemptDependencies,
  { message, now, isSent, ...about }: Notices,
): Promise<boolean> {
  const kinds = (['failed', 'delayed'] as const).filter((kind) => about[kind].length > 0)
  if (kinds.length === 0) return true
  const write = async () => {
    for (const kind of kinds) await deps.notify(tx, message, { kind, about: about[kind] }, now)
    return true
  }
  if (!isSent) return await write()
  await sql`savepoint notices`.execute(tx)
  try {
    return await write()
  } catch (err) {
    await sql`rollback to savepoint notices`.execute(tx)
    deps.log.error(
      { err, message: message.id },
      'a message is sent, but its delivery failure could not be reported yet',
    )
    return false
  }
}

/** The first success of a route makes the recipients due that it has not answered for. */
async function noteRoute(
  { db, time, log, workingRoutes, wake }: AttemptDependencies,
  route: string,
  outcomes: readonly Outcome[],
): Promise<void> {
  const works = outcomes.some(({ result, reply }) => result === 'delivered' || reply !== null)
  if (!works) return workingRoutes.failed(route)
  const now = await time(db)
  if (!workingRoutes.isNews(route, now.getTime())) return
  const retried = await retryUnanswered(db, route, now)
  if (retried === 0) return
  log.info({ route, recipients: retried }, 'a route answers again: what waited for it is due')
  wake()
}

function isDelivered({ result }: Outcome): boolean {
  return result === 'delivered'
}

function scheduledSent(message: QueuedMessage): OutcomeEvents[] {
  return [{ events: sendingEvent(message, 'scheduled.sent') }]
}

function idsOf(ones: readonly { readonly id: number }[]): number[] {
  return ones.map(({ id }) => id)
}
