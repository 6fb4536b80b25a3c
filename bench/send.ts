import { scopes } from '#/http/access/scopes.ts'
import type { Delivery, Outcome } from '#/out/relay/relay.ts'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { HoldWatch } from '#test/world/observe/hold-watch.ts'
import { World } from '#test/world/world.ts'
import { Load } from './load/load.ts'
import type { SendResult, SendWork } from './load/send-load.ts'
import { median, type Row } from './report.ts'

/** Messages that are sent at once. */
const together = 10

/** Ten POST /v1/send at once with 8 MiB of attachments each: for how long they hold the event loop in one go until the
 *  last has left, and what they do to other requests. */
export async function send({ octets = 8 << 20, requests = 500, rounds = 5 } = {}): Promise<Row[]> {
  await using world = await World.start({ relay: new ReadingRelay() })
  const organization = await world.organization({ plan: 'self_hosted' })
  const { address: from } = await organization.mailbox('ada')
  const keys = await Promise.all(Array.from({ length: 50 }, () => organization.newKey(...scopes)))
  const work = { port: Number(new URL(world.base).port), keys, from, octets, requests }
  await using load = new Load<SendWork, SendResult>('send-load.ts')
  using watch = new HoldWatch()
  const [holds, alone, beside, answers]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let round = 0; round <= rounds; round++) {
    const quiet = await load.run({ ...work, messages: 0 })
    watch.reset()
    const busy = await load.run({ ...work, messages: together })
    await world.outbound.processAll()
    const hold = await watch.settle()
    // The first is for the code to be compiled.
    if (round === 0 && rounds > 0) continue
    holds.push(hold)
    alone.push(ninetyNinth(quiet.requests))
    beside.push(ninetyNinth(busy.requests))
    answers.push(Math.max(...busy.messages))
  }
  return [
    { what: 'longest hold of the event loop', value: Math.max(...holds), unit: 'ms', most: 100, from: list(holds) },
    {
      what: "other requests' 99th percentile beside them",
      value: median(beside.map((one, round) => one / (alone[round] ?? Number.NaN))),
      unit: '×',
      from: `${list(beside)} ms against ${list(alone)} ms`,
    },
    { what: `the last of ${together} answered after`, value: median(answers), unit: 'ms', from: list(answers) },
  ]
}

/** Takes everything, and has read it. */
class ReadingRelay extends AcceptingRelay {
  override async deliver(delivery: Delivery): Promise<readonly Outcome[]> {
    for await (const _ of delivery.content());
    return await super.deliver(delivery)
  }
}

function ninetyNinth(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}

function list(figures: readonly number[]): string {
  return figures.map((one) => one.toFixed(0)).join(', ')
}
