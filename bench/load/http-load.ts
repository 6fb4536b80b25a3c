import { connect } from 'node:net'
import { doLoad } from './load.ts'

/** What the HTTP load does: `requests` requests, those of `asks` in turns, over connections that stay open. */
export interface HttpWork {
  readonly port: number
  readonly connections: number
  readonly requests: number
  readonly asks: readonly Ask[]
}

export interface Ask {
  readonly method?: string
  readonly path: string
  readonly key?: string | undefined
  /** Of a member's session. */
  readonly cookie?: string
  readonly body?: unknown
}

export interface HttpResult {
  readonly ms: number
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<string, number>>
  /** Of each request, in the order in which they began, in milliseconds. */
  readonly times: readonly number[]
  /** What the last request was answered, where that is short. */
  readonly body: string
}

/** In bytes; to take over what is longer would keep the server's process from its work. */
const longestBody = 256 * 1024

async function run({ port, connections, requests, asks }: HttpWork): Promise<HttpResult> {
  const texts = asks.map(requestText)
  const statuses: Record<string, number> = {}
  const times: number[] = []
  let begun = 0
  let body = ''
  const client = async () => {
    await using connection = new Connection(port)
    while (begun < requests) {
      const number = begun++
      const start = performance.now()
      const answer = await connection.ask(texts[number % texts.length] ?? '')
      times[number] = performance.now() - start
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      if (number === requests - 1 && answer.body.length < longestBody) body = answer.body.toString()
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, client))
  return { ms: performance.now() - start, statuses, times, body }
}

function requestText({ method = 'GET', path, key, cookie, body }: Ask): string {
  const content = body === undefined ? '' : JSON.stringify(body)
  const headers = ['Host: 127.0.0.1']
  if (key !== undefined) headers.push(`Authorization: Bearer ${key}`)
  if (cookie !== undefined) headers.push(`Cookie: ${cookie}`)
  if (content) headers.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`)
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${content}`
}

/** One connection, one request at a time, answers with a Content-Length alone: a tenth of what node:http's client takes. */
class Connection implements AsyncDisposable {
  readonly #socket
  #chunks: Buffer[] = []
  #length = 0
  #wanted = 0
  #answered: PromiseWithResolvers<{ status: string; body: Buffer }> | undefined

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('data', (chunk) => this.#take(chunk))
    this.#socket.on('error', (error) => this.#answered?.reject(error))
    this.#socket.on('close', () => this.#answered?.reject(new Error('the server hung up')))
  }

  ask(request: string): Promise<{ status: string; body: Buffer }> {
    this.#answered = Promise.withResolvers()
    this.#socket.write(request)
    return this.#answered.promise
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#wanted) return
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    this.#chunks = [all]
    const headEnd = all.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = all.toString('latin1', 0, headEnd)
    const [, content = ''] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
    this.#wanted = headEnd + 4 + Number(content)
    if (this.#length < this.#wanted) return
    this.#chunks = []
    this.#length = 0
    this.#wanted = 0
    this.#answered?.resolve({ status: head.slice(9, 12), body: all.subarray(headEnd + 4) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#answered = undefined
    this.#socket.destroy()
  }
}

doLoad(run)
