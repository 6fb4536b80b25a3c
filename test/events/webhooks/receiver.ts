import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { Webhook } from 'standardwebhooks'

/** A received request. */
export interface Received {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it, field by field
  readonly content: any
  /** Of an event about an item. */
  readonly name: string
}

/** How a receiver answers; without an answer it is 204. */
export type Answers = (received: Received, response: ServerResponse) => void | Promise<void>

/** A receiver of webhooks that keeps what it gets. */
export class Receiver implements AsyncDisposable {
  readonly all: Received[] = []
  /** Those that it answered with 204. */
  readonly taken: Received[] = []
  answers: Answers | undefined
  readonly #server: Server
  readonly #waiting = new Set<() => void>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      const content = JSON.parse(body)
      const received = {
        ...{ id: String(request.headers['webhook-id']), headers: request.headers, body, content },
        name: content.data.item?.name ?? '',
      }
      this.all.push(received)
      await this.answers?.(received, response)
      if (!response.writableEnded && !this.answers) response.writeHead(204).end()
      if (response.statusCode === 204) this.taken.push(received)
      for (const look of this.#waiting) look()
    })
  }

  static async start(port = 0): Promise<Receiver> {
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    return new Receiver(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`
  }

  /** Resolves once what was received is enough. */
  async until(enough: (receiver: this) => boolean): Promise<void> {
    if (enough(this)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => enough(this) && resolve()
    this.#waiting.add(look)
    await promise
    this.#waiting.delete(look)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Whether the library of Standard Webhooks accepts a request under a secret, when that comes. */
export function isGenuine({ headers, body }: Received, secret: string): boolean {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const clock = mock.method(Date, 'now', () => Number(headers['webhook-timestamp']) * 1_000)
  try {
    new Webhook(secret).verify(body, named)
    return true
  } catch {
    return false
  } finally {
    clock.mock.restore()
  }
}
