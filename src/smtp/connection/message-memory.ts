/** Milliseconds over which a sender's rate is averaged. */
const window = 5_000

/** Memory for the messages that a listener receives. When it is full, the slowest sender is disconnected for a faster one:
 *  otherwise a few senders that start fast and then stall would lock out everyone else until their timeout. */
export class MessageMemory {
  readonly slow: number
  readonly now: () => number
  readonly holders = new Set<MemoryReservation>()
  free: number

  /** @param slow milliseconds: a message may be evicted if it would need longer than this to double in size */
  constructor(octets: number, slow: number, now = () => performance.now()) {
    this.free = octets
    this.slow = slow
    this.now = now
  }

  /** Evicts the slowest holder, if it is slow, and slower than `asking`. */
  evictFor(asking: MemoryReservation): boolean {
    let slowest: MemoryReservation | undefined
    let most = Math.max(this.slow, asking.slowness)
    for (const one of this.holders) {
      const { slowness } = one
      if (one === asking || slowness <= most) continue
      slowest = one
      most = slowness
    }
    slowest?.evict()
    return slowest !== undefined
  }

  /** What would be free if every slow holder were evicted. */
  get evictable(): number {
    let octets = this.free
    for (const { slowness, held } of this.holders) if (slowness > this.slow) octets += held
    return octets
  }
}

/** The part of the memory that one client may use. */
export interface MemoryShare {
  /** What is left of it. */
  readonly free: number
  /** So many octets more are held, or fewer. */
  hold(octets: number): void
}

/** A part of always the same size. */
export class FixedShare implements MemoryShare {
  free: number

  constructor(octets: number) {
    this.free = octets
  }

  hold(octets: number): void {
    this.free -= octets
  }
}

/** The memory that one session holds, for one message after another. */
export class MemoryReservation {
  held = 0
  readonly #memory: MessageMemory
  #share: MemoryShare
  readonly #disconnect: () => void
  /** Octets a millisecond, as a moving average. */
  #rate = 0
  #measuredAt = 0
  #complete = false
  #evicted = false

  /** @param disconnect ends the session */
  constructor(memory: MessageMemory, share: MemoryShare, disconnect: () => void) {
    this.#memory = memory
    this.#share = share
    this.#disconnect = disconnect
  }

  /** Has what is held from now on be another's part. Nothing is held. */
  belongTo(share: MemoryShare): void {
    this.#share = share
  }

  /** Whether a message of that size might fit. */
  fits(octets: number): boolean {
    const memory = this.#memory
    return octets <= this.#share.free && (octets <= memory.free || octets <= memory.evictable)
  }

  /** Returns false if there is no memory for so many more octets. */
  reserve(octets: number): boolean {
    const memory = this.#memory
    if (this.#evicted || octets > this.#share.free) return false
    this.#rate = this.#rate * this.#decay + octets / window
    this.#measuredAt = memory.now()
    this.held += octets
    while (octets > memory.free) {
      if (memory.evictFor(this)) continue
      this.held -= octets
      return false
    }
    memory.free -= octets
    this.#share.hold(octets)
    memory.holders.add(this)
    return true
  }

  /** The message is complete: it is being stored, and is not evicted any more. */
  complete(): void {
    this.#complete = true
  }

  /** Frees so many octets; after an eviction there may be fewer. */
  release(octets: number): void {
    const released = Math.min(octets, this.held)
    this.held -= released
    this.#memory.free += released
    this.#share.hold(-released)
    if (this.held > 0) return
    this.#memory.holders.delete(this)
    this.#rate = 0
    this.#measuredAt = 0
    this.#complete = false
  }

  /** Milliseconds until as much again has been received, at the current rate. It grows while the sender is silent. */
  get slowness(): number {
    return this.held === 0 || this.#complete ? 0 : this.held / (this.#rate * this.#decay)
  }

  evict(): void {
    this.#evicted = true
    this.#disconnect()
    this.release(this.held)
  }

  get #decay(): number {
    return Math.exp((this.#measuredAt - this.#memory.now()) / window)
  }
}
