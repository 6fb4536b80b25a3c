import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { generateKey } from '#/people/keys/api-key.ts'
import { World } from '#test/world/world.ts'

/** A service, the lines that it logs, and requests to it with headers that a proxy writes, or that say they were. */
async function start(env: Record<string, string>) {
  const lines: Record<string, unknown>[] = []
  let logged = Promise.withResolvers<void>()
  const log = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      logged.resolve()
      done()
    },
  })
  const world = await World.start({ env, log })
  const ask = async (headers: Record<string, string>, path = '/v1/usage') => {
    const response = await fetch(`http://127.0.0.1:${new URL(world.base).port}${path}`, {
      headers: { authorization: `Bearer ${generateKey()}`, ...headers },
    })
    return { status: response.status, text: await response.text(), id: response.headers.get('x-request-id') }
  }
  /** How many of so many requests with an invalid key are refused for their number. */
  const refused = async (times: number, headersOf: (index: number) => Record<string, string>) => {
    const answers = await Promise.all(Array.from({ length: times }, (_, index) => ask(headersOf(index))))
    return answers.filter(({ status }) => status === 429).length
  }
  /** Whose the request was, by the log. */
  const clientIn = async (id: string | null | undefined) => {
    const written = () => lines.find((one) => one.msg === 'request' && one.request_id === id)
    // The line is written behind the answer.
    for (; !written(); await logged.promise) logged = Promise.withResolvers()
    return written()?.client
  }
  const clientOf = async (headers: Record<string, string>) => clientIn((await ask(headers)).id)
  return { world, lines, ask, refused, clientIn, clientOf, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const from = (address: string) => ({ 'X-Forwarded-For': address })

test('without trusted proxies no header changes who the client is', async () => {
  await using service = await start({})
  const { refused, clientOf } = service
  assert.equal(await refused(601, (index) => from(`198.51.100.${index % 250}`)), 1)
  for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Client-IP', 'Via'])
    assert.equal(await clientOf({ [header]: header === 'Forwarded' ? 'for=192.0.2.1' : '192.0.2.1' }), '127.0.0.1')
})

test('behind a trusted proxy each client counts for itself, whatever it sends, and its network opens a key', async () => {
  await using service = await start({ MAILROOM_TRUSTED_PROXIES: 'loopback' })
  const { refused } = service
  assert.equal(await refused(601, (index) => from(`198.51.100.${index % 250}, 192.0.2.1`)), 1)
  assert.equal(await refused(1, () => from('192.0.2.1')), 1)
  assert.equal(await refused(1, () => from('192.0.2.2')), 0)
  assert.equal(await refused(1, () => ({})), 0)
  const organization = await service.world.organization()
  const authorization = `Bearer ${await organization.restrictedKey({ networks: ['192.0.2.0/24'] })}`
  for (const [client, status] of [
    ['::ffff:192.0.2.7', 200],
    ['192.0.2.7, 198.51.100.1', 401],
  ] as const)
    assert.equal((await service.ask({ ...from(client), authorization })).status, status, client)
})

for (const host of ['127.0.0.1', '::'])
  test(`the log names the client behind a trusted proxy, on a listener at ${host}`, async () => {
    await using service = await start({ HOST: host, MAILROOM_TRUSTED_PROXIES: 'loopback' })
    assert.equal(await service.clientOf(from('198.51.100.7, 192.0.2.3')), '192.0.2.3')
    assert.equal(await service.clientOf({}), '127.0.0.1')
    assert.ok(!service.lines.some(({ level }) => level === 40))
  })

test('the description names the public URL first, then where it came from, each with its origin', async () => {
  const urls = async (env: Record<string, string>) => {
    await using service = await start(env)
    const { host } = new URL(service.world.base)
    const asked = [{}, { 'X-Forwarded-Proto': 'https' }].map(async (headers) => {
      const { servers } = JSON.parse((await service.ask(headers, '/v1/openapi.json')).text)
      return servers.map(({ url }: { url: string }) => url.replace(host, 'here'))
    })
    return await Promise.all(asked)
  }
  assert.deepEqual(await urls({}), [['http://here'], ['https://here']])
  const named = 'https://mail.example.com'
  assert.deepEqual(await urls({ MAILROOM_PUBLIC_URL: named }), [
    [named, 'http://here'],
    [named, 'https://here'],
  ])
})
