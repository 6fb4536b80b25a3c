import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { collected } from '#/bytes.ts'
import type { Db } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import { Refusal } from '#/errors.ts'
import { type Begun, begin, type Claim, handedOver, putOff } from '#/scheduled/due.ts'
import { scheduledOctets } from '#/scheduled/queries.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'
import { claimAllowance } from '#/sending/allowance.ts'
import { senderStill } from '#/sending/sender.ts'
import { setDate } from './date.ts'
import { type Departure, insertDeparture, together } from './departures.ts'
import { type SigningKey, signed } from './sign.ts'

/** What handing over stands on. */
export interface HandOverParts {
  readonly db: Db
  readonly time: SharedTime
  readonly log: Logger
  /** The keys that sign for a domain of the organization. */
  signingKeys(organizationId: string, domain: string): Promise<readonly SigningKey[]>
  /** When the worker's next round is. */
  nextRound(now: Date): Date
}

/** The claim went to another worker, which took this one for dead. */
class Overtaken extends Error {}

/**
 * Begins an attempt at a scheduled message: dated and signed, it goes into the outbound queue, for all its recipients
 * together, and from there on its octets stay as they are. The day's allowance is claimed in the same transaction, so
 * once. Never rejects for a reason that lies in the message: the attempt is one that came to nothing.
 */
export async function handOver(parts: HandOverParts, claim: Claim): Promise<void> {
  const { db, time, log } = parts
  const now = await time(db)
  const begun = await begin(db, claim, now)
  if (!begun) return
  try {
    if (begun.attempts > mostAttempts) throw new Refusal('internal_error', 'Sending it was cut short three times')
    await depart(parts, claim, begun, now)
  } catch (err) {
    if (err instanceof Overtaken) return log.warn({ scheduled: claim.id }, err.message)
    if (!(err instanceof Refusal)) log.error({ err, scheduled: claim.id }, 'an attempt to send failed on our side')
    await putOff(db, claim, { reason: reasonOf(err), now, dueAt: parts.nextRound(now) })
  }
}

async function depart({ db, time, signingKeys }: HandOverParts, claim: Claim, begun: Begun, now: Date): Promise<void> {
  const { id: scheduledId, organizationId } = claim
  const { mailboxId, recipients, messageId, subject, attempts } = begun
  const { address, domain } = await senderStill(db, organizationId, { mailboxId, address: begun.sender })
  const composed = await collected(scheduledOctets(db, scheduledId), begun.sizeBytes)
  setDate(composed, now)
  const keys = await signingKeys(organizationId, domain)
  const raw = await signed(composed, keys, now)
  const id = randomUUID()
  await db.transaction().execute(async (tx) => {
    await claimAllowance(tx, organizationId, recipients.length)
    const createdAt = await time(tx)
    const departure = {
      ...{ id, organizationId, mailboxId, sender: address, messageId, subject, raw },
      kind: 'scheduled',
      recipients: recipients.map((recipient) => ({ recipient, route: together })),
      attempts: attempts - 1,
    } satisfies Departure
    await insertDeparture(tx, departure, createdAt)
    if (!(await handedOver(tx, claim, id))) throw new Overtaken('Another worker has taken this message')
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) return 'Something is out of order here'
  return error.code === 'quota_exceeded' ? 'Daily sending allowance reached' : error.message
}
