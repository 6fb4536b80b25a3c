import { Agent, request } from 'node:http'
import { appendEvents } from '#/base/event-log/append.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { Load } from './load/load.ts'
import type { ReceiverResult, ReceiverWork } from './load/webhook-sink.ts'
import { inTurns, median, type Row } from './report.ts'

/** Requests at the same time, of the floor too. */
const together = 32

/** Events posted to a receiver that answers at once, beside as many bare posts; memory while 100,000 wait. */
export async function webhooks({ events = 5_000, rounds = 5, waiting = 100_000 } = {}): Promise<Row[]> {
  await using receiver = new Load<ReceiverWork, ReceiverResult>('webhook-sink.ts')
  const { port } = await receiver.run({ until: 0 })
  await using world = await World.start({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })
  const organization = await world.organization()
  const url = `http://127.0.0.1:${port}/`
  const { body: made } = await organization.request('POST', '/v1/webhooks', { url, types: ['label'] })
  const set = (paused: boolean) => organization.request('PATCH', `/v1/webhooks/${made.id}`, { paused })
  const deliver = async (count: number) => {
    await set(true)
    await appendChanges(organization, count)
    const since = Date.now()
    await set(false)
    return count / (((await receiver.run({ until: count })).at - since) / 1_000)
  }
  const results = await inTurns(
    rounds,
    () => bare(port, events, receiver),
    () => deliver(events),
  )
  await set(true)
  await appendChanges(organization, waiting)
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 50)
  const half = async () => {
    most = 0
    await receiver.run({ until: waiting / 2 })
    return most / 2 ** 20
  }
  await set(false)
  const [first, second] = [await half(), await half()]
  clearInterval(watch)
  const rate = (values: readonly number[]) => median(values).toFixed(0)
  const [ours, floor] = [results.map(({ ours }) => ours), results.map(({ floor }) => floor)]
  return [
    {
      what: 'events a second, of bare posts',
      value: median(results.map(({ ours, floor }) => ours / floor)),
      unit: '×',
      from: `${rate(ours)} against ${rate(floor)}`,
    },
    {
      what: `memory in the second half of ${waiting.toLocaleString('en')}, of that in the first`,
      value: second / first,
      unit: '×',
      from: `${second.toFixed(0)} MB after ${first.toFixed(0)} MB`,
    },
  ]
}

async function appendChanges({ id: organizationId, world }: TestOrganization, count: number): Promise<void> {
  for (let appended = 0; appended < count; appended += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - appended) }, (_, number) => {
      const name = `label ${appended + number}`
      return { organizationId, type: 'label.changed', data: { id: name, name } } as const
    })
    await world.db.transaction().execute((tx) => appendEvents(tx, events))
  }
}

/** Posts a second, of bodies as long as those of events. */
async function bare(port: number, count: number, receiver: Load<ReceiverWork, ReceiverResult>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: together })
  const body = 'x'.repeat(400)
  const since = Date.now()
  let next = 0
  const post = (id: number) =>
    new Promise<void>((resolve, reject) => {
      const headers = { 'webhook-id': String(id), 'Content-Length': body.length }
      request({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (answer) => {
        answer.resume().once('end', resolve)
      })
        .on('error', reject)
        .end(body)
    })
  const posting = async () => {
    while (next < count) await post(next++)
  }
  await Promise.all(Array.from({ length: together }, posting))
  agent.destroy()
  return count / (((await receiver.run({ until: count })).at - since) / 1_000)
}
