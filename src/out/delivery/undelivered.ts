import type { Tx } from '#/base/db/schema.ts'
import { mayHaveArrived } from '#/out/queue/ambiguous.ts'
import { type Batch, mostAttempts } from '#/out/queue/claims.ts'
import { fail, noteReason } from '#/out/queue/lifecycle.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import { type Deferred, defer } from '#/out/queue/recipients.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { noteRefusals, outcomeEvents, storeOutcomes } from '#/out/sent/outcomes.ts'
import type { Tried, TriedRecipient, WorkerDependencies } from './dependencies.ts'
import { internalError } from './internal-error.ts'

interface Undelivered extends Pick<Tried, 'message' | 'failure'>, Pick<Batch, 'recipients' | 'attempts' | 'cutShort'> {
  readonly now: Date
  readonly all: readonly TriedRecipient[]
}

/** A scheduled message is delivered to no recipient. All wait for the worker's next round; after the third attempt, or if all are refused,
 *  the message fails. */
export async function deferOrFail(tx: Tx, deps: WorkerDependencies, undelivered: Undelivered): Promise<void> {
  const { message, recipients, all, failure, attempts, cutShort, now } = undelivered
  const outcomes = outcomesOf(all)
  const warning = mayHaveArrived(
    all.flatMap(({ outcome: { recipient }, ambiguousAt: at }) => (at === null ? [] : { recipient, at })),
  )
  const given = failure ?? reasonFor(outcomes)
  const isLast = attempts - cutShort >= mostAttempts || outcomes.every(({ result }) => result === 'refused')
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
  const when = { dueAt: deps.nextRound(now), delayNoticeAt: null }
  const shown = (one: TriedRecipient) => ({
    ...one,
    outcome: { ...one.outcome, reason: failure ?? one.outcome.reason },
  })
  await defer(
    tx,
    recipients,
    all.map((one) => deferral(message, shown(one), when)),
  )
  await noteReason(tx, message, reason)
  await storeOutcomes(tx, outcomeEvents(message, 'deferred', outcomes))
}

/** Why it is delivered to no recipient, in a sentence: temporary reasons before permanent ones. */
function reasonFor(outcomes: readonly Outcome[]): string {
  const telling = outcomes.find(({ result }) => result === 'deferred') ?? outcomes[0]
  if (!telling) return 'It has no recipients'
  const { recipient, reason, reply, host } = telling
  const others = outcomes.length > 1 ? ` (and ${outcomes.length - 1} more)` : ''
  return `${recipient}${others}: ${reason}${reply === null ? '' : `; ${host ?? 'the mail host'} said: ${reply}`}`
}

export function outcomesOf(ones: readonly TriedRecipient[]): Outcome[] {
  return ones.map(({ outcome }) => outcome)
}

/** What the queue shows of a recipient to be tried again. For a concealed message it names none. */
export function deferral(
  { concealed }: QueuedMessage,
  { id, outcome: { reply, reason, host, status }, ambiguousAt }: TriedRecipient,
  when: Pick<Deferred, 'dueAt' | 'delayNoticeAt'>,
): Deferred {
  const shown = concealed ? { reply: null, reason: `Deferred (${status})`, host: null } : { reply, reason, host }
  return { id, ambiguousAt, ...shown, ...when }
}
