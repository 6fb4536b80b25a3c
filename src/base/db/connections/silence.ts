import type pg from 'pg'

/** How often a silent server is noticed and asked, in milliseconds. */
export const lookEvery = 500
/** So many times in a row nobody who waited has heard of the server. */
export const mostQuiet = 8
/** How long it then has to accept a connection, in milliseconds. A request that waits for it fails within 10 s with all of this. */
export const answersWithin = 3_000
/** How long a server has to abort a statement at its limit, in milliseconds, before the connection is cut: its disk may hang. */
export const abortsWithin = 1_000

export interface Server {
  /** Whether it accepts a connection, in time. Never rejects. */
  readonly answers: () => Promise<boolean>
  /** Ends all connections, and each new one from now on. */
  readonly cut: () => void
  /** Lets there be connections again. */
  readonly heal: () => void
}

/**
 * Notices a server that is frozen or out of reach, before any limit on statements. If somebody waits and nobody hears of it for 4 s, it is
 * asked for another connection. If it accepts none, all that wait for it fail, and whoever asks next fails at once, until it accepts one.
 * A server that answers others aborts a statement that hangs alone, at its limit.
 */
export class Silence implements Disposable {
  readonly #server: Server
  readonly #looking: NodeJS.Timeout
  #waiting = 0
  #heard = false
  #quiet = 0
  #asking: Promise<void> | undefined
  #isAway = false

  constructor(server: Server) {
    this.#server = server
    this.#looking = setInterval(() => this.#look(), lookEvery)
    this.#looking.unref()
  }

  /** A connection, or its turn to have one. */
  async connecting<T>(connected: Promise<T>): Promise<T> {
    this.#waiting++
    try {
      return await connected
    } finally {
      this.#waiting--
    }
  }

  /** The reply to a statement with a limit. If the server does not keep the limit, the connection is cut, with all that waits on it. */
  async answer<T>(client: pg.Client, answer: Promise<T>, limit: number): Promise<T> {
    const timer = setTimeout(() => client.connection.stream.destroy(), limit + abortsWithin)
    try {
      return await this.connecting(answer)
    } finally {
      this.#heard = true
      clearTimeout(timer)
    }
  }

  /** Asks the server whether it answers, unless it is being asked. If it does not, all connections are cut until it does. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    const isAway = !(await this.#server.answers())
    this.#quiet = 0
    if (isAway === this.#isAway) return
    this.#isAway = isAway
    if (isAway) this.#server.cut()
    else this.#server.heal()
  }

  #look(): void {
    this.#quiet = this.#heard || this.#waiting === 0 ? 0 : this.#quiet + 1
    this.#heard = false
    if (this.#isAway || this.#quiet >= mostQuiet) void this.ask()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#looking)
  }
}
