import { Agent, request as ask } from 'node:http'
import { doLoad } from './load.ts'

/** What the load of sending does: `messages` POST /v1/send at once, each with so many octets attached, and meanwhile
 *  GET /v1/labels at a steady pace, whatever becomes of those before; at least `requests` of them. */
export interface SendWork {
  readonly port: number
  /** That the small requests have in turns: each may ask 600 times a minute. */
  readonly keys: readonly string[]
  readonly from: string
  readonly messages: number
  readonly octets: number
  readonly requests: number
}

export interface SendResult {
  /** Of each message, in milliseconds. */
  readonly messages: readonly number[]
  /** Of each small request, in milliseconds. */
  readonly requests: readonly number[]
}

/** Between two small requests, in milliseconds. */
const pace = 10

async function run({ port, keys, from, messages, octets, requests }: SendWork): Promise<SendResult> {
  using resources = new DisposableStack()
  const agent = resources.adopt(new Agent({ keepAlive: true }), (agent) => agent.destroy())
  const timed = async (key: string, method: string, path: string, body?: Buffer) => {
    const start = performance.now()
    await answered({ agent, port, method, path, key }, body)
    return performance.now() - start
  }
  const [key = ''] = keys
  const attachments = [{ filename: 'a.bin', content: Buffer.alloc(octets, 'Mailroom ').toString('base64') }]
  const body = Buffer.from(JSON.stringify({ from, to: 'bob@there.example', text: 'Hello', attachments }))
  let over = false
  const sent = Promise.all(Array.from({ length: messages }, () => timed(key, 'POST', '/v1/send', body))).finally(() => {
    over = true
  })
  const others: Promise<number>[] = []
  const enough = Promise.withResolvers<void>()
  const timer = setInterval(() => {
    if (over && others.length >= requests) return enough.resolve()
    others.push(timed(keys[others.length % keys.length] ?? '', 'GET', '/v1/labels'))
  }, pace)
  await Promise.all([sent, enough.promise]).finally(() => clearInterval(timer))
  return { messages: await sent, requests: await Promise.all(others) }
}

interface Ask {
  readonly agent: Agent
  readonly port: number
  readonly method: string
  readonly path: string
  readonly key: string
}

/** Rejects where it is refused. */
function answered({ agent, port, method, path, key }: Ask, body?: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
  }
  ask({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
    const { statusCode = 0 } = response
    response.resume()
    response.on('end', () => (statusCode < 300 ? resolve() : reject(new Error(`${method} ${path}: ${statusCode}`))))
  })
    .on('error', reject)
    .end(body)
  return promise
}

doLoad(run)
