import { setTimeout as wait } from 'node:timers/promises'
import { LeaseHolder } from '#/base/db/lease-holder.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { allRoutes, type Batch, type Claimed, LeaseLost, leases, mostAttempts } from '#/out/queue/claims.ts'
import { type QueuedMessage, queuedMessage } from '#/out/queue/message.ts'
import { openedRecipient } from '#/out/queue/sealed.ts'
import { retryUnanswered } from '#/out/queue/unanswered.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { decideTogether } from './decide-together.ts'
import { deliver, deliverEveryRoute, internalFailure, refusal } from './deliver.ts'
import { dropSwitchedOff, finish } from './finish.ts'
import { routesOf } from './local.ts'
import type { AttemptDependencies, LoadedMessage, WorkerDependencies } from './parts.ts'
import { isStillToSend } from './still-to-send.ts'

/** Recipients of one route fail after so many attempts were cut short. */
const mostCutShort = 10

/** One attempt for recipients that a worker has claimed (docs/mail-out.md). The claim has counted it. The message is sent up
 *  to its end of data. Then the queue records, if the lease is not lost, that the end of data is sent; only then is it sent.
 *  If this process dies at any point, the recipients are claimed again once the lease ends, and nobody changes them before. */
export async function attempt(
  deps: AttemptDependencies,
  claimed: Batch,
  known: QueuedMessage | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { db, time, log, mailKey } = deps
  using _ = new LeaseHolder(db, leases, claimed.recipients, { since: performance.now(), now: () => time(db), log })
  const message = known ?? (await queuedMessage(db, mailKey, claimed.organizationId, claimed.messageId))
  if (!message) return
  const batch = message.concealed ? withOpened(mailKey, claimed) : claimed
  if (!(await isStillToSend(db, time, message, batch.recipients)))
    return await dropSwitchedOff(deps, message, batch.recipients)
  try {
    await (batch.route === allRoutes ? tryTogether : tryOneRoute)(deps, message, batch, signal)
  } catch (err) {
    if (!(err instanceof LeaseLost)) throw err
    log.warn({ message: message.id }, err.message)
  }
}

function withOpened(key: SealingKey, batch: Batch): Batch {
  const opened = (one: Claimed) => ({ ...one, recipient: openedRecipient(key, batch.messageId, one.recipient) })
  return { ...batch, recipients: batch.recipients.map(opened) }
}

async function tryOneRoute(deps: AttemptDependencies, message: QueuedMessage, batch: Batch, signal: AbortSignal) {
  const { route, recipients, cutShort } = batch
  const end = async (of: QueuedMessage, outcomes: readonly Outcome[]) => {
    await storeWithRetries(deps, signal, () => finish(deps, of, recipients, outcomes))
    await noteRoute(deps, route, outcomes)
  }
  if (cutShort >= mostCutShort) {
    const reason = `Sending was interrupted ${mostCutShort} times`
    const outcomes = recipients.map(({ recipient }) => refusal(recipient, reason))
    return await end(message, outcomes)
  }
  const loaded = message.state === 'uncomposed' ? await composed(deps, message, recipients) : { message }
  if (!loaded) {
    const outcomes = recipients.map(({ recipient }) => internalFailure(recipient))
    return await end(message, outcomes)
  }
  await end(loaded.message, await deliver(deps, loaded, { route, recipients }, signal))
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

/** Undefined if it could not be composed. */
async function composed(deps: AttemptDependencies, message: QueuedMessage, recipients: readonly Claimed[]) {
  try {
    return await deps.compose(message, recipients)
  } catch (err) {
    if (err instanceof LeaseLost) throw err
    deps.log.error({ err, message: message.id }, 'a message could not be composed; it is tried again')
    return undefined
  }
}

async function tryTogether(
  deps: AttemptDependencies,
  message: QueuedMessage,
  { recipients, attempts, cutShort }: Batch,
  signal: AbortSignal,
) {
  const { db, relay } = deps
  const { organizationId } = message
  const addresses = recipients.map(({ recipient }) => recipient)
  const decide = ({ message, routes = new Map() }: LoadedMessage, outcomes: readonly Outcome[], failure?: string) =>
    storeWithRetries(deps, signal, () =>
      decideTogether(deps, message, { recipients, outcomes, routes, attempts: attempts - cutShort, failure }),
    )
  if (cutShort >= mostAttempts) {
    const outcomes = addresses.map((address) => refusal(address, 'Sending was interrupted three times'))
    return await decide({ message }, outcomes)
  }
  const departed =
    message.allowanceDue > 0
      ? await deps.depart({ message, recipients })
      : {
          message,
          routes: (await routesOf(db, relay, new Map([[organizationId, addresses]]))).get(organizationId),
        }
  if ('failure' in departed) return await decide({ message }, addresses.map(internalFailure), departed.failure)
  await decide(departed, await deliverEveryRoute(deps, departed, recipients, signal))
}

/** For how long, and at what intervals, to retry storing the outcome of an attempt, in milliseconds. */
const mostRetryMs = 10 * 60_000
const mostBetween = 5_000

/** Retries until the outcome is stored, and the lease is extended meanwhile: a failure of the database must not cause a
 *  delivered message to be sent twice. Rejects once the worker stops. */
async function storeWithRetries(
  { log }: WorkerDependencies,
  signal: AbortSignal,
  write: () => Promise<void>,
): Promise<void> {
  const end = performance.now() + mostRetryMs
  for (let between = 100; ; between = Math.min(2 * between, mostBetween)) {
    try {
      return await write()
    } catch (err) {
      if (signal.aborted || performance.now() > end) throw err
      log.error({ err }, 'the outcome of an attempt could not be stored yet; it is tried again')
      await wait(between, undefined, { signal })
    }
  }
}
