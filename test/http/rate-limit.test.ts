// On a server: eight processes share a window.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { perMinute } from '#/http/access/authorize.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { storeKey } from '#test/world/organization/stored-key.ts'
import { startService } from '#test/world/service.ts'

test('eight processes, one key, 3,200 requests, 400 of each process at once: at most 600 a process and 630 together in any 60 s', async () => {
  await using home = await databaseHome()
  const key = await newKey(home)
  const services = await Promise.all(
    Array.from({ length: 8 }, () => startService(home.env, ['serve', '--bare', '--roles', 'api'])),
  )
  try {
    const began = performance.now()
    const allowed = await Promise.all(services.map(({ http }) => allowedOf(http, key)))
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

async function newKey(home: Awaited<ReturnType<typeof databaseHome>>): Promise<string> {
  await using database = await home.open()
  const { id } = await createOrganization(database.db, { name: 'Busy', plan: 'team' }, byOperator)
  return await storeKey(database.db, id)
}

/** So many connections a busy process accepts before a time-out of its own closes them. */
const atOnce = 400

async function allowedOf(http: string, key: string): Promise<number> {
  // On a busy machine a request may wait for the database for as long as one may, and is made again then.
  const ask = async (): Promise<number> => {
    const response = await fetch(`${http}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
    await response.arrayBuffer()
    return response.status === 502 ? await ask() : response.status
  }
  const statuses = await Promise.all(Array.from({ length: atOnce }, ask))
  for (const status of statuses) assert.ok(status === 200 || status === 429, String(status))
  return statuses.filter((status) => status === 200).length
}
