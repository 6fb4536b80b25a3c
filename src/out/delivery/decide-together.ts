import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { type AmbiguousDelivery, mayHaveArrived } from '#/out/queue/ambiguous.ts'
import { type Claimed, LeaseLost, mostAttempts } from '#/out/queue/claims.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import { type Deferred, defer, lockClaimed, settle } from '#/out/queue/recipients.ts'
import { fail, markSentToSome, noteReason } from '#/out/queue/scheduled.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { noteRefusals, outcomeEvents, sendingEvent, storeOutcomes } from '#/out/sent/outcomes.ts'
import { backoff } from './backoff.ts'
import { ambiguousSince } from './finish.ts'
import { givenIds } from './given-ids.ts'
import { internalError } from './internal-error.ts'
import { localRoute } from './local.ts'
import { logOutcomes } from './log-outcomes.ts'
import type { AttemptDependencies, WorkerDependencies } from './parts.ts'

/** The outcome of an attempt for all recipients of a message that was delivered to none before. */
interface Attempted {
  readonly recipients: readonly Claimed[]
  /** In the order of the recipients. */
  readonly outcomes: readonly Outcome[]
  /** The route of each. */
  readonly routes: ReadonlyMap<string, string>
  /** Finished attempts, this one included. */
  readonly attempts: number
  /** Why no recipient was tried. */
  readonly failure?: string | undefined
}

/** Stores the outcome for all recipients at once. A message that is delivered to one recipient is sent: it leaves the list
 *  of scheduled messages, its copy is stored in Sent, and the other recipients are retried one by one. Until then all
 *  recipients wait for the worker's next round. After the third attempt, or if all are refused, the message fails. */
export async function decideTogether(
  deps: AttemptDependencies,
  message: QueuedMessage,
  attempted: Attempted,
): Promise<void> {
  const { db, time, log } = deps
  const { recipients, outcomes } = attempted
  const delivered = outcomes.filter(({ result }) => result === 'delivered')
  const sent = delivered.length > 0
  const toAll = delivered.length === outcomes.length
  const events = [
    { events: sendingEvent(message, 'scheduled.sent') },
    ...outcomeEvents(message, 'delivered', delivered),
    ...(await givenIds(deps, message, delivered)),
  ]
  if (toAll && (await deps.endSent({ messageId: message.id, recipients, events })))
    return logOutcomes(log, message, outcomes)
  await db.transaction().execute(async (tx) => {
    const now = await time(tx)
    const held = await lockClaimed(tx, recipients)
    if (held.length < recipients.length) return log.warn({ message: message.id }, new LeaseLost().message)
    const deciding = { ...attempted, now }
    if (!sent) return await deferOrFail(tx, deps, message, deciding)
    const settled = await retryOthers(tx, deps, message, deciding)
    await markSentToSome(tx, message)
    await settle(tx, message.id, recipients, settled)
    await storeOutcomes(tx, events)
  })
  if (sent) deps.copies.wake()
  if (attempted.failure === undefined) logOutcomes(log, message, outcomes)
}

type Deciding = Attempted & { readonly now: Date }

/** It is delivered to no recipient. */
async function deferOrFail(
  tx: Tx,
  deps: WorkerDependencies,
  message: QueuedMessage,
  deciding: Deciding,
): Promise<void> {
  const { recipients, outcomes, attempts, failure, now } = deciding
  const warning = mayHaveArrived(ambiguousOf(deciding))
  const given = failure ?? reasonFor(outcomes)
  const isLast = attempts >= mostAttempts || outcomes.every(({ result }) => result === 'refused')
  const next = isLast ? 'no further attempt is made' : 'the next attempt is made in the next round'
  const reason = [
    given.endsWith(internalError) ? `${given}; ${next}` : given,
    ...(warning === undefined ? [] : [warning]),
  ].join('. ')
  if (isLast) {
    await noteRefusals(tx, message, outcomes)
    if (warning !== undefined) await deps.copies.storeAmbiguous(tx, message, warning)
    return await fail(tx, message.id, reason, now)
  }
  const dueAt = deps.nextRound(now)
  await defer(
    tx,
    recipients,
    recipients.map((one, at) => {
      const outcome = outcomes[at]
      return deferred(one, outcome && { ...outcome, reason: failure ?? outcome.reason }, { dueAt, now })
    }),
  )
  await noteReason(tx, message, reason)
  await storeOutcomes(tx, outcomeEvents(message, 'deferred', outcomes))
}

