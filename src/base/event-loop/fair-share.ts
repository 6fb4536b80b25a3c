/** Who takes part of a budget. */
export interface Holder {
  /** An organization, or a client whose organization is not known. */
  readonly organization: string
  /** The key or member. */
  readonly key: string
}

/** A budget of a process, in units of its own: octets, or requests at a time. */
export interface Budget {
  readonly all: number
  /** Requests of an organization that may wait for a part. */
  readonly waiting: number
  /** How long each may, in milliseconds. */
  readonly patience: number
}

/** A part of a budget. Disposing it gives it back. */
export interface Share extends Disposable {
  /** Gives back what exceeds so many units. */
  shrink(units: number): void
}

interface Waiting {
  readonly units: number
  readonly organization: Held
  readonly key: Held
  readonly enter: (share: Share | undefined) => void
}

/** What an organization, or a key, has and when it was last given something. */
interface Held {
  readonly name: string
  units: number
  waiting: number
  last: number
}

/** Of what an organization may have, what one of its keys may, so that its other keys are not kept waiting. */
const ofKey = 0.75

/**
 * A budget that organizations share fairly. Each may have as much as it leaves free: one alone half, two a third each, and so on
 * (Choudhury and Hahne, "Dynamic queue length thresholds", 1998). So whatever some hold and never give back, there is room for the
 * next. Who waits is let in by organization: the one that has least comes first, and of those that have as much, the one that has
 * been given nothing for longest.
 */
export class FairShare {
  readonly #budget: Budget
  readonly #held = new Map<string, Held>()
  readonly #waiting = new Set<Waiting>()
  #free: number
  #given = 0

  constructor(budget: Budget) {
    this.#budget = budget
    this.#free = budget.all
  }

  /** Waits for so many units, or all if they are more. Undefined if there are none in time, too many wait, or `gone` is aborted. */
  async enter({ organization, key }: Holder, units: number, gone?: AbortSignal): Promise<Share | undefined> {
    const { all, waiting, patience } = this.#budget
    if (gone?.aborted) return undefined
    const entered = Promise.withResolvers<Share | undefined>()
    const one = {
      ...{ organization: this.#heldBy(organization), key: this.#heldBy(`${organization}\n${key}`) },
      ...{ units: Math.min(units, all), enter: entered.resolve },
    }
    this.#waiting.add(one)
    for (const held of [one.organization, one.key]) held.waiting++
    this.#letIn()
    if (!this.#waiting.has(one)) return entered.promise
    const giveUp = () => {
      if (!this.#waiting.has(one)) return
      this.#stopWaiting(one)
      this.#forget(one)
      one.enter(undefined)
      // Smaller ones behind it may fit.
      this.#letIn()
    }
    if (one.organization.waiting > waiting || one.key.waiting > Math.ceil(ofKey * waiting)) giveUp()
    const timer = setTimeout(giveUp, patience).unref()
    gone?.addEventListener('abort', giveUp, { once: true })
    return await entered.promise.finally(() => {
      clearTimeout(timer)
      gone?.removeEventListener('abort', giveUp)
    })
  }

  #letIn(): void {
    for (;;) {
      let next: Waiting | undefined
      for (const one of this.#waiting) if (this.#mayHave(one) && (!next || isBefore(one, next))) next = one
      // A large one does not starve behind smaller ones.
      if (!next || next.units > this.#free) return
      this.#stopWaiting(next)
      next.enter(this.#give(next))
    }
  }

  /** Whether the organization and the key would have no more than their parts. Each may have one part of any size. */
  #mayHave({ organization, key, units }: Waiting): boolean {
    const most = (organization.units + this.#free) / 2
    const fits = organization.units === 0 || organization.units + units <= most
    return fits && (key.units === 0 || key.units + units <= ofKey * most)
  }

  #give(one: Waiting): Share {
    let { units } = one
    const both = [one.organization, one.key]
    this.#free -= units
    this.#given++
    for (const held of both) {
      held.units += units
      held.last = this.#given
    }
    const shrink = (to: number) => {
      const back = units - Math.max(0, to)
      if (back <= 0) return
      units -= back
      this.#free += back
      for (const held of both) held.units -= back
      this.#forget(one)
      this.#letIn()
    }
    return { shrink, [Symbol.dispose]: () => shrink(0) }
  }

  #stopWaiting(one: Waiting): void {
    this.#waiting.delete(one)
    for (const held of [one.organization, one.key]) held.waiting--
  }

  /** Who is new comes before those that were given something just now, and after all others who are here. */
  #heldBy(name: string): Held {
    const held = this.#held.get(name) ?? { name, units: 0, waiting: 0, last: this.#given - 0.5 }
    this.#held.set(name, held)
    return held
  }

  #forget({ organization, key }: Waiting): void {
    for (const held of [organization, key])
      if (held.units === 0 && held.waiting === 0 && this.#held.get(held.name) === held) this.#held.delete(held.name)
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  if (one.organization !== other.organization) return comesFirst(one.organization, other.organization)
  return one.key !== other.key && comesFirst(one.key, other.key)
}

function comesFirst(one: Held, other: Held): boolean {
  return one.units === other.units ? one.last < other.last : one.units < other.units
}
