import type { Logger } from 'pino'
import type { Db } from '#/base/db/schema.ts'
import { clientNetwork } from '#/base/network/ip-address.ts'
import { type Actor, byService } from './actor.ts'
import { record } from './record.ts'

const everyMinute = 60_000

/** Networks whose refusals are counted in a minute; those of others are not in the trail. */
const mostNetworks = 100

export interface RefusedRequest {
  /** Undefined if no key was identified. */
  readonly by?: { readonly organizationId: string; readonly actor: Actor }
  readonly address: string
  /** Method and path, without what a client fills in. */
  readonly route: string
}

/** Counts refused requests, and writes one entry a minute for each organization and client network. */
export class Refusals implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Logger
  readonly #counted = new Map<string, RefusedRequest & { requests: number }>()
  readonly #timer: NodeJS.Timeout

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
    this.#timer = setInterval(() => void this.write(), everyMinute)
    this.#timer.unref()
  }

  count(request: RefusedRequest): void {
    const key = `${request.by?.organizationId ?? ''} ${clientNetwork(request.address)}`
    const counted = this.#counted.get(key)
    if (counted) counted.requests += 1
    else if (this.#counted.size < mostNetworks) this.#counted.set(key, { ...request, requests: 1 })
  }

  /** Writes what has been counted, and never rejects. Each entry has the first request of its minute. */
  async write(): Promise<void> {
    const counted = [...this.#counted.values()]
    this.#counted.clear()
    for (const { by, address, route, requests } of counted) {
      const entry = {
        organizationId: by?.organizationId ?? null,
        action: by ? 'request.forbidden' : 'request.unauthorized',
        name: route,
        before: null,
        after: { requests },
      } as const
      const actor = by?.actor ?? { ...byService, address }
      // One by one: a deleted organization must not prevent the entries of others.
      await this.#db
        .transaction()
        .execute((tx) => record(tx, actor, entry))
        .catch((err) => this.#log.error({ err }, 'refused requests are missing in the audit trail'))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.write()
  }
}
