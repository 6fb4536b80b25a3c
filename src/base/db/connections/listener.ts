import pg from 'pg'

/** Milliseconds from the loss of a connection to the next one. */
const againAfter = 1_000

/** Receives the notifications of a channel of a server (LISTEN), on a connection of its own, which it reopens when lost. It
 *  misses notifications meanwhile, so it also calls `notified`, without a text, whenever it starts to listen. */
export class Listener implements AsyncDisposable {
  readonly #config: pg.ClientConfig
  readonly #channel: string
  readonly #notified: (text?: string) => void
  #client: pg.Client | undefined
  #again: NodeJS.Timeout | undefined
  #ended = false

  constructor(config: pg.ClientConfig, channel: string, notified: (text?: string) => void) {
    this.#config = config
    this.#channel = channel
    this.#notified = notified
    this.#connect()
  }

  #connect(): void {
    const client = new pg.Client(this.#config)
    this.#client = client
    const lost = () => {
      if (this.#client !== client || this.#ended) return
      this.#client = undefined
      this.#again = setTimeout(() => this.#connect(), againAfter)
      this.#again.unref()
      client.end().catch(() => {})
    }
    client
      .on('error', lost)
      .on('end', lost)
      .on('notification', ({ payload }) => this.#notified(payload))
    client
      .connect()
      .then(() => client.query(`listen ${this.#channel}`))
      .then(() => this.#notified(), lost)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true
    clearTimeout(this.#again)
    await this.#client?.end().catch(() => {})
  }
}
