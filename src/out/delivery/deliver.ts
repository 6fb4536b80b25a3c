import { LeaseLost } from '#/base/db/leases.ts'
import type { Claimed } from '#/out/queue/claims.ts'
import { queuedOctets } from '#/out/queue/message.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { suppressed } from '#/out/suppressions/suppression.ts'
import type { AttemptDependencies, LoadedMessage } from './dependencies.ts'
import { internalError } from './internal-error.ts'
import { localRoute, suppressedRoute } from './local.ts'

/** Delivers by one route. Answers for the recipients in their order. */
export async function deliver(
  deps: AttemptDependencies,
  loaded: LoadedMessage,
  { route, recipients }: { readonly route: string; readonly recipients: readonly Claimed[] },
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  if (route === suppressedRoute) return recipients.map(({ recipient }) => refusal(recipient, suppressed, '5.7.1'))
  const open = deps.ambiguous === 'retry' ? recipients : recipients.filter(({ ambiguousAt }) => ambiguousAt === null)
  const delivery = deliveryOf(deps, loaded, route, open)
  const tried = open.length > 0 ? await (route === localRoute ? deps.local : deps.relay).deliver(delivery, signal) : []
  if (deps.ambiguous === 'retry') return tried
  const outcomes = new Map(tried.map((outcome) => [outcome.recipient, decided(outcome)]))
  return recipients.map(({ recipient }) => outcomes.get(recipient) ?? refusal(recipient, ambiguousRefusal))
}

function deliveryOf(
  { db, mailKey, markEndOfData, envelopeSender }: AttemptDependencies,
  { message, octets }: LoadedMessage,
  route: string,
  recipients: readonly Claimed[],
) {
  const { id, sizeBytes: size, smtpUtf8, eightBit, verdict } = message
  // Local mailboxes return nothing later, and automatic answers go to the mailbox itself.
  const sender = route === localRoute ? message.sender : envelopeSender(message)
  return {
    ...{ sender, size, smtpUtf8, eightBit, verdict },
    recipients: recipients.map(({ recipient }) => recipient),
    content: () => (octets ? alone(octets) : queuedOctets(db, mailKey, id)),
    beforeEndOfData: async (accepted: readonly string[]) => {
      const going = recipients.filter(({ recipient }) => accepted.includes(recipient))
      if (!(await markEndOfData(going))) throw new LeaseLost()
    },
  }
}

async function* alone(octets: Buffer): AsyncGenerator<Buffer> {
  yield octets
}

/** Delivers by all routes at once. Answers for the recipients in their order. */
export async function deliverEveryRoute(
  deps: AttemptDependencies,
  loaded: LoadedMessage,
  recipients: readonly Claimed[],
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>()
  const parties = Map.groupBy(recipients, ({ recipient }) => loaded.routes?.get(recipient) ?? '')
  const tried = await Promise.allSettled(
    [...parties].map(async ([route, party]) => {
      for (const outcome of await deliver(deps, loaded, { route, recipients: party }, signal))
        outcomes.set(outcome.recipient, outcome)
    }),
  )
  for (const one of tried) {
    // Deliveries by other routes count if one route fails with an internal error.
    if (one.status === 'rejected' && one.reason instanceof LeaseLost) throw one.reason
    if (one.status === 'rejected')
      deps.log.error({ err: one.reason, message: loaded.message.id }, 'delivery by one route failed: internal error')
  }
  return recipients.map(({ recipient }) => outcomes.get(recipient) ?? internalFailure(recipient))
}

const nothingSaid = { reply: null, host: null, ambiguous: false } as const

/** A recipient that was not tried, because of a temporary error here. */
export function internalFailure(recipient: string): Outcome {
  return { ...nothingSaid, recipient, result: 'deferred', status: '4.3.0', reason: internalError }
}

/** A recipient that is not tried again, for a reason here. */
export function refusal(recipient: string, reason: string, status = '5.3.0'): Outcome {
  return { ...nothingSaid, recipient, result: 'refused', status, reason }
}

const once = 'it is not sent again, since it may arrive twice'
const ambiguousRefusal = `It was sent and no reply came, so it may have arrived; ${once}`

/** With MAILROOM_AMBIGUOUS=fail: an ambiguous outcome is a refusal. */
function decided(outcome: Outcome): Outcome {
  return outcome.ambiguous ? { ...outcome, result: 'refused', reason: `${outcome.reason}; ${once}` } : outcome
}
