import { LeaseHolder } from '#/base/db/lease-holder.ts'
import { LeaseLost } from '#/base/db/leases.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { allRoutes, type Batch, type Claimed, leases, mostAttempts } from '#/out/queue/claims.ts'
import { type QueuedMessage, queuedMessage } from '#/out/queue/message.ts'
import { openedRecipient } from '#/out/queue/sealed.ts'
import { deliver, deliverEveryRoute, internalFailure, refusal } from './deliver.ts'
import type { AttemptDependencies, Tried } from './dependencies.ts'
import { routesOf } from './local.ts'
import { isStillToSend } from './still-to-send.ts'
import { end } from './store-outcomes.ts'

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
  const attempted = batch.route === allRoutes ? tryTogether : tryOneRoute
  try {
    const tried: Tried = (await isStillToSend(db, time, message, batch.recipients))
      ? await attempted(deps, message, batch, signal)
      : { message, outcomes: 'switched off' }
    await end(deps, batch, tried, signal)
  } catch (err) {
    if (!(err instanceof LeaseLost)) throw err
    log.warn({ message: message.id }, 'The lease was lost: another worker has claimed this message')
  }
}

function withOpened(key: SealingKey, batch: Batch): Batch {
  const opened = (one: Claimed) => ({ ...one, recipient: openedRecipient(key, batch.messageId, one.recipient) })
  return { ...batch, recipients: batch.recipients.map(opened) }
}

async function tryOneRoute(
  deps: AttemptDependencies,
  message: QueuedMessage,
  { route, recipients, cutShort }: Batch,
  signal: AbortSignal,
): Promise<Tried> {
  if (cutShort >= mostCutShort)
    return { message, outcomes: refusals(recipients, `Sending was interrupted ${mostCutShort} times`) }
  const loaded = message.state === 'uncomposed' ? await composed(deps, message, recipients) : { message }
  if (!loaded) return { message, outcomes: internalFailures(recipients) }
  return { message: loaded.message, outcomes: await deliver(deps, loaded, { route, recipients }, signal) }
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
  { recipients, cutShort }: Batch,
  signal: AbortSignal,
): Promise<Tried> {
  const { db, relay } = deps
  const { organizationId } = message
  if (cutShort >= mostAttempts)
    return { message, outcomes: refusals(recipients, 'Sending was interrupted three times') }
  const addresses = recipients.map(({ recipient }) => recipient)
  const departed =
    message.allowanceDue > 0
      ? await deps.depart({ message, recipients })
      : {
          message,
          routes: (await routesOf(db, relay, new Map([[organizationId, addresses]]))).get(organizationId),
        }
  if ('failure' in departed) return { message, outcomes: internalFailures(recipients), failure: departed.failure }
  const outcomes = await deliverEveryRoute(deps, departed, recipients, signal)
  return { message: departed.message, outcomes, routes: departed.routes }
}

function refusals(recipients: readonly Claimed[], reason: string) {
  return recipients.map(({ recipient }) => refusal(recipient, reason))
}

function internalFailures(recipients: readonly Claimed[]) {
  return recipients.map(({ recipient }) => internalFailure(recipient))
}
