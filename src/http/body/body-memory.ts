/** Memory for request bodies. Sizes in octets, times in milliseconds. */
export interface BodyLimits {
  /** For all bodies, each from its first octet until its request is answered. */
  readonly all: number
  /** For one key. It exceeds the largest body. */
  readonly perKey: number
  /** Bodies of one key that may wait for memory, unread. */
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
 * Allocates memory for whole bodies: one that is being read never waits, so no two can deadlock. Each key has a limit of
 * its own.
 */
export class BodyMemory {
  readonly #limits: BodyLimits
  readonly #held = new Map<object, { readonly key: string; readonly octets: number }>()
  readonly #byKey = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #free: number

  constructor(limits: BodyLimits) {
    this.#limits = limits
    this.#free = limits.all
  }

  /** Waits for memory; returns false if there is none in time, or `gone` is aborted. A caller that enters must `leave`. */
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
      // Smaller ones behind it may fit.
      this.#letIn()
    }
    const timer = setTimeout(giveUp, this.#limits.patience).unref()
    gone.addEventListener('abort', giveUp, { once: true })
    return await entered.promise.finally(() => {
      clearTimeout(timer)
      gone.removeEventListener('abort', giveUp)
    })
  }

  /** Frees the memory of a body, if it had any. */
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

  /** In order of arrival; a key at its limit does not block others. */
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
