import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '#/people/keys/api-key.ts'
import { each } from '#test/world/each.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const { organization, address: from } = await world.mailbox('ada')

type Asked = [method: string, path: string, body?: unknown]

/** A request, and what is said to be wrong with it, in order. */
const wrong: Readonly<Record<string, [ask: () => Asked, ...details: [field: string, message: RegExp][]]>> = {
  'a folder that no mail host takes, labels both ways, and a uid that is none': [
    () => [
      'PATCH',
      `/v1/messages?mailbox=${from}`,
      { uids: [0], folder: '..', add_labels: ['a'], remove_labels: ['a'] },
    ],
    ['uids[0]', /at least 1/],
    ['folder', /must not have a step/],
    ['remove_labels', /is in add_labels too/],
  ],
  'a time on what is sent at once': [
    () => ['POST', '/v1/send', { from, to: 'a@b.example', text: 'x', send_at: '2026-11-21T08:00:00Z' }],
    ['send_at', /to send it later, use POST \/v1\/scheduled/],
  ],
  'every field of a message': [
    () => [
      'POST',
      '/v1/send',
      { from: 'x', to: ['a@b.example', 'b'], cc: 5, bcc: ['c@', 'd'], in_reply_to: 'no id', reply_to: ['e'] },
    ],
    ['cc', /^cc must be a string or an array$/],
    ['from', /must be an address/],
    ['to[1]', /must be an address/],
    ['bcc[0]', /must be an address/],
    ['bcc[1]', /must be an address/],
    ['in_reply_to', /must be a Message-ID/],
    ['reply_to[0]', /must be an address/],
    ['text', /At least one of text and html/],
  ],

  'a filter in many ways': [
    () => ['POST', '/v1/filters', { name: ' ', field: 'form', op: 'is', value: ' ', action: 'star', argument: 'x' }],
    ['field', /one of from, to, subject/],
    ['name', /visible/],
    ['value', /blank/],
    ['argument', /takes no argument/],
  ],
  'a draft of a filter in many ways': [
    () => [
      'POST',
      '/v1/filters/test',
      { message: 5, filter: { name: ' ', field: 'to', op: 'is', value: 'x', action: 'move' } },
    ],
    ['message', /^message must be an object or a string$/],
    ['filter.name', /visible/],
    ['filter.argument', /needs an argument/],
  ],

  'JSON with a comma too many': [
    () => ['POST', '/v1/labels', '{\n  "name": "x",\n}'],
    ['body', /^The body is not valid JSON: at line 3, column 1 there is "}", and not a name in double quotes$/],
  ],
}

for (const [what, [ask, ...details]] of Object.entries(wrong))
  test(`the answer to a request with ${what} has all errors`, async () => {
    const { status, body } = await organization.request(...ask())
    assert.equal(status, 400, JSON.stringify(body))
    const reported: { field: string; message: string }[] = body.error.details
    assert.deepEqual(
      each(reported, 'field'),
      details.map(([field]) => field),
      JSON.stringify(reported),
    )
    for (const [at, [, message]] of details.entries()) assert.match(reported[at]?.message ?? '', message)
    assert.deepEqual({ field: body.error.field, message: body.error.message }, reported[0])
  })

test('the answer to a body with very many errors has the first, or a hundred', async () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`field-${at}`, 1]))
  const some = await organization.request('POST', '/v1/labels', { name: 'x', ...many(500) })
  assert.deepEqual([some.status, some.body.error.details.length], [400, 100])
  const more = await organization.request('POST', '/v1/labels', { name: 'x', ...many(20_000) })
  assert.deepEqual([more.status, more.body.error.details.length], [400, 1])
})

for (const [method, path, allow] of [
  ['PUT', '/v1/usage', 'GET, HEAD'],
  ['PUT', '/v1/labels', 'GET, HEAD, POST'],
  ['POST', '/v1/labels/x?y=z', 'DELETE, GET, HEAD, PATCH'],
  ['PUT', '/v1/send', 'POST'],
  ['PATCH', '/v1/scheduled/x/retry', 'POST'],
  ['PUT', '/v1/filters/test', 'DELETE, GET, HEAD, PATCH, POST'],
  ['PUT', '/%761/l%61bels', 'GET, HEAD, POST'],
  ['POST', '/v1/openapi.json', 'GET, HEAD'],
  ['PUT', '/v1/nothing', null],
  ['PUT', '/nothing', null],
  ['PUT', '/v1/labels/', null],
] as const)
  test(`${method} ${path} is not_found, and Allow is ${allow}`, async () => {
    const answer = await organization.request(method, path, {})
    assert.deepEqual([answer.status, answer.body.error.code, answer.headers.get('allow')], [404, 'not_found', allow])
    if (allow !== null) assert.match(answer.body.error.fix, new RegExp(`supports ${allow}, not ${method}`))
  })

const mistyped = (key: string) => key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11)

for (const [what, authorization, message, challenge] of [
  ['no key', () => undefined, /^No API key was sent$/, /^Bearer realm="Mailroom"$/],
  ['another scheme', () => 'Basic YTpi', /with `Bearer` and an API key/, /^Bearer realm="Mailroom"$/],
  ['Bearer alone', () => 'Bearer', /with `Bearer` and an API key/, /^Bearer realm="Mailroom"$/],
  ['something behind the key', () => `Bearer ${organization.key} x`, /with `Bearer` and an API key/, /realm/],
  ['a bare key', () => organization.key, /with `Bearer` and an API key/, /^Bearer realm="Mailroom"$/],
  ['a key mistyped', () => `Bearer ${mistyped(organization.key)}`, /mistyped or truncated/, /error="invalid_token"$/],
  ['a key cut short', () => `Bearer ${organization.key.slice(0, -1)}`, /mistyped/, /error="invalid_token"$/],
  ['a key of nobody', () => `Bearer ${generateKey()}`, /unknown, expired or revoked/, /error="invalid_token"$/],
] as const)
  test(`a request with ${what} is unauthorized, and the error says why`, async () => {
    const sent = authorization()
    const headers: Record<string, string> = sent === undefined ? {} : { authorization: sent }
    const answer = await world.client.request('GET', '/v1/labels', { headers })
    assert.deepEqual([answer.status, answer.body.error.code], [401, 'unauthorized'])
    assert.match(answer.body.error.message, message)
    assert.match(answer.headers.get('www-authenticate') ?? '', challenge)
  })

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
    const answer = await organization.request('GET', `/v1/messages?mailbox=${from}&${query}`)
    assert.deepEqual([answer.status, answer.body.error.field], [400, 'folder'])
  })

test('uids of another form are refused in words', async () => {
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${from}&uids=1;2`)
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
