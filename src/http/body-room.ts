/** What the bodies of requests may take of the memory. Sizes in octets, times in milliseconds. */
export interface RoomLimits {
  /** All bodies together, each from its first octet until its request is answered. */
  readonly all: number
  /** Those of one key. It is more than the largest body. */
  readonly perKey: number
  /** Bodies of one key that may wait for room. Nothing is read of them meanwhile. */
  readonly waiting: number
  /** How long a body may wait. */
  readonly patience: number
}

interface Waiting {
  readonly body: object
  readonly key: string
  readonly octets: number
  readonly enter: (entered: boolean) => void
}

/**
 * Shares out the memory for bodies, whole bodies at a time: one that has begun to be read never waits for room, so no
 * two wait for each other. Each key has a part of its own, so that none can take what others need.
 */
export class BodyRoom {
  readonly #limits: RoomLimits
  readonly #held = new Map<object, { readonly key: string; readonly octets: number }>()
  readonly #byKey = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #free: number

  constructor(limits: RoomLimits) {
    this.#limits = limits
    this.#free = limits.all
  }

  /** Whether there is room for the body, now or within the time that it may wait. What entered must `leave`. `gone` ends
   *  the wait. */
  async enter(body: object, key: string, octets: number, gone: AbortSignal): Promise<boolean> {
    const ahead = this.#waiting.values().filter((one) => one.key === key)
    if (gone.aborted || ahead.toArray().length >= this.#limits.waiting) return false
    const entered = Promise.withResolvers<boolean>()
    const one = { body, key, octets, enter: entered.resolve }
    this.#waiting.add(one)
    this.#letIn()
    if (!this.#waiting.has(one)) return true
    const giveUp = () => {
      if (this.#waiting.delete(one)) one.enter(false)
      // Those behind it may fit.
      this.#letIn()
    }
    const timer = setTimeout(giveUp, this.#limits.patience).unref()
    gone.addEventListener('abort', giveUp, { once: true })
    return await entered.promise.finally(() => {
      clearTimeout(timer)
      gone.removeEventListener('abort', giveUp)
    })
  }

  /** Gives the room of a body back, if it had any. */
  leave(body: object): void {
    const held = this.#held.get(body)
    if (!held) return
    this.#held.delete(body)
    this.#free += held.octets
    const left = this.#heldBy(held.key) - held.octets
    if (left > 0) this.#byKey.set(held.key, left)
    else this.#byKey.delete(held.key)
    this.#letIn()
  }

  /** In the order in which they came; nobody waits for a key that has its part. */
  #letIn(): void {
    for (const one of this.#waiting) {
      if (this.#heldBy(one.key) + one.octets > this.#limits.perKey) continue
      if (one.octets > this.#free) return
      this.#waiting.delete(one)
      this.#free -= one.octets
      this.#byKey.set(one.key, this.#heldBy(one.key) + one.octets)
      this.#held.set(one.body, one)
      one.enter(true)
    }
  }

  #heldBy(key: string): number {
    return this.#byKey.get(key) ?? 0
  }
}
