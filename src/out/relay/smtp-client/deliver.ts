import type { Delivery, Outcome } from '#/out/relay/relay.ts'
import { path } from '../address.ts'
import { DeliveryFailure } from '../delivery-failure.ts'
import { Deadline } from './deadline.ts'
import type { SmtpClient } from './smtp-client.ts'
import type { SmtpClientPool } from './smtp-client-pool.ts'
import { outcomeOf, transact } from './transaction.ts'

export interface Route {
  readonly key: string
  /** Throws `DeliveryFailure`. */
  open(signal: AbortSignal): Promise<SmtpClient>
  /** Told of each session on which the message is tried. */
  onSession?(session: SmtpClient): void
}

/** Delivers a message over a pooled session; the contract is that of `Relay.deliver`. */
export async function deliverBy(
  pool: SmtpClientPool,
  route: Route,
  delivery: Delivery,
  outer: AbortSignal,
  limit: number,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>()
  const settle = (recipients: Iterable<string>, failure: DeliveryFailure) => {
    for (const recipient of recipients) outcomes.set(recipient, outcomeOf(recipient, failure, null))
  }
  const { recipients, sender } = delivery
  const pathless = recipients.filter((recipient) => !path(recipient))
  // An error takes longer to make than all of this.
  if (pathless.length > 0) settle(pathless, new DeliveryFailure('5.1.3', 'Invalid recipient address'))
  if (sender !== '' && !path(sender)) settle(recipients, new DeliveryFailure('5.1.7', 'Invalid sender address'))
  const left = [...new Set(recipients)].filter((recipient) => !outcomes.has(recipient))
  if (left.length > 0) {
    using deadline = new Deadline(outer, limit)
    try {
      const open = () => route.open(deadline.signal)
      const work = (session: SmtpClient) => {
        route.onSession?.(session)
        return transact(session, delivery, left, deadline)
      }
      for (const [recipient, outcome] of await pool.use(route.key, deadline.signal, open, work))
        outcomes.set(recipient, outcome)
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error
      settle(left, error)
    }
  }
  return recipients.flatMap((recipient) => outcomes.get(recipient) ?? [])
}
