import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ZoneRecords } from '#/ports/resolver.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { Receiver } from './receiver.ts'

/** A service whose operator allows one address, at which a receiver listens. */
let world: World
let organization: TestOrganization
let receiver: Receiver
before(async () => {
  world = await World.start({ env: { MAILROOM_WEBHOOK_NETWORKS: '127.0.0.1' } })
  organization = await world.organization()
  receiver = await Receiver.start()
})
after(async () => {
  await receiver[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** The result of a test event to a name with those addresses. */
async function outcome(scheme: 'http' | 'https', ...zones: ZoneRecords[]) {
  const url = `${scheme}://receiver.test:${receiver.port}/hook`
  const { body: made } = await organization.request('POST', '/v1/webhooks', { url, types: ['label'] })
  const outcomes = []
  for (const records of zones) {
    world.dns.set('receiver.test', records)
    const { body } = await organization.request('POST', `/v1/webhooks/${made.id}/test`)
    outcomes.push(body.error ?? body.status)
  }
  await organization.request('DELETE', `/v1/webhooks/${made.id}`)
  return outcomes
}

const allowed = { a: ['127.0.0.1'] }
const refused = 'The address is not allowed'

for (const [what, records] of [
  ['loopback', { a: ['127.0.0.2'], aaaa: ['::1'] }],
  ['this host', { a: ['0.0.0.0'], aaaa: ['::'] }],
  ['private', { a: ['10.0.0.1', '172.16.0.1', '192.168.0.1'], aaaa: ['fd00::1'] }],
  ['link-local, where clouds tell secrets', { a: ['169.254.169.254'], aaaa: ['fe80::1'] }],
  ['shared', { a: ['100.64.0.1'] }],
  ['mapped', { aaaa: ['::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::a00:1'] }],
  ['translated', { aaaa: ['64:ff9b::a00:1', '2002:a00:1::1'] }],
  ['multicast', { a: ['224.0.0.1'], aaaa: ['ff02::1'] }],
] as const satisfies readonly (readonly [string, ZoneRecords])[]) {
  test(`nothing is posted to a name whose addresses are ${what}`, async () => {
    for (const scheme of ['http', 'https'] as const) assert.deepEqual(await outcome(scheme, records), [refused])
    assert.equal(receiver.all.length, 0)
  })
}

test('nothing is posted without TLS to a public address, though the operator allows another', async () => {
  assert.deepEqual(await outcome('http', { a: ['8.8.8.8'] }), [refused])
})

test('of several addresses only those are connected to that are allowed', async () => {
  assert.deepEqual(await outcome('http', { a: ['10.0.0.1', '127.0.0.1'], aaaa: ['::1'] }), [204])
})

test('a name that has another address by now is checked again', async () => {
  // Each connection is for one request.
  receiver.answers = (_, response) => void response.writeHead(204, { Connection: 'close' }).end()
  const before = receiver.all.length
  const [private_, none] = [{ a: ['10.0.0.1'] }, {}]
  const outcomes = await outcome('http', allowed, private_, allowed, none)
  assert.deepEqual(outcomes, [204, refused, 204, 'The name receiver.test has no address'])
  assert.equal(receiver.all.length - before, 2)
})

test('a redirect is not followed, wherever it leads', async () => {
  const before = receiver.all.length
  for (const [status, location] of [
    [302, `http://127.0.0.1:${receiver.port}/other`],
    [307, 'http://169.254.169.254/latest/meta-data/'],
    [301, '/other'],
  ] as const) {
    receiver.answers = (_, response) => void response.writeHead(status, { Location: location }).end()
    assert.deepEqual(await outcome('http', allowed), [`It answered ${status}`])
  }
  assert.equal(receiver.all.length - before, 3)
})
