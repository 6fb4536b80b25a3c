import type { Attempt } from './attempt.ts'

/** Requests to one receiver at the same time. */
const widest = 32
/** An answer that takes longer is slow, in milliseconds. */
const slowMs = 1_000

/** Requests of all webhooks together, beyond the first of each: a connection is open for each of them. */
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

/** How many requests a receiver gets at the same time: twice as many while it answers quickly, half as many once it does not. */
export class Pace {
  #width = 4
  #inHand = 0
  #quick = 0
  readonly #waiting: (() => void)[] = []
  readonly #extra: Extra

  constructor(extra: Extra) {
    this.#extra = extra
  }

  /** Events in a round: many where it is over soon, so that what a round costs is shared by them; few where one takes long, since
   *  until its end nobody sees what came of it, and rights are those of its beginning. */
  get most(): number {
    return this.#width ** 2
  }

  /** Runs one request as soon as there is room for it. */
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

  /** There is always room for the first: nobody waits for another receiver. Who waits has one in hand, whose end wakes them. */
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
