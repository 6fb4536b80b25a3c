// On both databases: eight processes share a window.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { perMinute } from '#/http/access/authorize.ts'
import { SharedWindow } from '#/http/rate/shared-window.ts'
import { createOrganization } from '#/organizations/register.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { storeKey } from '#test/world/organization/stored-key.ts'
import { startService } from '#test/world/service.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

test('600 requests a minute a key, then rate_limited until the oldest is a minute old', async () => {
  const { request } = await world.organization().then((organization) => ({
    request: () => organization.request('GET', '/v1/usage'),
  }))
  const answers = []
  for (let sent = 0; sent < 600; sent += 50) answers.push(...(await Promise.all(Array.from({ length: 50 }, request))))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"key";q=600;w=60')
  assert.match(answers[0]?.headers.get('ratelimit') ?? '', /^"key";r=\d+;t=60$/)

  const refused = await request()
  assert.equal(refused.status, 429)
  assert.equal(refused.body.error.code, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal(refused.headers.get('ratelimit'), '"key";r=0;t=60')
  await world.advance(59_000)
  assert.equal((await request()).status, 429)
  await world.advance(1_000)
  assert.equal((await request()).status, 200)
})

/** One process on the embedded database, which can have no more. */
const processes = process.env.TEST_DATABASE_URL === undefined ? 1 : 8

test(`${processes} processes, one key, 3,200 requests, 400 of each process at once: at most 600 a process and 630 together in any 60 s`, async () => {
  await using home = await databaseHome()
  const key = await newKey(home)
  const services = await Promise.all(
    Array.from({ length: processes }, () => startService(home.env, ['serve', '--bare', '--roles', 'api'])),
  )
  try {
    const began = performance.now()
    const allowed = await Promise.all(services.map(({ http }) => allowedOf(http, key, 3_200 / processes)))
    // One, unless the machine is busy.
    const windows = Math.ceil((performance.now() - began) / perMinute.windowMs)
    for (const count of allowed) assert.ok(count <= 600 * windows)
    const together = allowed.reduce((sum, count) => sum + count, 0)
    assert.ok(together <= 630 * windows, `${together} were let in`)
    assert.ok(together >= 500, `only ${together} were let in`)
  } finally {
    await Promise.all(services.map((service) => service.end('SIGKILL')))
  }
})

test("at a minute's edge there is no second burst, whichever of three processes is asked", async () => {
  await using resources = new AsyncDisposableStack()
  const [one, two, three] = [0, 1, 2].map(() => resources.use(new SharedWindow(world.db, perMinute)))
  assert.ok(one && two && three)
  const id = randomUUID()
  const allowed = async (process: SharedWindow) => {
    const answers = await Promise.all(Array.from({ length: 400 }, () => process.consume(id)))
    await process.report()
    return answers.filter(({ allowed }) => allowed).length
  }
  assert.equal(await allowed(one), 400)
  // Time passes by itself too: half a minute is left to a busy machine.
  await world.advance(30_000)
  assert.equal(await allowed(two), 200)
  await world.advance(1_000)
  assert.equal(await allowed(three), 0)
  await world.advance(29_000)
  assert.equal(await allowed(three), 400)
  assert.equal(await allowed(two), 0)
})

async function newKey(home: Awaited<ReturnType<typeof databaseHome>>): Promise<string> {
  await using database = await home.open()
  const { id } = await createOrganization(database.db, { name: 'Busy', plan: 'team' }, byOperator)
  return await storeKey(database.db, id)
}

/** So many connections a busy process accepts before a time-out of its own closes them. */
const atOnce = 400

async function allowedOf(http: string, key: string, requests: number): Promise<number> {
  const ask = async () => {
    const response = await fetch(`${http}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
    await response.arrayBuffer()
    return response.status
  }
  const statuses: number[] = []
  while (statuses.length < requests) statuses.push(...(await Promise.all(Array.from({ length: atOnce }, ask))))
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => status !== 200 && status !== 429),
    [],
  )
  return statuses.filter((status) => status === 200).length
}
