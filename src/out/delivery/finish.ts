import type { Claimed } from '#/out/queue/claims.ts'
import { expiryOf, type QueuedMessage } from '#/out/queue/message.ts'
import { type Deferred, defer, lockClaimed, settle } from '#/out/queue/recipients.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { noteRefusals, outcomeEvents, storeOutcomes } from '#/out/sent/outcomes.ts'
import { backoff, delayNoticeAfter } from './backoff.ts'
import { givenIds } from './given-ids.ts'
import { logOutcomes } from './log-outcomes.ts'
import type { About, WorkerDependencies } from './parts.ts'

/** Stores the outcome of an attempt: recipients that are delivered, that failed, and when to try the others again. */
export async function finish(
  deps: WorkerDependencies,
  message: QueuedMessage,
  recipients: readonly Claimed[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const { db, time, log } = deps
  const given = await givenIds(deps, message, outcomes)
  await db.transaction().execute(async (tx) => {
    const now = await time(tx)
    const held = await lockClaimed(tx, recipients)
    const delivered: { id: number; outcome: Outcome }[] = []
    const failed: (About & { id: number })[] = []
    const later: (Deferred & About)[] = []
    for (const { id, attempts, delayNoticeAt } of held) {
      const at = recipients.findIndex((one) => one.id === id)
      const [recipient, outcome] = [recipients[at], outcomes[at]]
      if (!recipient || !outcome) throw new Error('A relay answers for each recipient')
      const ambiguousAt = ambiguousSince(recipient, outcome, now)
      const dueAt = new Date(now.getTime() + backoff(attempts))
      if (outcome.result === 'delivered') delivered.push({ id, outcome })
      else if (outcome.result === 'refused' || dueAt > expiryOf(message))
        failed.push({ id, outcome, attempts, ambiguousAt })
      else {
        const isDelayed = delayNoticeAt === null && now.getTime() - message.queuedAt.getTime() > delayNoticeAfter
        later.push({
          id,
          dueAt,
          ...shownOf(message, outcome),
          delayNoticeAt: isDelayed ? now : null,
          outcome,
          attempts,
          ambiguousAt,
        })
      }
    }
    await defer(tx, recipients, later)
    const delayed = later.filter(({ delayNoticeAt }) => delayNoticeAt !== null)
    if (failed.length > 0) await deps.notify(tx, message, { kind: 'failed', about: failed }, now)
    if (delayed.length > 0) await deps.notify(tx, message, { kind: 'delayed', about: delayed }, now)
    const settled = [...delivered, ...failed].map(({ id }) => id)
    await settle(tx, message.id, recipients, settled)
    await noteRefusals(tx, message, outcomesOf(failed))
    await storeOutcomes(tx, [
      ...outcomeEvents(message, 'delivered', outcomesOf(delivered)),
      ...outcomeEvents(message, 'deferred', outcomesOf(later)),
      ...outcomeEvents(message, 'bounced', outcomesOf(failed)),
      ...given,
    ])
  })
  logOutcomes(log, message, outcomes)
}

function outcomesOf(ones: readonly { readonly outcome: Outcome }[]): Outcome[] {
  return ones.map(({ outcome }) => outcome)
}

/** What the queue shows of an outcome. For a concealed message it names no recipient. */
function shownOf({ concealed }: QueuedMessage, { reply, reason, host, status }: Outcome) {
  return concealed ? { reply: null, reason: `Deferred (${status})`, host: null } : { reply, reason, host }
}

/** Since when delivery to a recipient is ambiguous, after an attempt that did not deliver the message; null if it is not. */
export function ambiguousSince({ ambiguousAt }: Claimed, { ambiguous }: Outcome, now: Date): Date | null {
  return ambiguousAt ?? (ambiguous ? now : null)
}

/** Removes a forwarded message or an auto-reply whose mailbox no longer forwards or answers. */
export async function dropSwitchedOff(
  { db, log }: WorkerDependencies,
  message: QueuedMessage,
  recipients: readonly Claimed[],
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const held = await lockClaimed(tx, recipients)
    const ids = held.map(({ id }) => id)
    await settle(tx, message.id, recipients, ids)
  })
  log.info(
    { message: message.id, organization_id: message.organizationId, kind: message.kind },
    'not sent: its mailbox no longer forwards or answers',
  )
}
