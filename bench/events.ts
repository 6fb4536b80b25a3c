import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { byOperator } from '#/base/audit/actor.ts'
import { createKey } from '#/people/keys/keys.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { databaseHome, homeAt } from '#test/world/database/database.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import type { Row } from './report.ts'

/** A little less than a key's rate. */
const asksOfKey = 550

interface Sizes {
  readonly seconds?: number
  readonly perSecond?: number
  readonly streams?: number
}

/** From the writing of an event until a reader in another process has it: labels are renamed in one of two processes on a PostgreSQL
 *  server, a stream and a long poll are in the other. Then one event in as many streams as a process serves. */
export async function events({ seconds = 20, perSecond = 200, streams = 5_000 }: Sizes = {}): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  const server = process.env.TEST_DATABASE_URL === undefined && resources.use(await startPostgres())
  const home = resources.use(server ? await homeAt(server.url) : await databaseHome())
  const { organizationId } = await storeOrganization(home, { domain: 'events.test', mailboxes: [] })
  const keys: string[] = []
  // A long poll may be asked anew for each event.
  const wanted = Math.ceil((2 * seconds * perSecond + 2 * streams) / asksOfKey) + 1
  {
    await using database = await home.open()
    const key = { name: '', scopes: ['labels:read', 'labels:write', 'events:read'], expiresAt: null } as const
    while (keys.length < wanted)
      keys.push((await createKey(database.db, organizationId, key, Date.now(), byOperator)).secret)
  }
  let asked = 0
  const nextKey = () => keys[Math.floor(asked++ / asksOfKey)] ?? ''
  const start = async () => {
    const service = await startService(home.env, ['serve', '--roles', 'api'])
    resources.defer(async () => void (await service.end('SIGTERM')))
    return service
  }
  const [written, read] = [await start(), await start()]

  const rename = renaming(written, nextKey)
  const labels = await Promise.all(Array.from({ length: 50 }, (_, n) => rename.create(`label ${n}`)))
  const [streamed, polled]: [number[], number[]] = [[], []]
  const readers = [
    follow(read, nextKey(), (at) => void streamed.push(Date.now() - at)),
    poll(read, nextKey, (at) => void polled.push(Date.now() - at)),
  ]
  await Promise.all(readers.map(({ ready }) => ready))
  const count = seconds * perSecond
  const asking: Promise<void>[] = []
  const began = performance.now()
  for (let number = 0; number < count; number++) {
    await pause(Math.max(0, began + (number * 1_000) / perSecond - performance.now()))
    asking.push(rename.to(labels[number % labels.length] ?? '', `name ${number}`))
  }
  await Promise.all(asking)
  const rate = (count / (performance.now() - began)) * 1_000
  while (streamed.length < count || polled.length < count) await pause(20)
  for (const { end } of readers) end()
  const row = (what: string, times: readonly number[]): Row => {
    const sorted = times.toSorted((a, b) => a - b)
    const at = (part: number) => sorted[Math.min(count - 1, Math.floor(count * part))] ?? Number.NaN
    return {
      ...{ what, value: at(0.99), unit: 'ms', most: 50 },
      from: `${rate.toFixed(0)} a second; the median is ${at(0.5)} ms`,
    }
  }
  const [first, last] = await inMany(read, streams, nextKey, (name) => rename.to(labels[0] ?? '', name))
  return [
    row('from the writing of an event to a stream in another process, 99 of 100', streamed),
    row('to a long poll', polled),
    {
      what: `to the last of ${streams.toLocaleString('en')} streams`,
      value: last,
      unit: 'ms',
      from: `the first after ${first.toFixed(0)} ms`,
    },
  ]
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

function renaming({ http }: Service, nextKey: () => string) {
  const ask = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${nextKey()}`, 'content-type': 'application/json' }
    const response = await fetch(new URL(path, http), { method, headers, body: JSON.stringify(body) })
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return (await response.json()) as { id: string }
  }
  return {
    create: async (name: string) => (await ask('POST', '/v1/labels', { name, colour: '#1e90ff' })).id,
    to: async (id: string, name: string) => void (await ask('PATCH', `/v1/labels/${id}`, { name })),
  }
}

interface Reading {
  readonly ready: Promise<void>
  readonly end: () => void
}

/** A stream of events. `heard` is told of each when it was. */
function follow({ http }: Service, key: string, heard: (at: number) => void): Reading {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const request = get(new URL('/v1/events?after=now&types=label.changed', http), { agent, headers }, (response) => {
    if (response.statusCode === 200) resolve()
    else reject(new Error(`a stream was answered ${response.statusCode}`))
    response.setEncoding('utf8')
    let text = ''
    response.on('data', (piece: string) => {
      text += piece
      const end = text.lastIndexOf('\n') + 1
      for (const line of text.slice(0, end).split('\n'))
        if (line.startsWith('data: ')) heard(Date.parse(JSON.parse(line.slice('data: '.length)).at))
      text = text.slice(end)
    })
    response.on('error', () => {})
  })
  request.on('error', reject)
  return { ready, end: () => request.destroy() }
}

function poll({ http }: Service, nextKey: () => string, heard: (at: number) => void): Reading {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  const leaving = new AbortController()
  const ask = async (after: string) => {
    const headers = { authorization: `Bearer ${nextKey()}` }
    const url = new URL(`/v1/events?types=label.changed&wait=25&after=${after}`, http)
    const response = await fetch(url, { headers, signal: leaving.signal })
    assert.equal(response.status, 200)
    return (await response.json()) as { data: { at: string }[]; next: string }
  }
  const run = async () => {
    const url = new URL('/v1/events?after=now', http)
    const response = await fetch(url, { headers: { authorization: `Bearer ${nextKey()}` } })
    let { next } = (await response.json()) as { next: string }
    resolve()
    while (!leaving.signal.aborted) {
      const page = await ask(next)
      for (const { at } of page.data) heard(Date.parse(at))
      next = page.next
    }
  }
  run().catch((error: unknown) => leaving.signal.aborted || reject(error))
  return { ready, end: () => leaving.abort() }
}

/** Milliseconds until the first and the last of many streams have an event. */
async function inMany(
  service: Service,
  count: number,
  nextKey: () => string,
  change: (name: string) => Promise<void>,
): Promise<[number, number]> {
  const times: number[] = []
  const readings: Reading[] = []
  const heard = () => void times.push(performance.now())
  // Who has just gone may count still.
  const open = async (tries: number): Promise<Reading> => {
    const reading = follow(service, nextKey(), heard)
    const again = async (error: unknown) => {
      if (tries === 0) throw error
      await pause(100)
      return await open(tries - 1)
    }
    return await reading.ready.then(() => reading, again)
  }
  while (readings.length < count) {
    const some = Array.from({ length: Math.min(100, count - readings.length) }, () => open(20))
    readings.push(...(await Promise.all(some)))
  }
  const since = performance.now()
  await change('told to many')
  while (times.length < count) await pause(20)
  for (const { end } of readings) end()
  return [(times[0] ?? Number.NaN) - since, (times.at(-1) ?? Number.NaN) - since]
}
