import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'
import { carry } from './carry.ts'
import { type Limits, patience } from './limits.ts'
import { type Peer, Session } from './session.ts'
import { SessionPool } from './session-pool.ts'
import { Trouble } from './trouble.ts'

export interface SmarthostOptions {
  readonly peer: Peer
  /** The name that we say EHLO with. */
  readonly name: string
  readonly limits?: Limits
  /** Connections at a time. */
  readonly most?: number
  /** Milliseconds that a connection is kept without a message. */
  readonly idle?: number
}

/** Hands everything to one submission server or relay (RFC 6409), over connections that are kept. */
export class SmarthostRelay implements Relay {
  readonly #options: SmarthostOptions
  readonly #limits: Limits
  readonly #pool: SessionPool
  readonly #route: string

  constructor(options: SmarthostOptions) {
    const { peer, limits = patience, most = 20, idle = 30_000 } = options
    this.#options = options
    this.#limits = limits
    this.#route = `${peer.host}:${peer.port}`
    // Many servers hang up after some hundred messages; we go before they do.
    this.#pool = new SessionPool({ most, idle, mostIdle: most, messages: 100 })
  }

  routeOf(_recipient: string): string {
    return this.#route
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<readonly Outcome[]> {
    const way = { key: this.#route, open: (stop: AbortSignal) => this.#open(stop) }
    return carry(this.#pool, way, delivery, signal, this.#limits.whole)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  async #open(signal: AbortSignal): Promise<Session> {
    const { peer, name } = this.#options
    try {
      return await Session.open(peer, { name, limits: this.#limits, signal })
    } catch (error) {
      throw error instanceof Trouble ? temporary(error) : error
    }
  }
}

/** A relay that turns us away, by a wrong password say, tells nothing of the message: once the operator has seen to it,
 *  it goes. */
function temporary(trouble: Trouble): Trouble {
  if (trouble.result === 'deferred') return trouble
  const { status, message, reply, host } = trouble
  return new Trouble(`4${status.slice(1)}`, message, { reply, host, cause: trouble })
}
