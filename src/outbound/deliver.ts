import type { Outcome } from '#/ports/relay.ts'
import type { Desk, InHand } from './attempt.ts'
import { type Claimed, Overtaken } from './claims.ts'
import { heldOctets } from './held.ts'
import { localRoute } from './local.ts'

/** Delivers by one route, and answers for the recipients in their order. */
export async function deliver(
  desk: Desk,
  inHand: InHand,
  { route, recipients }: { readonly route: string; readonly recipients: readonly Claimed[] },
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const open = desk.ambiguous === 'retry' ? recipients : recipients.filter(({ doubtedAt }) => doubtedAt === null)
  const delivery = deliveryOf(desk, inHand, open)
  const tried = open.length > 0 ? await (route === localRoute ? desk.local : desk.relay).deliver(delivery, signal) : []
  if (desk.ambiguous === 'retry') return tried
  const outcomes = new Map(tried.map((outcome) => [outcome.recipient, decided(outcome)]))
  return recipients.map(({ recipient }) => outcomes.get(recipient) ?? refusal(recipient, doubtful))
}

function deliveryOf({ db, mailKey, markDot }: Desk, { message, octets }: InHand, recipients: readonly Claimed[]) {
  const { id, sender, sizeBytes: size, smtpUtf8, eightBit, verdict } = message
  return {
    ...{ sender, size, smtpUtf8, eightBit, verdict },
    recipients: recipients.map(({ recipient }) => recipient),
    content: () => (octets ? alone(octets) : heldOctets(db, mailKey, id)),
    beforeDot: async (accepted: readonly string[]) => {
      const going = recipients.filter(({ recipient }) => accepted.includes(recipient))
      if (!(await markDot(going))) throw new Overtaken()
    },
  }
}

async function* alone(octets: Buffer): AsyncGenerator<Buffer> {
  yield octets
}

/** Delivers by all routes at once, and answers for the recipients in their order. */
export async function deliverEveryWay(
  desk: Desk,
  inHand: InHand,
  { ways, recipients }: { readonly ways: ReadonlyMap<string, string>; readonly recipients: readonly Claimed[] },
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>()
  const parties = Map.groupBy(recipients, ({ recipient }) => ways.get(recipient) ?? '')
  const tried = await Promise.allSettled(
    [...parties].map(async ([route, party]) => {
      for (const outcome of await deliver(desk, inHand, { route, recipients: party }, signal))
        outcomes.set(outcome.recipient, outcome)
    }),
  )
  for (const one of tried) {
    // Who had their message by another route have it: what failed on our side is no reason to forget that.
    if (one.status === 'rejected' && one.reason instanceof Overtaken) throw one.reason
    if (one.status === 'rejected')
      desk.log.error({ err: one.reason, message: inHand.message.id }, 'a route failed on our side')
  }
  return recipients.map(({ recipient }) => outcomes.get(recipient) ?? ourFault(recipient))
}

const nothingSaid = { reply: null, host: null, ambiguous: false } as const

function ourFault(recipient: string): Outcome {
  return { ...nothingSaid, recipient, result: 'deferred', status: '4.3.0', reason: 'Something is out of order here' }
}

/** A recipient whom nobody tries to reach any more, for a reason that lies here. */
export function refusal(recipient: string, reason: string): Outcome {
  return { ...nothingSaid, recipient, result: 'refused', status: '5.3.0', reason }
}

const once = 'it is not sent again, so that nobody has it twice'
const doubtful = `It was sent, but whether it arrived is not known; ${once}`

/** Where silence is preferred to a second copy. */
function decided(outcome: Outcome): Outcome {
  return outcome.ambiguous ? { ...outcome, result: 'refused', reason: `${outcome.reason}; ${once}` } : outcome
}
