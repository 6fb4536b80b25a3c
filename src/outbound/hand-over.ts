import type { Logger } from 'pino'
import { collected, pieceBytes } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { SigningKeys } from '#/domains/signing-keys.ts'
import { Refusal } from '#/errors.ts'
import type { Relay } from '#/ports/relay.ts'
import { type Claim, putOff } from '#/scheduled/due.ts'
import { scheduledInOnePiece, scheduledOctets } from '#/scheduled/queries.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'
import type { SealingKey } from '#/seal.ts'
import { claimAllowance } from '#/sending/allowance.ts'
import { senderKey, senderStill, sendersOf } from '#/sending/sender.ts'
import { asItGoes } from './as-it-goes.ts'
import type { InHand } from './attempt.ts'
import { type Batch, Overtaken, together } from './claims.ts'
import { heldOf } from './departures.ts'
import { enqueueClaimed, enqueueSuspect, type Ready } from './enqueue.ts'
import { routesOf } from './local.ts'

/** What handing over stands on. */
export interface HandOverParts {
  readonly db: Db
  readonly relay: Pick<Relay, 'routeOf'>
  readonly log: Logger
  readonly signingKeys: SigningKeys
  /** Seals what waits. */
  readonly mailKey: SealingKey
  /** When the worker's next round is. */
  nextRound(now: Date): Date
}

/** A message in the outbound queue that this worker has taken. */
export interface HandedOver {
  readonly batch: Batch
  readonly inHand: InHand
}

/**
 * An attempt at each of these scheduled messages is begun: they go into the outbound queue, each for all its recipients
 * together, and from there on their octets stay as they are. The day's allowance is claimed in the same
 * transaction, so once. Answers those that this worker has taken with that and is to try at once; a message that a worker
 * has ended over waits in the queue for its turn. Never rejects for a reason that lies in a message: then its attempt is
 * one that came to nothing.
 */
export async function handOver(parts: HandOverParts, claims: readonly Claim[], now: Date): Promise<HandedOver[]> {
  try {
    return await depart(parts, await prepareAll(parts, claims, now), now)
  } catch (err) {
    for (const one of claims) await comeToNothing(parts, one, err, now)
    return []
  }
}

async function prepareAll(parts: HandOverParts, claims: readonly Claim[], now: Date): Promise<Ready[]> {
  const { db } = parts
  const small = claims.filter(({ sizeBytes }) => sizeBytes <= pieceBytes)
  const pieces = scheduledInOnePiece(
    db,
    parts.mailKey,
    small.map(({ id }) => id),
  )
  const [octets, senders] = await Promise.all([pieces, sendersOf(db, claims)])
  const keys = new Map<string, ReturnType<SigningKeys>>()
  const keysFor = (organizationId: string, domain: string) => {
    const name = `${organizationId} ${domain}`
    const known = keys.get(name) ?? parts.signingKeys(organizationId, domain)
    keys.set(name, known)
    return known
  }
  const prepared = claims.map(async (one): Promise<Ready[]> => {
    try {
      const { id, organizationId, attempts, cutShort, sendAt } = one
      if (attempts - cutShort > mostAttempts || cutShort >= mostAttempts) throw cutShortForGood()
      const { domain } = senderStill(senders.get(senderKey(one)), one.sender)
      const stored = octets.get(id) ?? (await collected(scheduledOctets(db, parts.mailKey, id), one.sizeBytes))
      const raw = await asItGoes(stored, { sendAt, now }, await keysFor(organizationId, domain))
      return [{ claim: one, held: heldOf(departureOf(one, raw), now), raw }]
    } catch (err) {
      await comeToNothing(parts, one, err, now)
      return []
    }
  })
  return (await Promise.all(prepared)).flat()
}

function cutShortForGood(): Refusal {
  return new Refusal('internal_error', 'Sending it was cut short three times')
}

/** In the queue it has the id that it has in the list. */
function departureOf({ id, organizationId, mailboxId, sender, recipients }: Claim, raw: Buffer) {
  return {
    ...{ id, organizationId, mailboxId, sender, raw, kind: 'scheduled' as const },
    recipients: recipients.map((recipient) => ({ recipient, route: together })),
  }
}

/** All of them in one transaction, or, where that fails, each in one of its own. */
async function depart(parts: HandOverParts, ready: readonly Ready[], now: Date): Promise<HandedOver[]> {
  const [first] = ready
  if (!first) return []
  try {
    return first.claim.cutShort > 0 ? await departLater(parts, first, now) : await departTogether(parts, ready, now)
  } catch (err) {
    if (ready.length > 1) {
      const departed: HandedOver[] = []
      for (const one of ready) departed.push(...(await depart(parts, [one], now)))
      return departed
    }
    await comeToNothing(parts, first.claim, err, now)
    return []
  }
}

async function departTogether(parts: HandOverParts, ready: readonly Ready[], now: Date): Promise<HandedOver[]> {
  const { db, relay, mailKey } = parts
  const ways = await routesOf(
    db,
    relay,
    ready.flatMap(({ claim }) => claim.recipients),
  )
  const batches = await db.transaction().execute(async (tx) => {
    const batches = await enqueueClaimed(tx, mailKey, ready, now)
    await claimAllowances(tx, ready)
    return batches
  })
  return ready.flatMap(({ held, raw }, at) => {
    const batch = batches[at]
    if (!batch) return []
    const octets = raw.length <= pieceBytes ? raw : undefined
    return { batch, inHand: { message: held, octets, ways } }
  })
}

async function departLater({ db, mailKey }: HandOverParts, ready: Ready, now: Date): Promise<HandedOver[]> {
  await db.transaction().execute(async (tx) => {
    await enqueueSuspect(tx, mailKey, ready, now)
    await claimAllowances(tx, [ready])
  })
  return []
}

/** Last in a transaction, since others of the organization wait for its end; in one order always, so that two workers
 *  never wait for each other. */
async function claimAllowances(tx: Tx, ready: readonly Ready[]): Promise<void> {
  const organizations = Map.groupBy(ready, ({ claim }) => claim.organizationId)
  for (const [id, own] of [...organizations].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await claimAllowance(
      tx,
      id,
      own.reduce((sum, { claim }) => sum + claim.recipients.length, 0),
    )
  }
}

async function comeToNothing(parts: HandOverParts, claim: Claim, err: unknown, now: Date): Promise<void> {
  const { db, log } = parts
  if (err instanceof Overtaken) return log.warn({ scheduled: claim.id }, err.message)
  if (!(err instanceof Refusal)) log.error({ err, scheduled: claim.id }, 'an attempt to send failed on our side')
  await putOff(db, claim, { reason: reasonOf(err), now, dueAt: parts.nextRound(now) })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) return 'Something is out of order here'
  return error.code === 'quota_exceeded' ? 'Daily sending allowance reached' : error.message
}
