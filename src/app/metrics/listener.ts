import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from './metrics.ts'

/** Serves metrics at `/metrics`, on an address of its own, since only the operator may see them. */
export class MetricsListener implements AsyncDisposable {
  readonly #metrics: Metrics
  readonly #server: Server

  constructor(metrics: Metrics) {
    this.#metrics = metrics
    this.#server = createServer(({ method, url }, response) => {
      const [path] = (url ?? '').split('?')
      if (path !== '/metrics') answer(response, 404, 'text/plain', 'Not found: see /metrics\n')
      else if (method !== 'GET' && method !== 'HEAD')
        answer(response, 405, 'text/plain', 'Method not allowed: use GET\n')
      else void this.#give(response)
    })
  }

  /** Port 0 is any free port. */
  async listen(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port })
    await once(this.#server, 'listening')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async #give(response: ServerResponse): Promise<void> {
    try {
      const { type, body } = await this.#metrics.text()
      answer(response, 200, type, body)
    } catch {
      answer(response, 500, 'text/plain', 'The metrics could not be read\n')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type }).end(body)
}
