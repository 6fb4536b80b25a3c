import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { ofFile } from '#test/world/of-file.ts'
import { World } from '#test/world/world.ts'
import { Receiver } from './receiver.ts'

/** A service whose operator allows one address, at which a receiver listens. */
const world = await World.ofFile({ env: { MAILROOM_WEBHOOK_NETWORKS: '127.0.0.1' } })
const organization = await world.organization()
const receiver = ofFile(await Receiver.start())
// Each connection is for one request.
receiver.answers = (_, response) => void response.writeHead(204, { Connection: 'close' }).end()

/** The result of a test event to a name with those addresses. */
async function outcome(scheme: 'http' | 'https', records: ZoneRecords) {
  const url = `${scheme}://receiver.test:${receiver.port}/hook`
  const { body: made } = await organization.request('POST', '/v1/webhooks', { url, types: ['label'] })
  world.dns.set('receiver.test', records)
  const { body } = await organization.request('POST', `/v1/webhooks/${made.id}/test`)
  await organization.request('DELETE', `/v1/webhooks/${made.id}`)
  return body.error ?? body.status
}

const refused = 'The address is not allowed'

for (const [what, scheme, records, expected] of [
  ['the address that the operator allows, of several', 'http', { a: ['10.0.0.1', '127.0.0.1'], aaaa: ['::1'] }, 204],
  ['another of this machine', 'http', { a: ['127.0.0.2'] }, refused],
  ['a private one', 'https', { a: ['10.0.0.1'] }, refused],
  ['a public one without TLS', 'http', { a: ['8.8.8.8'] }, refused],
  ['none', 'http', {}, 'The name receiver.test has no address'],
] as const satisfies readonly (readonly [string, 'http' | 'https', ZoneRecords, number | string])[])
  test(`what is posted to ${what}: ${expected}`, async () => {
    const before = receiver.all.length
    assert.equal(await outcome(scheme, records), expected)
    assert.equal(receiver.all.length - before, expected === 204 ? 1 : 0)
  })

test('a redirect is not followed', async () => {
  const before = receiver.all.length
  receiver.answers = (_, response) => void response.writeHead(302, { Location: receiver.url }).end()
  assert.equal(await outcome('http', { a: ['127.0.0.1'] }), 'It answered 302')
  assert.equal(receiver.all.length - before, 1)
})
