import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const { organization, address } = await world.mailbox('ada')

const post = (body: unknown, headers: Record<string, string> = {}) =>
  world.client.request('POST', '/v1/labels', { key: organization.key, body, headers })

for (const [what, body, headers] of [
  ['__proto__', '{"name": "x", "__proto__": {"admin": true}}', {}],
  ['constructor.prototype', '{"name": "x", "constructor": {"prototype": {"admin": true}}}', {}],
  ['an empty body', '', {}],
  ['a wrong content type', '{"name": "x"}', { 'content-type': 'text/plain' }],
  ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a content type of nothing', '{"name": "x"}', { 'content-type': '' }],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}],
] as const)
  test(`${what} is invalid_request, and pollutes nothing`, async () => {
    const answer = await post(body, headers)
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.equal(answer.body.error.code, 'invalid_request')
    assert.equal(({} as { admin?: boolean }).admin, undefined)
  })

for (const query of ['folder=%zz', 'folder=%', 'folder=%ff'])
  test(`a query of ${query}, which cannot be decoded, is refused, naming the parameter`, async () => {
    const answer = await organization.request('GET', `/v1/messages?mailbox=${address}&${query}`)
    assert.deepEqual([answer.status, answer.body.error.field], [400, 'folder'])
  })

test('uids of another form are refused in words', async () => {
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${address}&uids=1;2`)
  assert.equal(body.error.message, 'uids must be up to 100 uids with commas between them, such as 17,18')
})

test('a name that an object has twice is refused, and nothing is stored', async () => {
  const before = (await organization.request('GET', '/v1/labels')).body.data
  const raw = '{"name": "One", "colour": "red", "name": "Two"}'
  const { status, body } = await world.client.request('POST', '/v1/labels', { key: organization.key, body: raw })
  assert.deepEqual([status, body.error.field], [400, 'name'])
  assert.deepEqual((await organization.request('GET', '/v1/labels')).body.data, before)
})

test('the order of checks: a request that is wrong in every way is first unauthorized, then forbidden, then invalid', async () => {
  const weak = await organization.newKey('usage:read')
  const bad = { body: '{', headers: {} }
  const path = '/v1/labels/not-a-uuid'
  assert.equal((await world.client.request('PATCH', path, bad)).status, 401)
  assert.equal((await world.client.request('PATCH', path, { ...bad, key: weak })).status, 403)
  assert.equal((await world.client.request('PATCH', path, { ...bad, key: organization.key })).status, 400)
  assert.equal((await organization.request('PATCH', path, { name: 'x' })).status, 404)
})
