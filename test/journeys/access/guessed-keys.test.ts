import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '#/keys/api-key.ts'
import { countingStatements } from '#test/observe/counting-statements.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { World } from '#test/world/world.ts'

test('keys that are guessed beyond the limit cost the database next to nothing, and shut nobody out', async () => {
  await using database = await testDatabase()
  const { db, count } = countingStatements(database.db, 'api_keys')
  await using world = await World.start({ database: { ...database, db } })
  const organization = await world.organization()
  const ask = async (key: string) => (await world.client.request('GET', '/v1/usage', { key })).status
  const guess = (times: number) => Promise.all(Array.from({ length: times }, () => ask(generateKey())))
  assert.equal(await ask(organization.key), 200)

  assert.deepEqual(new Set(await guess(600)), new Set([401]))
  const before = count()
  assert.deepEqual(new Set(await guess(300)), new Set([429]))
  const statements = count() - before
  assert.ok(statements < 30, `${statements} statements`)

  assert.equal(await ask(organization.key), 200, 'a key that was used before')
  assert.equal(await ask(await organization.newKey('usage:read')), 200, 'a key that was not')
  assert.deepEqual(await guess(1), [429])
})
