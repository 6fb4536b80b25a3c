import { unfollowed } from '#/base/event-loop/follow.ts'
import { Loop } from '#/base/event-loop/loop.ts'
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
export class DomainChecks extends Loop {
  readonly #at: CheckDependencies

  constructor(at: CheckDependencies) {
    const idleMs = Math.max(shortestPoll, Math.min(longestPoll, at.firstCheckAfter / 2))
    super({ idleMs, log: at.log, failed: 'a round of domain checks failed; the next one follows' })
    this.#at = at
  }

  /** Checks all domains that are due now, and answers how many. */
  run(): Promise<number> {
    return this.oneAtATime(() => this.#checkDue())
  }

  protected override async round(): Promise<boolean> {
    await this.#checkDue()
    return false
  }

  /** Each worker that finds a domain starts another one, so that an idle round is one claim. */
  async #checkDue(): Promise<number> {
    const workers: Promise<void>[] = []
    let checked = 0
    let failure: unknown
    const { follow = unfollowed } = this.#at
    const work = async (): Promise<void> => {
      for (let claim = await this.#claim(); claim; claim = await this.#claim()) {
        // A claim made while the checks stopped is released.
        if (!this.stopping.aborted) checked += 1
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
    if (this.stopping.aborted) return undefined
    return await claimDue(this.#at.db, await this.#at.time(this.#at.db))
  }

  /** Never rejects: one domain must not delay the others. */
  async #check(claim: Claim): Promise<void> {
    const { db, time } = this.#at
    try {
      await checkDomain(this.#at, claim, this.stopping)
    } catch (err) {
      const stopped = this.stopping.aborted
      const text = 'the check of a domain failed with an internal error; it is tried again in five minutes'
      if (!stopped) this.noteError(err, text, { domain_id: claim.id })
      // If this fails too, the lease ends by itself.
      await time(db)
        .then((now) => release(db, claim, new Date(now.getTime() + (stopped ? 0 : retryAfter))))
        .catch(() => {})
    }
  }
}
