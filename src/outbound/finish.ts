import type { Outcome } from '#/ports/relay.ts'
import type { About, Postal } from './attempt.ts'
import { backoff, delayWorthTelling } from './backoff.ts'
import type { Claimed } from './claims.ts'
import type { Held } from './held.ts'
import { logOutcomes } from './log-outcomes.ts'
import { doubtOf, holdClaim, type Postponed, postpone, settle } from './settle.ts'

/** Writes down what came of an attempt: who has the message, who never will, and when to try the others again. */
export async function finish(
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
    const failed: (About & { id: number })[] = []
    const later: (Postponed & About)[] = []
    for (const { id, attempts, toldAt } of held) {
      const at = recipients.findIndex((one) => one.id === id)
      const [recipient, outcome] = [recipients[at], outcomes[at]]
      if (!recipient || !outcome) throw new Error('A relay answers for each recipient')
      const doubtedAt = doubtOf(recipient, outcome, now)
      const dueAt = new Date(now.getTime() + backoff(attempts))
      if (outcome.result === 'delivered') delivered.push(id)
      else if (outcome.result === 'refused' || dueAt > message.expiresAt)
        failed.push({ id, outcome, attempts, doubtedAt })
      else {
        const late = toldAt === null && now.getTime() - message.createdAt.getTime() > delayWorthTelling
        later.push({ id, dueAt, ...shownOf(message, outcome), toldAt: late ? now : null, outcome, attempts, doubtedAt })
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

/** What the queue shows of an outcome: of a concealed message nothing that may name its recipient. */
function shownOf({ concealed }: Held, { reply, reason, host, status }: Outcome) {
  return concealed ? { reply: null, reason: `Deferred (${status})`, host: null } : { reply, reason, host }
}

/** Nobody wants it to go any more. */
export async function letGo({ db, log }: Postal, message: Held, recipients: readonly Claimed[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const held = await holdClaim(tx, recipients)
    const ids = held.map(({ id }) => id)
    await settle(tx, message.id, recipients, ids, 0)
  })
  log.info({ message: message.id, organization_id: message.organizationId, kind: message.kind }, 'let go unsent')
}
