import { unfollowed } from '#/base/event-loop/follow.ts'
import { Mutex } from '#/base/event-loop/mutex.ts'
import { type CheckDependencies, checkDomain } from './check.ts'
import { type Claim, claimDue, release } from './queries.ts'

/** Domains that one process checks concurrently. */
const mostAtOnce = 8
/** The pause after a check that failed with an internal error, in milliseconds. */
const retryAfter = 300_000
/** How often to look for due domains, in milliseconds: every 5 seconds, or twice before the first check. */
const longestPoll = 5_000
const shortestPoll = 250

/** Checks domains as they come due. The table of domains is the queue. Disposing aborts current checks; their domains are
 *  due again at once. */
export class DomainChecks implements AsyncDisposable {
  readonly #at: CheckDependencies
  readonly #stop = new AbortController()
  readonly #rounds = new Mutex()
  #timer: NodeJS.Timeout | undefined

  constructor(at: CheckDependencies) {
    this.#at = at
  }

  /** Checks all domains that are due now, and answers how many. Rounds do not overlap. */
  run(): Promise<number> {
    return this.#rounds.run(() => this.#round())
  }

  /** Checks domains that come due, until disposed. */
  start(): this {
    const wait = Math.max(shortestPoll, Math.min(longestPoll, this.#at.firstCheckAfter / 2))
    this.#timer = setTimeout(async () => {
      await this.run().catch((err) =>
        this.#at.log.error({ err }, 'a round of domain checks failed; the next one follows'),
      )
      if (!this.#stop.signal.aborted) this.start()
    }, wait)
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    this.#stop.abort(new Error('Domain checks are stopping'))
    await this.#rounds.run(async () => {})
  }

  /** Each worker that finds a domain starts another one, so that an idle round is one claim. */
  async #round(): Promise<number> {
    const workers: Promise<void>[] = []
    let checked = 0
    let failure: unknown
    const { follow = unfollowed } = this.#at
    const work = async (): Promise<void> => {
      for (let claim = await this.#claim(); claim; claim = await this.#claim()) {
        // A claim made while the checks stopped is released.
        if (!this.#stop.signal.aborted) checked += 1
        if (workers.length < mostAtOnce) startWorker()
        await follow('check of a domain', () => this.#check(claim))
      }
    }
    const startWorker = () =>
      workers.push(
        work().catch((error) => {
          failure = error
        }),
      )
    startWorker()
    for (const worker of workers) await worker
    if (failure !== undefined) throw failure
    return checked
  }

  async #claim(): Promise<Claim | undefined> {
    if (this.#stop.signal.aborted) return undefined
    return await claimDue(this.#at.db, await this.#at.time(this.#at.db))
  }

  /** Never rejects: one domain must not delay the others. */
  async #check(claim: Claim): Promise<void> {
    const { db, time, log } = this.#at
    try {
      await checkDomain(this.#at, claim, this.#stop.signal)
    } catch (err) {
      const stopped = this.#stop.signal.aborted
      if (!stopped)
        log.error(
          { err, domain_id: claim.id },
          'the check of a domain failed with an internal error; it is tried again in five minutes',
        )
      // If this fails too, the lease ends by itself.
      await time(db)
        .then((now) => release(db, claim, new Date(now.getTime() + (stopped ? 0 : retryAfter))))
        .catch(() => {})
    }
  }
}
