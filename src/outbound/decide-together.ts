import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import type { Outcome } from '#/ports/relay.ts'
import { failDeparted, noteReason, oweCopy } from '#/scheduled/due.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'
import { type Doubt, mayHaveArrived } from '#/sending/doubt.ts'
import type { Desk, Postal } from './attempt.ts'
import { backoff } from './backoff.ts'
import type { Claimed } from './claims.ts'
import type { Held } from './held.ts'
import { localRoute } from './local.ts'
import { logOutcomes } from './log-outcomes.ts'
import { doubtOf, holdClaim, type Postponed, postpone, settle } from './settle.ts'

/** What came of an attempt at all recipients of a message that nobody had. */
interface Attempted {
  readonly recipients: readonly Claimed[]
  /** In the order of the recipients. */
  readonly outcomes: readonly Outcome[]
  /** The route of each. */
  readonly ways: ReadonlyMap<string, string>
  /** That came to their end, this one included. */
  readonly attempts: number
}

/**
 * Writes down what came of it, for all recipients at once. With the first who has it the message is sent: it leaves the
 * list of what is scheduled, its copy goes to Sent, and whoever is still to get it is tried for like any recipient.
 * Until then all wait together, for the worker's next round; after the third attempt, or where everyone is refused, it
 * has failed for all.
 */
export async function decideTogether(desk: Desk, message: Held, attempted: Attempted): Promise<void> {
  const { db, time, log } = desk
  const { recipients, outcomes } = attempted
  const sent = outcomes.some(({ result }) => result === 'delivered')
  const toAll = outcomes.every(({ result }) => result === 'delivered')
  if (toAll && (await desk.endSent({ messageId: message.id, recipients }))) return logOutcomes(log, message, outcomes)
  await db.transaction().execute(async (tx) => {
    const now = await time(tx)
    const held = await holdClaim(tx, recipients)
    if (held.length < recipients.length) return log.warn({ message: message.id }, 'another worker has this message')
    const deciding = { ...attempted, now }
    if (!sent) return waitOrFail(tx, desk, message, deciding)
    const settled = await goOn(tx, desk, message, deciding)
    await oweCopy(tx, message.id)
    await settle(tx, message.id, recipients, settled, outcomes.filter(({ result }) => result === 'delivered').length)
  })
  if (sent) desk.copies.wake()
  logOutcomes(log, message, outcomes)
}

type Deciding = Attempted & { readonly now: Date }

/** Nobody has it. */
async function waitOrFail(tx: Tx, postal: Postal, message: Held, deciding: Deciding): Promise<void> {
  const { recipients, outcomes, attempts, now } = deciding
  const doubts = doubtsOf(deciding)
  const doubt = mayHaveArrived(doubts)
  const reason = [reasonFor(outcomes), ...(doubt === undefined ? [] : [doubt])].join('. ')
  const hopeless = outcomes.every(({ result }) => result === 'refused')
  if (!hopeless && attempts < mostAttempts) {
    const dueAt = postal.nextRound(now)
    await postpone(
      tx,
      recipients,
      recipients.map((one, at) => postponed(one, outcomes[at], { dueAt, now })),
    )
    return noteReason(tx, message.id, reason)
  }
  if (doubt !== undefined) await postal.copies.storeDoubtful(tx, message, doubt)
  await failDeparted(tx, message.id, reason, now)
  await settle(
    tx,
    message.id,
    recipients,
    recipients.map(({ id }) => id),
    0,
  )
}

/** Who may have it all the same. */
function doubtsOf({ recipients, outcomes, now }: Deciding): Doubt[] {
  return recipients.flatMap((one, at) => {
    const outcome = outcomes[at]
    const doubtedAt = outcome ? doubtOf(one, outcome, now) : one.doubtedAt
    return doubtedAt === null ? [] : { recipient: one.recipient, at: doubtedAt }
  })
}

/** Somebody has it: the others are recipients like any. Answers who is settled. Where the sender cannot be told of a
 *  refusal now, its recipient is asked again, and refused again: what is sent must not wait for that. */
async function goOn(tx: Tx, postal: Postal, message: Held, deciding: Deciding): Promise<number[]> {
  const { recipients, outcomes, ways, attempts, now } = deciding
  const about = recipients.flatMap((one, at) => {
    const outcome = outcomes[at]
    return outcome?.result === 'refused' ? { outcome, attempts, doubtedAt: doubtOf(one, outcome, now) } : []
  })
  const tell = () => postal.notify(tx, message, { kind: 'failed', about }, now)
  const told = about.length === 0 || (await tried(tx, tell, postal, message))
  const isSettled = (outcome?: Outcome) => outcome?.result === 'delivered' || (outcome?.result === 'refused' && told)
  const dueAt = new Date(now.getTime() + backoff(attempts))
  const later = recipients.flatMap((one, at) =>
    isSettled(outcomes[at])
      ? []
      : [{ ...postponed(one, outcomes[at], { dueAt, now }), route: ways.get(one.recipient) ?? localRoute }],
  )
  await postpone(tx, recipients, later)
  return recipients.filter((_, at) => isSettled(outcomes[at])).map(({ id }) => id)
}

function postponed(one: Claimed, outcome: Outcome | undefined, { dueAt, now }: { dueAt: Date; now: Date }): Postponed {
  const { reply = null, reason = '', host = null } = outcome ?? {}
  const doubtedAt = outcome ? doubtOf(one, outcome, now) : one.doubtedAt
  return { id: one.id, dueAt, reply, reason, host, toldAt: null, doubtedAt }
}

/** Why nobody has it, in a sentence: what may pass before what will not. */
function reasonFor(outcomes: readonly Outcome[]): string {
  const telling = outcomes.find(({ result }) => result === 'deferred') ?? outcomes[0]
  if (!telling) return 'It has no recipients'
  const { recipient, reason, reply, host } = telling
  const others = outcomes.length > 1 ? ` (and ${outcomes.length - 1} more)` : ''
  return `${recipient}${others}: ${reason}${reply === null ? '' : `; ${host ?? 'the mail host'} said: ${reply}`}`
}

/** Does what the transaction can do without; false, and nothing of it is kept, where it fails. */
async function tried(tx: Tx, work: () => Promise<void>, { log }: Postal, message: Held): Promise<boolean> {
  await sql`savepoint trial`.execute(tx)
  try {
    await work()
    return true
  } catch (err) {
    await sql`rollback to savepoint trial`.execute(tx)
    log.error({ err, message: message.id }, 'a message is sent, but its copy or notice could not be stored yet')
    return false
  }
}
