import { scopes } from '#/http/access/scopes.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Ask, HttpResult, HttpWork } from './http-load.ts'
import { Load } from './load.ts'

/** A key has 600 requests a minute. */
const mostOfOneKey = 500

/** A client of an organization over one connection, in its own process, with as many keys as its rate requires. */
export class Client implements AsyncDisposable {
  readonly #load = new Load<HttpWork, HttpResult>('http-load.ts')
  readonly #port: number
  readonly #newKey: () => Promise<string>
  #keys: readonly string[] = ['']
  /** How many requests each of these keys is good for. */
  #left = 0

  constructor(organization: TestOrganization) {
    this.#port = Number(new URL(organization.world.base).port)
    this.#newKey = () => organization.newKey(...scopes)
  }

  /** Asks in turns, `requests` times in all. Throws where one is refused. */
  async ask(requests: number, asks: readonly Ask[]): Promise<HttpResult> {
    const keys = await this.#keysFor(requests)
    const withKeys = keys.flatMap((key) => asks.map((one) => ({ ...one, key })))
    const result = await this.#load.run({ port: this.#port, connections: 1, requests, asks: withKeys })
    const refused = Object.keys(result.statuses).find((status) => !status.startsWith('2'))
    if (refused) throw new Error(`${asks.map(({ path }) => path)}: ${refused} ${result.body}`)
    return result
  }

  // biome-ignore lint/suspicious/noExplicitAny: a bench knows what it asked for
  async json(path: string): Promise<any> {
    return JSON.parse((await this.ask(1, [{ path }])).body)
  }

  async #keysFor(requests: number): Promise<readonly string[]> {
    if (requests > this.#left * this.#keys.length) {
      this.#keys = await Promise.all(Array.from({ length: Math.ceil(requests / mostOfOneKey) }, this.#newKey))
      this.#left = mostOfOneKey
    }
    this.#left -= Math.ceil(requests / this.#keys.length)
    return this.#keys
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#load[Symbol.asyncDispose]()
  }
}
