import type { Attempt } from './attempt.ts'

/** The most concurrent requests to one receiver. */
const widest = 32
/** A response that takes longer is slow, in milliseconds. */
const slowMs = 1_000

/** Concurrent requests of all webhooks, beyond the first of each: each needs a connection. */
export class Extra {
  #free: number

  constructor(most: number) {
    this.#free = most
  }

  take(): boolean {
    if (this.#free === 0) return false
    this.#free -= 1
    return true
  }

  giveBack(): void {
    this.#free += 1
  }
}

/** Adapts the concurrent requests to a receiver: doubled while responses are fast, halved once they are slow. */
export class Pace {
  #width = 4
  #inHand = 0
  #quick = 0
  readonly #waiting: (() => void)[] = []
  readonly #extra: Extra

  constructor(extra: Extra) {
    this.#extra = extra
  }

  /** Events in a round: many if rounds are short, to share their cost; few if they are long, since until the end of a round
   *  its results are not visible, and its rights are those at its beginning. */
  get most(): number {
    return this.#width ** 2
  }

  /** Runs a request as soon as there is room for it. */
  async run<T>(request: () => Promise<T>): Promise<T> {
    while (!this.#enter()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await request()
    } finally {
      this.#inHand -= 1
      if (this.#inHand > 0) this.#extra.giveBack()
      for (const next of this.#waiting.splice(0, this.#width - this.#inHand)) next()
    }
  }

  /** The first request always has room: no receiver waits for another one. Each waiting request follows a running one, whose
   *  end wakes it. */
  #enter(): boolean {
    if (this.#inHand >= this.#width || (this.#inHand > 0 && !this.#extra.take())) return false
    this.#inHand += 1
    return true
  }

  learn({ delivered, milliseconds }: Attempt): void {
    if (!delivered || milliseconds > slowMs) {
      this.#width = Math.max(1, Math.floor(this.#width / 2))
      this.#quick = 0
    } else {
      this.#quick += 1
      if (this.#quick < this.#width) return
      this.#width = Math.min(widest, this.#width * 2)
      this.#quick = 0
    }
  }
}
