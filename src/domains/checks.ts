import { unfollowed } from '#/ports/follow.ts'
import { type Checking, checkDomain } from './check.ts'
import { type Claim, claimDue, giveBack } from './check-queries.ts'

/** How many domains one process checks at a time. */
const mostAtOnce = 8
/** Well over what a check can take: a process that died in one holds the domain up no longer. Milliseconds. */
const lease = 180_000
/** After a check that failed on our side, in milliseconds. */
const afterFailure = 300_000
/** How often to ask whether a domain is due, in milliseconds: each 5 seconds, or twice in the time to the first check. */
const mostPatience = 5_000
const leastPatience = 250

/**
 * Checks domains as they come due. The table of domains is the queue: each process takes from it what is due, and no
 * two take one. Disposing it gives up the checks in hand, which another process, or the next start, begins anew.
 */
export class DomainChecks implements AsyncDisposable {
  readonly #at: Checking
  readonly #stop = new AbortController()
  #last: Promise<number> = Promise.resolve(0)
  #timer: NodeJS.Timeout | undefined

  constructor(at: Checking) {
    this.#at = at
  }

  /** Checks all that are due now, and answers how many there were. Rounds of one process take turns. */
  run(): Promise<number> {
    this.#last = this.#last.catch(() => {}).then(() => this.#round())
    return this.#last
  }

  /** From now on, checks what comes due, until it is disposed of. */
  start(): this {
    const wait = Math.max(leastPatience, Math.min(mostPatience, this.#at.firstCheckAfter / 2))
    this.#timer = setTimeout(async () => {
      await this.run().catch((err) => this.#at.log.error({ err }, 'domains cannot be checked'))
      if (!this.#stop.signal.aborted) this.start()
    }, wait)
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    this.#stop.abort(new Error('The checks of domains stop'))
    await this.#last.catch(() => {})
  }

  /** Each hand that finds work calls in another, so that an idle round is one look into the queue. */
  async #round(): Promise<number> {
    const hands: Promise<void>[] = []
    let checked = 0
    let failure: unknown
    const { follow = unfollowed } = this.#at
    const work = async (): Promise<void> => {
      for (let claim = await this.#claim(); claim; claim = await this.#claim()) {
        checked += 1
        if (hands.length < mostAtOnce) callIn()
        await follow('check of a domain', () => this.#check(claim))
      }
    }
    const callIn = () =>
      hands.push(
        work().catch((error) => {
          failure = error
        }),
      )
    callIn()
    for (const hand of hands) await hand
    if (failure !== undefined) throw failure
    return checked
  }

  async #claim(): Promise<Claim | undefined> {
    if (this.#stop.signal.aborted) return undefined
    const now = await this.#at.time(this.#at.db)
    return await claimDue(this.#at.db, now, new Date(now.getTime() + lease))
  }

  /** Never rejects: one domain must not hold up the others. */
  async #check(claim: Claim): Promise<void> {
    const { db, time, log } = this.#at
    try {
      await checkDomain(this.#at, claim, this.#stop.signal)
    } catch (err) {
      const stopped = this.#stop.signal.aborted
      if (!stopped) log.error({ err, domain_id: claim.id }, 'a domain could not be checked')
      // Where this fails too, the lease ends by itself.
      await time(db)
        .then((now) => giveBack(db, claim, new Date(now.getTime() + (stopped ? 0 : afterFailure))))
        .catch(() => {})
    }
  }
}
