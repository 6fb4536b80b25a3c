import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { generateKey } from '#/keys/api-key.ts'
import { World } from '../world.ts'

let world: World
before(async () => {
  world = await World.start()
})
after(() => world[Symbol.asyncDispose]())

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
  world.clock.advance(59_999)
  assert.equal((await request()).status, 429)
  world.clock.advance(1)
  assert.equal((await request()).status, 200)
})

test('a request is counted before its scope is looked at, and another key is not affected', async () => {
  const organization = await world.organization()
  const weak = await organization.newKey('usage:read')
  for (let sent = 0; sent < 600; sent++) {
    const { status } = await organization.request('GET', '/v1/labels', undefined, { key: weak })
    assert.equal(status, 403)
  }
  assert.equal((await organization.request('GET', '/v1/labels', undefined, { key: weak })).status, 429)
  assert.equal((await organization.request('GET', '/v1/labels')).status, 200)
})

test('requests whose key is unknown are limited by client address', async () => {
  const statuses = new Set<number>()
  for (let sent = 0; sent <= 600; sent++) {
    statuses.add((await world.client.request('GET', '/v1/labels', { key: generateKey() })).status)
  }
  assert.deepEqual([...statuses], [401, 429])
  const { key } = await world.organization()
  assert.equal((await world.client.request('GET', '/v1/labels', { key })).status, 200, 'a good key still opens')
})
