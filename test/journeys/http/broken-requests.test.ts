import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange, type RawAnswer } from '#test/sockets/raw-http.ts'
import { World } from '#test/world/world.ts'

// On one database: a request that cannot be read gets no further than the HTTP server.

const world = await World.ofFile()
const organization = await world.organization()

const labels = 'GET /v1/labels HTTP/1.1\r\n'
const host = 'Host: mailroom.test\r\n'

for (const [what, octets] of [
  ['no HTTP at all', 'Good morning\r\n\r\n'],
  ['a space in the path', `GET /v1/lab els HTTP/1.1\r\n${host}\r\n`],
  ['a control character in a header', `${labels}${host}Accept: \x01\r\n\r\n`],
  ['another version', `GET /v1/labels HTTP/9.9\r\n${host}\r\n`],
  ['two lengths', `POST /v1/labels HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
  ['a chunk that is none', `POST /v1/labels HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ['a header of 20 KB', `${labels}${host}Accept: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['a path of 20 KB', `GET /v1/${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
  ['3,000 headers', `${labels}${host}${'A: b\r\n'.repeat(3_000)}\r\n`],
  ['no Host', `${labels}\r\n`],
  ['an escape that is none in its path', `GET /v1/labels/%zz HTTP/1.1\r\n${host}\r\n`],
  ['two Hosts', `${labels}${host}${host}\r\n`],
] as const)
  test(`a request with ${what} gets 400, the error body, and a request id`, async () =>
    assertRefused(await exchange(world.base, octets)))

test('so does one that stops in the middle', async () =>
  assertRefused(await exchange(world.base, 'GET /v1/lab', { end: true })))

test('one that asks for the head alone gets no body', async () => {
  const answer = await exchange(world.base, `HEAD /v1/${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`)
  assert.deepEqual([answer?.status, answer?.body], [400, ''])
})

function assertRefused(answer: RawAnswer | undefined): void {
  assert.equal(answer?.status, 400)
  const { error } = JSON.parse(answer.body)
  assert.equal(error.code, 'invalid_request')
  assert.match(error.request_id, /^req_/)
  assert.equal(error.request_id, answer.headers.get('x-request-id'))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
}

for (const [what, path] of [
  ['with a part of it encoded', '/%761/labels'],
  ['with all of it encoded', '/%76%31/%6c%61%62%65%6c%73'],
  ['with a host in front', 'http://elsewhere.example/v1/labels'],
  ['with a host in front, and encoded', 'http://elsewhere.example/%761/labels'],
] as const)
  test(`a path ${what} is the same path, and asks for a key`, async () => {
    const request = `GET ${path} HTTP/1.1\r\n${host}`
    const without = await exchange(world.base, `${request}\r\n`)
    assert.equal(without?.status, 401)
    const withKey = await exchange(world.base, `${request}Authorization: Bearer ${organization.key}\r\n\r\n`)
    assert.deepEqual([withKey?.status, withKey?.body], [200, '{"data":[],"next_cursor":null}'])
  })

for (const [what, request] of [
  ['an expectation that nobody knows', `${labels}${host}Expect: 200-ok\r\n`],
  ['an upgrade that is not offered', `${labels}${host}Connection: Upgrade\r\nUpgrade: websocket\r\n`],
  ['HTTP/1.0 and no Host', 'GET /v1/labels HTTP/1.0\r\n'],
] as const)
  test(`a request with ${what} is answered like any other`, async () => {
    const answer = await exchange(world.base, `${request}Authorization: Bearer ${organization.key}\r\n\r\n`)
    assert.equal(answer?.status, 200)
  })
