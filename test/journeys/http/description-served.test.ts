import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { each } from '#test/each.ts'
import { ForgedProvider } from '#test/identity/forged-provider.ts'
import type { Description } from '#test/sockets/http-client.ts'
import { exchange } from '#test/sockets/raw-http.ts'
import { World } from '#test/world/world.ts'

// On one database: the document is made without a database.

const world = await World.ofFile()

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
    const host = new URL(world.base).host
    const head = `GET /v1/openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAccept-Encoding: ${accepted}\r\n\r\n`
    const answer = await exchange(world.base, head)
    assert.ok(answer, accepted)
    assert.equal(answer.headers.get('content-encoding'), compressed ? 'gzip' : undefined, accepted)
    const octets = Buffer.from(answer.body, 'latin1')
    assert.equal((compressed ? gunzipSync(octets) : octets).toString(), plain, accepted)
    if (compressed) assert.ok(octets.length < plain.length / 5)
  }
})

test('nothing in the document is for our validator alone, and integers are integers', async () => {
  const { paths, components } = JSON.parse(await world.client.document()) as Description
  const formats = new Set<string>()
  JSON.stringify({ paths, components }, function visit(this: object, key, value) {
    if (key === 'format' && typeof value === 'string') formats.add(value)
    assert.ok(!['rule', 'elsewhere'].includes(key), key)
    return value
  })
  for (const format of formats) assert.ok(['uuid', 'date-time', 'binary'].includes(format), format)
  for (const [path, operations] of Object.entries(paths))
    for (const { parameters = [] } of Object.values(operations))
      for (const one of parameters.filter(({ name }) => name === 'uid'))
        assert.equal(one.schema.anyOf?.[0]?.type, 'integer', path)
})

test('every service describes the same, whatever its settings, but where it is', async () => {
  await using forge = await ForgedProvider.start()
  const env = { ...forge.env, MAILROOM_PASSWORDS: 'off', MAILROOM_PUBLIC_URL: 'https://mail.example.com' }
  await using other = await World.start({ database: world.database, env })
  const without = async ({ client }: World) => ({ ...JSON.parse(await client.document()), servers: [] })
  assert.deepEqual(await without(other), await without(world))
})

for (const [what, host, servers] of [
  ['the host that was asked', 'mail.example.com:8080', ['http://mail.example.com:8080']],
  ['an address', '[::1]:8080', ['http://[::1]:8080']],
  ['its own path only, where the host is none', 'a b/c', ['/']],
] as const)
  test(`the document names ${what} as its server`, async () => {
    const head = `GET /v1/openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const answer = await exchange(world.base, head)
    const { servers: named } = JSON.parse(Buffer.from(answer?.body ?? '', 'latin1').toString()) as Named
    assert.deepEqual(each(named, 'url'), servers)
  })

interface Named {
  readonly servers: readonly { readonly url: string }[]
}

test('the document is the same, but not compressed, for more hosts than a service has', async () => {
  const asked = (host: number) => {
    const head = `GET /v1/openapi.json HTTP/1.1\r\nHost: h${host}.example\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n`
    return exchange(world.base, head)
  }
  const codings = new Set<string | undefined>()
  for (let host = 0; host < 20; host++) codings.add((await asked(host))?.headers.get('content-encoding'))
  assert.deepEqual([...codings], ['gzip', undefined])
})
