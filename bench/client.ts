import type { Ask, HttpResult, HttpWork } from './http-load.ts'
import { Load } from './load.ts'

/** Asks with one key over one connection, out of a process of its own. */
export class Client implements AsyncDisposable {
  readonly #load = new Load<HttpWork, HttpResult>('http-load.ts')
  readonly #port: number
  readonly #key: string

  constructor(base: string, key: string) {
    this.#port = Number(new URL(base).port)
    this.#key = key
  }

  /** Asks in turns, `requests` times in all. Throws where one is refused. */
  async ask(requests: number, asks: readonly Ask[]): Promise<HttpResult> {
    const withKey = asks.map((one) => ({ ...one, key: this.#key }))
    const result = await this.#load.run({ port: this.#port, connections: 1, requests, asks: withKey })
    const refused = Object.keys(result.statuses).find((status) => !status.startsWith('2'))
    if (refused) throw new Error(`${asks.map(({ path }) => path)}: ${refused} ${result.body}`)
    return result
  }

  // biome-ignore lint/suspicious/noExplicitAny: a bench knows what it asked for
  async json(path: string): Promise<any> {
    return JSON.parse((await this.ask(1, [{ path }])).body)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#load[Symbol.asyncDispose]()
  }
}
