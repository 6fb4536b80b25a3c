import { givenId } from '#/formats/mime/header/given-id.ts'
import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'
import type { MailSource } from '#/out/relay/servers.ts'
import { DeliveryFailure } from './delivery-failure.ts'
import { type Limits, patience } from './limits.ts'
import { anySource, openFrom } from './open-from.ts'
import { deliverBy } from './smtp-client/deliver.ts'
import type { Peer, SmtpClient } from './smtp-client/smtp-client.ts'
import { SmtpClientPool } from './smtp-client/smtp-client-pool.ts'

export interface SmarthostOptions {
  readonly peer: Peer
  /** Our name in EHLO. */
  readonly name: string
  /** By default the system chooses. */
  readonly source?: MailSource
  readonly limits?: Limits
  /** Concurrent connections. */
  readonly most?: number
  /** Milliseconds that an idle connection is kept. */
  readonly idle?: number
}

/** Delivers all mail through one submission server or relay (RFC 6409), over pooled connections. */
export class SmarthostRelay implements Relay {
  readonly #options: SmarthostOptions
  readonly #limits: Limits
  readonly #pool: SmtpClientPool
  readonly #route: string

  constructor(options: SmarthostOptions) {
    const { peer, limits = patience, most = 20, idle = 30_000 } = options
    this.#options = options
    this.#limits = limits
    this.#route = `${peer.host}:${peer.port}`
    // Many servers close the connection after some hundred messages.
    this.#pool = new SmtpClientPool({ most, idle, mostIdle: most, messages: 100 })
  }

  routeOf(_recipient: string): string {
    return this.#route
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<readonly Outcome[]> {
    const route = { key: this.#route, open: (stop: AbortSignal) => this.#open(stop) }
    const outcomes = await deliverBy(this.#pool, route, delivery, signal, this.#limits.whole)
    return outcomes.map((outcome) => named(this.#options.peer.host, outcome))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  async #open(signal: AbortSignal): Promise<SmtpClient> {
    const { peer, name, source = anySource } = this.#options
    try {
      return await openFrom(source, peer, { name, limits: this.#limits, signal })
    } catch (error) {
      throw error instanceof DeliveryFailure ? temporary(error) : error
    }
  }
}

/** Only a relay is asked, which the operator has chosen. A recipient's server could name any id. */
function named(host: string, outcome: Outcome): Outcome {
  const id = outcome.result === 'delivered' && outcome.reply !== null ? givenId(host, outcome.reply) : undefined
  return id === undefined ? outcome : { ...outcome, givenId: id }
}

/** A relay that refuses the session, for a wrong password say, has not refused the message: it is retried. */
function temporary(failure: DeliveryFailure): DeliveryFailure {
  if (failure.result === 'deferred') return failure
  const { status, message, reply, host } = failure
  return new DeliveryFailure(`4${status.slice(1)}`, message, { reply, host, cause: failure })
}
