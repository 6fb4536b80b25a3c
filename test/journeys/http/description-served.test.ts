import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { ForgedProvider } from '#test/identity/forged-provider.ts'
import { exchange } from '#test/sockets/raw-http.ts'
import { World } from '#test/world/world.ts'

// On one database: the document is made without a database.

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

const url = () => `${world.base}/v1/openapi.json`

test('whoever has the document asks whether it is the same, and gets it no second time', async () => {
  const first = await fetch(url())
  const etag = first.headers.get('etag') ?? ''
  assert.match(etag, /^W\/"[\w-]{22}"$/)
  assert.equal(first.headers.get('vary'), 'Accept-Encoding')
  assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
  await first.arrayBuffer()
  for (const [wanted, status] of [
    [etag, 304],
    [`"x", ${etag}`, 304],
    [etag.slice(2), 304],
    ['*', 304],
    ['"x"', 200],
    ['', 200],
  ] as const) {
    const again = await fetch(url(), { headers: { 'if-none-match': wanted } })
    const body = await again.text()
    assert.deepEqual([again.status, again.headers.get('etag'), body === ''], [status, etag, status === 304], wanted)
  }
})

test('the document is compressed for clients that accept gzip', async () => {
  const plain = await (await fetch(url(), { headers: { 'accept-encoding': 'identity' } })).text()
  for (const [accepted, compressed] of [
    ['gzip', true],
    ['br;q=1, GZIP;q=0.5', true],
    ['*', true],
    ['gzip;q=0', false],
    ['*, gzip;q=0', false],
    ['br', false],
    ['', false],
  ] as const) {
    const head = `GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${accepted}\r\n\r\n`
    const answer = await exchange(world.base, head)
    assert.ok(answer, accepted)
    assert.equal(answer.headers.get('content-encoding'), compressed ? 'gzip' : undefined, accepted)
    const octets = Buffer.from(answer.body, 'latin1')
    assert.equal((compressed ? gunzipSync(octets) : octets).toString(), plain, accepted)
    if (compressed) assert.ok(octets.length < plain.length / 5)
  }
})

test('nothing in the document is for our validator alone, and integers are integers', async () => {
  const { paths } = await world.client.description()
  const formats = new Set<string>()
  JSON.stringify(paths, function visit(this: object, key, value) {
    if (key === 'format' && typeof value === 'string') formats.add(value)
    assert.ok(!['rule', 'elsewhere'].includes(key), key)
    return value
  })
  for (const format of formats) assert.ok(['uuid', 'date-time', 'binary'].includes(format), format)
  for (const [path, operations] of Object.entries(paths)) {
    for (const { parameters = [] } of Object.values(operations)) {
      for (const one of parameters.filter(({ name }) => name === 'uid')) assert.equal(one.schema.type, 'integer', path)
    }
  }
})

test('every service describes the same, whatever its settings, but where it is', async () => {
  await using forge = await ForgedProvider.start()
  const env = { ...forge.env, MAILROOM_PASSWORDS: 'off', MAILROOM_PUBLIC_URL: 'https://mail.example.com' }
  await using other = await World.start({ database: world.database, env })
  const without = async ({ client }: World) => ({ ...(await client.description()), servers: [] })
  assert.deepEqual(await without(other), await without(world))
})

test('every operation has a name that reads well in code', async () => {
  const { paths } = await world.client.description()
  const names = Object.values(paths).flatMap((operations) => Object.values(operations).map((one) => one.operationId))
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[a-z]+([A-Z][a-z]+){1,2}$/)
})