/** The recipients for whom delivery is ambiguous. */
function ambiguousOf({ recipients, outcomes, now }: Deciding): AmbiguousDelivery[] {
  return recipients.flatMap((one, at) => {
    const outcome = outcomes[at]
    const ambiguousAt = outcome ? ambiguousSince(one, outcome, now) : one.ambiguousAt
    return ambiguousAt === null ? [] : { recipient: one.recipient, at: ambiguousAt }
  })
}

/** Delivered to some: the other recipients are retried like any. Answers the settled recipients. A recipient whose notice
 *  cannot be stored now is tried again: the sent message must not wait for a notice. */
async function retryOthers(
  tx: Tx,
  deps: WorkerDependencies,
  message: QueuedMessage,
  deciding: Deciding,
): Promise<number[]> {
  const { recipients, outcomes, routes, attempts, now } = deciding
  const about = recipients.flatMap((one, at) => {
    const outcome = outcomes[at]
    return outcome?.result === 'refused' ? { outcome, attempts, ambiguousAt: ambiguousSince(one, outcome, now) } : []
  })
  const notify = () => deps.notify(tx, message, { kind: 'failed', about }, now)
  const reported = about.length === 0 || (await tried(tx, notify, deps, message))
  const isSettled = (outcome?: Outcome) =>
    outcome?.result === 'delivered' || (outcome?.result === 'refused' && reported)
  const dueAt = new Date(now.getTime() + backoff(attempts))
  const later = recipients.flatMap((one, at) =>
    isSettled(outcomes[at])
      ? []
      : [{ ...deferred(one, outcomes[at], { dueAt, now }), route: routes.get(one.recipient) ?? localRoute }],
  )
  await defer(tx, recipients, later)
  const others = outcomes.filter(({ result }) => result !== 'delivered')
  const waiting = others.filter((outcome) => !isSettled(outcome))
  const bounced = others.filter(isSettled)
  await noteRefusals(tx, message, bounced)
  await storeOutcomes(tx, [
    ...outcomeEvents(message, 'bounced', bounced),
    ...outcomeEvents(message, 'deferred', waiting),
  ])
  return recipients.filter((_, at) => isSettled(outcomes[at])).map(({ id }) => id)
}

function deferred(one: Claimed, outcome: Outcome | undefined, { dueAt, now }: { dueAt: Date; now: Date }): Deferred {
  const { reply = null, reason = '', host = null } = outcome ?? {}
  const ambiguousAt = outcome ? ambiguousSince(one, outcome, now) : one.ambiguousAt
  return { id: one.id, dueAt, reply, reason, host, delayNoticeAt: null, ambiguousAt }
}

/** Why it is delivered to no recipient, in a sentence: temporary reasons before permanent ones. */
function reasonFor(outcomes: readonly Outcome[]): string {
  const telling = outcomes.find(({ result }) => result === 'deferred') ?? outcomes[0]
  if (!telling) return 'It has no recipients'
  const { recipient, reason, reply, host } = telling
  const others = outcomes.length > 1 ? ` (and ${outcomes.length - 1} more)` : ''
  return `${recipient}${others}: ${reason}${reply === null ? '' : `; ${host ?? 'the mail host'} said: ${reply}`}`
}

/** Does optional work of the transaction. If it fails, answers false and rolls it back. */
async function tried(
  tx: Tx,
  work: () => Promise<void>,
  { log }: WorkerDependencies,
  message: QueuedMessage,
): Promise<boolean> {
  await sql`savepoint trial`.execute(tx)
  try {
    await work()
    return true
  } catch (err) {
    await sql`rollback to savepoint trial`.execute(tx)
    log.error({ err, message: message.id }, 'a message is sent, but its delivery failure could not be reported yet')
    return false
  }
}
