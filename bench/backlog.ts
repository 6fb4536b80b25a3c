import assert from 'node:assert/strict'
import { appendEvents } from '#/base/event-log/append.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { databaseHome, homeAt } from '#test/world/database/database.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { Load } from './load/load.ts'
import type { ReceiverResult, ReceiverWork } from './load/webhook-sink.ts'
import { inTurns, median, type Row } from './report.ts'

interface Sizes {
  readonly events?: number
  readonly rounds?: number
  readonly several?: number
}

/** Events that wait for webhooks with a quick receiver, posted by several worker processes on one PostgreSQL server against one:
 *  all of them for one webhook, and as many for ten. */
export async function backlog({ events = 10_000, rounds = 5, several = 3 }: Sizes = {}): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  const server = process.env.TEST_DATABASE_URL === undefined && resources.use(await startPostgres())
  const home = resources.use(server ? await homeAt(server.url) : await databaseHome())
  const { organizationId, key } = await storeOrganization(home, { domain: 'backlog.test', mailboxes: [] })
  const receiver = resources.use(new Load<ReceiverWork, ReceiverResult>('webhook-sink.ts'))
  const { port } = await receiver.run({ until: 0 })
  const database = resources.use(await home.open())
  const env = { ...home.env, MAILROOM_WEBHOOK_NETWORKS: 'loopback' }
  const start = (role: string) => startService(env, ['serve', '--roles', role])
  const api = await start('api')
  resources.defer(async () => void (await api.end('SIGTERM')))

  const ask = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(new URL(path, api.http), { method, headers, body: JSON.stringify(body) })
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return (await response.json()) as { id: string }
  }
  const hooks: string[] = []
  const create = async () => {
    const url = `http://127.0.0.1:${port}/${hooks.length}`
    const { id } = await ask('POST', '/v1/webhooks', { url, types: ['label'] })
    hooks.push(id)
    await ask('PATCH', `/v1/webhooks/${id}`, { paused: true })
  }
  const append = async (count: number) => {
    for (let left = count; left > 0; left -= 1_000) {
      const some = Array.from({ length: Math.min(1_000, left) }, (_, number) => {
        const name = `label ${left - number}`
        return { organizationId, type: 'label.changed', data: { id: name, name } } as const
      })
      await database.db.transaction().execute((tx) => appendEvents(tx, some))
    }
  }
  const setPaused = (paused: boolean) => Promise.all(hooks.map((id) => ask('PATCH', `/v1/webhooks/${id}`, { paused })))
  /** Events a second. */
  const by = (processes: number) => async () => {
    await append(events / hooks.length)
    const workers = await Promise.all(Array.from({ length: processes }, () => start('worker')))
    const since = Date.now()
    await setPaused(false)
    const { at } = await receiver.run({ until: events })
    await setPaused(true)
    await Promise.all(workers.map((worker) => worker.end('SIGTERM')))
    return events / ((at - since) / 1_000)
  }
  const rows: Row[] = []
  for (const count of [1, 10]) {
    while (hooks.length < count) await create()
    const results = await inTurns(rounds, by(1), by(several))
    const rate = (which: 'floor' | 'ours') => median(results.map((one) => one[which])).toFixed(0)
    rows.push({
      what: `events a second to ${count === 1 ? 'one webhook' : `${count} webhooks`} by ${several} processes, against one`,
      value: median(results.map(({ ours, floor }) => ours / floor)),
      unit: '×',
      least: 1,
      from: `${rate('ours')} against ${rate('floor')}; ${results.map(({ ours, floor }) => (ours / floor).toFixed(2)).join(', ')}`,
    })
  }
  return rows
}
