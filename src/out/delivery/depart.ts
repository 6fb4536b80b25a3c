import type { Tx } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { Failed, togetherOrEach } from '#/base/event-loop/batching.ts'
import { collected, pieceBytes } from '#/base/event-loop/pieces.ts'
import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import { finalOctets } from '#/out/compose/final-octets.ts'
import { encodingOf } from '#/out/queue/enqueue.ts'
import { type Departing, depart } from '#/out/queue/lifecycle.ts'
import { octetsInOnePiece, type QueuedMessage, queuedMessage, queuedOctets } from '#/out/queue/message.ts'
import { claimAllowance } from '#/out/sending/allowance.ts'
import { assertStillSender, senderKey, sendersOf } from '#/out/sending/sender.ts'
import type { Claim, DepartDependencies, Departed, LoadedMessage } from './dependencies.ts'
import { internalError } from './internal-error.ts'
import { routesOf } from './local.ts'

/** Makes scheduled messages ready to leave: checks that their mailboxes may still send, dates and signs them, and claims the
 *  day's allowance. One transaction stores the octets and claims the allowance, so that it is claimed once. Answers for each
 *  message in order. A fault of one message does not affect the others. */
export async function departAll(deps: DepartDependencies, claims: readonly Claim[]): Promise<readonly Departed[]> {
  try {
    return await departPrepared(deps, claims)
  } catch (err) {
    return claims.map(({ message }) => failed(deps, message, err))
  }
}

async function departPrepared(deps: DepartDependencies, claims: readonly Claim[]): Promise<readonly Departed[]> {
  const now = await deps.time(deps.db)
  const wanted = Map.groupBy(claims, ({ message }) => message.organizationId)
  const addresses = new Map(
    Array.from(wanted, ([id, own]) => [
      id,
      own.flatMap(({ recipients }) => recipients.map(({ recipient }) => recipient)),
    ]),
  )
  const [routes, prepared] = await Promise.all([
    routesOf(deps.db, deps.relay, addresses),
    prepareAll(deps, claims, now),
  ])
  const ready = prepared.filter((one) => 'raw' in one)
  const departed = await departReady(deps, ready, now)
  return await Promise.all(
    prepared.map(async (one) => {
      if ('failure' in one) return one
      const result = departed.get(one.message.id) ?? (await departedBefore(deps, one.message))
      return 'failure' in result ? result : { ...result, routes: routes.get(one.message.organizationId) }
    }),
  )
}

/** Either the transaction was committed and its reply lost, or the lease is lost and its new holder sends the message. */
async function departedBefore(
  { db, mailKey }: DepartDependencies,
  { id, organizationId }: QueuedMessage,
): Promise<Ready> {
  const message = await queuedMessage(db, mailKey, organizationId, id)
  return message?.allowanceDue === 0 ? { message } : { failure: internalError }
}

type Ready = Omit<LoadedMessage, 'routes'> | { readonly failure: string }

async function prepareAll(
  deps: DepartDependencies,
  claims: readonly Claim[],
  now: Date,
): Promise<(Departing | { failure: string })[]> {
  const { db, mailKey, signingKeys } = deps
  const messages = claims.map(({ message }) => message)
  const [octets, senders] = await Promise.all([octetsInOnePiece(db, mailKey, messages), sendersOf(db, messages)])
  const keys = new Map<string, ReturnType<SigningKeys>>()
  const keysFor = (organizationId: string, domain: string) => {
    const name = `${organizationId} ${domain}`
    const known = keys.get(name) ?? signingKeys(organizationId, domain)
    keys.set(name, known)
    return known
  }
  return await Promise.all(
    claims.map(async (claim) => {
      try {
        const { id, organizationId, sender, sizeBytes, sendAt } = claim.message
        const { domain } = assertStillSender(senders.get(senderKey(claim.message)), sender)
        const stored = octets.get(id) ?? (await collected(queuedOctets(db, mailKey, id), sizeBytes))
        const raw = await finalOctets(stored, { sendAt: sendAt ?? now, now }, await keysFor(organizationId, domain))
        return { ...claim, raw, encoding: encodingOf({ ...claim, raw }), changed: raw !== stored }
      } catch (err) {
        return failed(deps, claim.message, err)
      }
    }),
  )
}

/** By message, without those that departed before. */
async function departReady(
  deps: DepartDependencies,
  ready: readonly Departing[],
  now: Date,
): Promise<ReadonlyMap<string, Ready>> {
  const departed = await togetherOrEach(ready, (some) =>
    deps.db.transaction().execute(async (tx) => {
      const ids = await depart(tx, deps.mailKey, some, now)
      const isOwn = ({ message }: Departing) => ids.has(message.id)
      await claimAllowances(tx, some.filter(isOwn))
      return some.map((one) => (isOwn(one) ? loaded(one, now) : undefined))
    }),
  )
  return new Map(
    ready.flatMap(({ message }, at) => {
      const one = departed[at]
      return one ? [[message.id, one instanceof Failed ? failed(deps, message, one.error) : one]] : []
    }),
  )
}

function loaded({ message, raw, encoding }: Departing, now: Date): Ready {
  return {
    message: { ...message, ...encoding, sizeBytes: raw.length, queuedAt: now },
    octets: raw.length <= pieceBytes ? raw : undefined,
  }
}

/** Last in a transaction, since others of the organization wait for its end. Always in one order, so that two workers never
 *  deadlock. */
async function claimAllowances(tx: Tx, ready: readonly Departing[]): Promise<void> {
  const organizations = Map.groupBy(ready, ({ message }) => message.organizationId)
  for (const [id, own] of [...organizations].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const recipients = own.reduce((sum, { message }) => sum + message.allowanceDue, 0)
    await claimAllowance(tx, id, recipients)
  }
}

function failed({ log }: DepartDependencies, { id }: QueuedMessage, err: unknown): { failure: string } {
  if (!(err instanceof Refusal))
    log.error({ err, message: id }, 'a scheduled message could not be prepared for sending')
  if (!(err instanceof Refusal)) return { failure: internalError }
  return { failure: err.code === 'quota_exceeded' ? 'Daily sending allowance reached' : err.message }
}
