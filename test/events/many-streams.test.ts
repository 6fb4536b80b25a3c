// In a process of its own: it holds five thousand sockets.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { afterFile } from '#test/world/of-file.ts'
import { nextRequest } from '#test/world/sockets/next-request.ts'
import { World } from '#test/world/world.ts'

/** Half of those of a process (docs/reference/http.md). */
const streams = 2_500
/** Opened at the same time. */
const together = 100
/** A little less than a key's rate. */
const asksOfKey = 550

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
const world = await World.ofFile()
const organization = await world.organization()
afterFile(() => agent.destroy())

interface Opened {
  readonly request: ClientRequest
  readonly response: IncomingMessage
}

async function open(key: string): Promise<Opened> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const request = get(new URL('/v1/events?after=now&types=label', world.base), { agent, headers })
  request.on('error', () => {})
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { request, response }
}

/** Resolves with the name of the label in a stream's first event. */
function nameIn({ response }: Opened): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    const [, data] = /^data: (.*)$/m.exec(text) ?? []
    if (data !== undefined) resolve(JSON.parse(data).item.name)
  })
  return promise
}

test('an organization has 2,500 streams of a process, and one more once one has ended; another has its own', async () => {
  const keys: string[] = []
  while (keys.length * asksOfKey < streams + 100) keys.push(await organization.newKey('events:read', 'labels:read'))
  let asked = 0
  const key = () => keys[Math.floor(asked++ / asksOfKey)] ?? ''
  const firstCame = nextRequest()
  const first = await open(key())
  const answerToFirst = await firstCame
  const all = [first]
  while (all.length < streams) {
    const next = Array.from({ length: Math.min(together, streams - all.length) }, () => open(key()))
    all.push(...(await Promise.all(next)))
  }
  assert.deepEqual(new Set(all.map(({ response }) => response.statusCode)), new Set([200]))
  const heard = Promise.all(all.map(nameIn))

  const refused = await organization.request('GET', '/v1/events?wait=1', undefined, { key: key() })
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const other = await world.organization()
  const others = await open(other.key)
  assert.equal(others.response.statusCode, 200)
  others.request.destroy()
  assert.equal((await organization.request('POST', '/v1/labels', { name: 'To all' })).status, 201)
  assert.deepEqual(new Set(await heard), new Set(['To all']))

  first.request.destroy()
  await once(answerToFirst, 'close')
  const { request, response } = await open(key())
  request.destroy()
  assert.equal(response.statusCode, 200)
})
