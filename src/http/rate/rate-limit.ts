import QuickLRU from 'quick-lru'

/** The rest of a quota. `resetSeconds` is the time until the oldest request leaves the window. */
export interface Allowance {
  readonly allowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

/** Times of the last requests; the oldest is at `next`. */
interface Ring {
  readonly times: Float64Array
  next: number
}

/**
 * An exact sliding window: at most `quota` requests in any `windowMs`, without bursts at the edge of a minute. It keeps
 * a ring of so many times for each caller, of the `maxCallers` most recent ones. Refused requests do not count.
 */
export class SlidingWindow {
  readonly #quota: number
  readonly #windowMs: number
  readonly #callers: QuickLRU<string, Ring>

  constructor({ quota, windowMs, maxCallers }: { quota: number; windowMs: number; maxCallers: number }) {
    this.#quota = quota
    this.#windowMs = windowMs
    this.#callers = new QuickLRU({ maxSize: maxCallers })
  }

  /** Counts a request at `now` (milliseconds) if it is allowed. A caller may have a quota of its own, always the same. */
  consume(caller: string, now: number, quota = this.#quota): Allowance {
    const ring = this.#ring(caller, quota)
    const oldest = this.#at(ring, 0)
    if (oldest > now - this.#windowMs) return { allowed: false, remaining: 0, resetSeconds: this.#seconds(oldest, now) }
    ring.times[ring.next] = now
    ring.next = (ring.next + 1) % quota
    const live = this.#firstLive(ring, now)
    return { allowed: true, remaining: live, resetSeconds: this.#seconds(this.#at(ring, live), now) }
  }

  /** Whether a request of the caller would be refused at `now`. */
  isOver(caller: string, now: number): boolean {
    const ring = this.#callers.get(caller)
    return ring !== undefined && this.#at(ring, 0) > now - this.#windowMs
  }

  /** Undoes the last `consume` of the caller. */
  refund(caller: string): void {
    const ring = this.#callers.get(caller)
    if (!ring) return
    ring.next = (ring.next + ring.times.length - 1) % ring.times.length
    ring.times[ring.next] = Number.NEGATIVE_INFINITY
  }

  #ring(caller: string, quota: number): Ring {
    const known = this.#callers.get(caller)
    if (known) return known
    const ring = { times: new Float64Array(quota).fill(Number.NEGATIVE_INFINITY), next: 0 }
    this.#callers.set(caller, ring)
    return ring
  }

  /** The `index`-th oldest time in the ring. */
  #at(ring: Ring, index: number): number {
    return ring.times[(ring.next + index) % ring.times.length] ?? Number.NEGATIVE_INFINITY
  }

  /** How many of the ring's times lie before the window; they are in order, so by bisection. */
  #firstLive(ring: Ring, now: number): number {
    let low = 0
    let high = ring.times.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#at(ring, middle) > now - this.#windowMs) high = middle
      else low = middle + 1
    }
    return low
  }

  #seconds(oldest: number, now: number): number {
    return Math.max(1, Math.ceil((oldest + this.#windowMs - now) / 1000))
  }
}
