import type { Delivery, Outcome } from '#/ports/relay.ts'
import { path } from './address.ts'
import { Deadline } from './deadline.ts'
import type { Session } from './session.ts'
import type { SessionPool } from './session-pool.ts'
import { outcomeOf, transact } from './transaction.ts'
import { Trouble } from './trouble.ts'

/** A way to a server that takes the message. */
export interface Way {
  readonly key: string
  /** Throws `Trouble`. */
  open(signal: AbortSignal): Promise<Session>
}

/** Takes a message along a way, as the port has it. */
export async function carry(
  pool: SessionPool,
  way: Way,
  delivery: Delivery,
  outer: AbortSignal,
  limit: number,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>()
  const settle = (recipients: Iterable<string>, trouble: Trouble) => {
    for (const recipient of recipients) outcomes.set(recipient, outcomeOf(recipient, trouble, null))
  }
  const { recipients, sender } = delivery
  const pathless = recipients.filter((recipient) => !path(recipient))
  // An error takes longer to make than all of this.
  if (pathless.length > 0) settle(pathless, new Trouble('5.1.3', 'This is no address that mail can be sent to'))
  if (sender !== '' && !path(sender)) settle(recipients, new Trouble('5.1.7', 'The sender is no mail address'))
  const left = [...new Set(recipients)].filter((recipient) => !outcomes.has(recipient))
  if (left.length > 0) {
    using deadline = new Deadline(outer, limit)
    try {
      const open = () => way.open(deadline.signal)
      const work = (session: Session) => transact(session, delivery, left, deadline)
      for (const [recipient, outcome] of await pool.use(way.key, deadline.signal, open, work))
        outcomes.set(recipient, outcome)
    } catch (error) {
      if (!(error instanceof Trouble)) throw error
      settle(left, error)
    }
  }
  return recipients.flatMap((recipient) => outcomes.get(recipient) ?? [])
}
