import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core'
import { eventTypes } from '#/base/event-log/types.ts'
import { each } from '#test/world/each.ts'
import { ForgedProvider } from '#test/world/identity/forged-provider.ts'
import { everyOperation } from '#test/world/routes/every-route.ts'
import type { Description } from '#test/world/sockets/http-client.ts'
import { exchange } from '#test/world/sockets/raw-http.ts'
import { World } from '#test/world/world.ts'

// On one database: the document is made without a database.

const world = await World.ofFile()

test('the OpenAPI document is 3.1 and a public linter finds nothing wrong with it', async () => {
  const text = await world.client.document()
  assert.match(JSON.parse(text).openapi, /^3\.1\./)
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'no-server-example.com': 'off' } })
  const document = makeDocumentFromString(text, 'openapi.json')
  const problems = await lintDocument({ document, config, externalRefResolver: new BaseResolver() })
  const said = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)
  assert.deepEqual(said, [])
})

test('every operation says its scope, its summary and its errors', async () => {
  for (const { name, operation } of await everyOperation(world)) {
    assert.ok(operation['x-required-scope'], name)
    for (const status of ['400', '401', '403', '429', '500'])
      assert.ok(operation.responses[status], `${name} ${status}`)
  }
})

test('bodies, answers and errors are components, and an operation takes a key or a session, never both', async () => {
  const { paths } = JSON.parse(await world.client.document()) as Raw
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { requestBody, responses, security }] of Object.entries(operations)) {
      const name = `${method} ${path}`
      assert.ok(security.length <= 1 && security.every((one) => Object.keys(one).length === 1), name)
      for (const [status, one] of Object.entries(responses))
        assert.equal(
          one.$ref?.startsWith('#/components/responses/') ?? false,
          Number(status) >= 400,
          `${name} ${status}`,
        )
      for (const { content } of [requestBody ?? {}, ...Object.values(responses)]) {
        const media = content?.['application/json']
        if (media) assert.match(media.schema.$ref ?? '', /^#\/components\/schemas\//, name)
      }
    }
})

test('each type of event is one of those that the document tells apart, and what webhooks post has them', async () => {
  const { components, webhooks } = JSON.parse(await world.client.document()) as Raw
  const { discriminator, oneOf } = components.schemas.Event ?? {}
  assert.deepEqual(Object.keys(discriminator?.mapping ?? {}), eventTypes)
  for (const [type, ref] of Object.entries(discriminator?.mapping ?? {})) {
    assert.ok(oneOf?.some(({ $ref }) => $ref === ref))
    const variant = components.schemas[ref.replace(/^.*\//, '')]
    assert.ok(variant?.properties?.type?.enum?.includes(type), type)
  }
  const { schema } = webhooks.event?.post?.requestBody?.content?.['application/json'] ?? {}
  assert.equal(schema?.$ref, '#/components/schemas/PostedEvent')
  assert.deepEqual(components.schemas.PostedEvent?.properties?.data, { $ref: '#/components/schemas/Event' })
})

/** Not a list of items: all fields of one message. */
const whole = ['/v1/messages/{uid}/headers']

test('every list answers the cursor of its next page, and takes it and a limit', async () => {
  const { paths, components } = JSON.parse(await world.client.document()) as Raw
  for (const [path, { get }] of Object.entries(paths)) {
    const { $ref = '' } = get?.responses['200']?.content?.['application/json']?.schema ?? {}
    const answer = components.schemas[$ref.replace(/^.*\//, '')]
    const lists = [answer, ...(answer?.anyOf ?? [])].filter((one) => one?.properties?.data)
    if (lists.length === 0 || whole.includes(path)) continue
    for (const list of lists) assert.ok(list?.required?.includes('next_cursor'), path)
    const names = get?.parameters?.map(({ name }) => name) ?? []
    for (const name of ['cursor', 'limit']) assert.ok(names.includes(name), `${path} takes ${name}`)
  }
})

/** Fields that name messages by uids, and those beside them that name the same by ids. */
const byIds: Readonly<Record<string, string>> = { uid: 'id', uids: 'ids' }

test('what names messages by their uids names them by their ids, too, in requests as in answers', async () => {
  const schemas: RawSchema[] = []
  JSON.parse(await world.client.document(), (_, value) => {
    if (value?.properties) schemas.push(value)
    return value
  })
  const named = schemas.flatMap(({ properties = {} }) => {
    return Object.keys(properties).flatMap((name) => (byIds[name] ? [[name, byIds[name] in properties]] : []))
  })
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter(([, isById]) => !isById),
    [],
  )
})

test('events are JSON at one path, and a stream at another', async () => {
  const { paths } = await world.client.description()
  const media = (path: string) => Object.keys(paths[path]?.get?.responses['200']?.content ?? {})
  assert.deepEqual(media('/v1/events'), ['application/json'])
  assert.deepEqual(media('/v1/events/stream'), ['text/event-stream'])
})

interface RawSchema {
  readonly $ref?: string
  readonly enum?: readonly string[]
  readonly properties?: Record<string, RawSchema>
  readonly required?: readonly string[]
  readonly anyOf?: readonly RawSchema[]
  readonly oneOf?: readonly RawSchema[]
  readonly discriminator?: { readonly mapping: Record<string, string> }
}

interface Raw {
  readonly components: { readonly schemas: Record<string, RawSchema> }
  readonly webhooks: Record<string, Record<string, RawOperation>>
  readonly paths: Record<string, Record<string, RawOperation>>
}

interface RawOperation {
  readonly security: readonly object[]
  readonly parameters?: readonly { readonly name?: string }[]
  readonly requestBody?: RawAnswer
  readonly responses: Record<string, RawAnswer>
}

interface RawAnswer {
  readonly $ref?: string
  readonly content?: Record<string, { readonly schema: { readonly $ref?: string } }>
}

test('the operations on one noun are listed together, under its name', async () => {
  const tags = new Map<string, Set<string>>()
  for (const { name, operation, path } of await everyOperation(world)) {
    assert.match(operation.tags.join(), /^[A-Z][a-z -]+$/, name)
    const noun = path.split('/')[2] ?? ''
    tags.set(noun, (tags.get(noun) ?? new Set()).add(operation.tags.join()))
  }
  for (const [noun, names] of tags) assert.equal(names.size, 1, `${noun}: ${[...names]}`)
})

test('the reference page and all that it loads come from us', async () => {
  const page = await fetch(`${world.base}/docs/`)
  assert.equal(page.status, 200)
  const html = await page.text()
  assert.equal(
    page.headers.get('content-security-policy'),
    "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; " +
      "img-src 'self' data:; script-src 'self'; style-src 'self';",
  )
  assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//)
  for (const [, path = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    const part = await fetch(new URL(path, `${world.base}/docs/`))
    await part.arrayBuffer()
    assert.equal(part.status, 200, path)
  }
})

test('a program alive and ready says so', async () => {
  const alive = await fetch(`${world.base}/healthz`)
  assert.deepEqual([alive.status, await alive.json()], [200, { status: 'alive' }])
  const ready = await fetch(`${world.base}/readyz`)
  assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ready', database: 'ok', dns: 'ok' }])
})

// On one database: the document is made without a database.

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
