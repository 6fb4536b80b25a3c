type Notified = (text?: string) => void

interface Shared {
  readonly listener: AsyncDisposable
  readonly listening: Set<Notified>
}

/** Listens to a channel, as a `Listener`. */
type Listen = (channel: string, notified: Notified) => AsyncDisposable

/** One connection for each channel of a server, whoever in this process listens to it. */
export class SharedListeners {
  readonly #listen: Listen
  readonly #shared = new Map<string, Shared>()

  constructor(listen: Listen) {
    this.#listen = listen
  }

  /** Each who begins to listen is notified once, since it has missed what came before. */
  listen(channel: string, notified: Notified): AsyncDisposable {
    // The same function may listen twice.
    const own: Notified = (text) => notified(text)
    const shared = this.#shared.get(channel)
    if (shared) {
      shared.listening.add(own)
      queueMicrotask(() => shared.listening.has(own) && own())
    } else this.#begin(channel, own)
    return { [Symbol.asyncDispose]: () => this.#end(channel, own) }
  }

  #begin(channel: string, first: Notified): void {
    const listening = new Set([first])
    const listener = this.#listen(channel, (text) => {
      for (const notified of listening) notified(text)
    })
    this.#shared.set(channel, { listener, listening })
  }

  async #end(channel: string, own: Notified): Promise<void> {
    const shared = this.#shared.get(channel)
    if (!shared?.listening.delete(own) || shared.listening.size > 0) return
    this.#shared.delete(channel)
    await shared.listener[Symbol.asyncDispose]()
  }
}
