import { setTimeout as wait } from 'node:timers/promises'
import type { SharedTime } from '#/db/time.ts'
import { type Follow, unfollowed } from '#/ports/follow.ts'
import { type Claim, claimDue, mostClaimed, type Wanted } from '#/scheduled/due.ts'
import { lookMs } from './claims.ts'
import { type HandOverParts, handOver } from './hand-over.ts'
import type { OwedCopies } from './owed-copies.ts'
import type { OutboundWorker } from './worker.ts'

export interface RoundsParts extends HandOverParts {
  readonly time: SharedTime
  readonly follow?: Follow | undefined
  readonly outbound: Pick<OutboundWorker, 'wake' | 'take' | 'untilRoomFor' | 'processAll'>
  readonly copies: Pick<OwedCopies, 'wake' | 'hold'>
}

/** How often to reach for what another worker is just taking, and how long to wait in between at most, in milliseconds. */
const mostTimes = 100
const longest = 40

/** When the round after `now` is: rounds are `everyMs` apart, and at the full hour whatever that is. What was tried a
 *  moment before a round is left for the one after. */
export function nextRoundAfter(now: Date, everyMs: number): Date {
  return new Date((Math.floor(now.getTime() / everyMs + 0.5) + 1) * everyMs)
}

/** The worker's rounds: hands over to the outbound queue what was scheduled and is due. */
export class Rounds implements AsyncDisposable {
  readonly #parts: RoundsParts
  #last: Promise<void> = Promise.resolve()
  #tick: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  #underWay = 0
  #closed = false
  readonly #closing = Promise.withResolvers<void>()

  constructor(parts: RoundsParts) {
    this.#parts = parts
  }

  /** From now on makes a round every so many milliseconds, counted from midnight (UTC). */
  start(everyMs: number): void {
    const again = () => {
      this.#tick = setTimeout(
        () => {
          this.#run({ begunOnly: false })
          again()
        },
        everyMs - (Date.now() % everyMs),
      )
    }
    again()
    this.#watch = setInterval(() => {
      // One that is under way looks again before it ends.
      if (this.#underWay === 0) this.#run({ begunOnly: true })
    }, lookMs)
    this.#run({ begunOnly: true })
  }

  /** Makes a round, and resolves once what it handed over has been tried, and the copies of what went are in Sent. */
  async processAll(): Promise<void> {
    await this.#run({ begunOnly: false })
    await this.#parts.outbound.processAll()
  }

  /** Rounds of one process take turns. */
  #run(what: { begunOnly: boolean }): Promise<void> {
    const { follow = unfollowed } = this.#parts
    this.#underWay += 1
    this.#last = this.#last
      .then(() => (what.begunOnly ? unfollowed : follow)('round of scheduled mail', () => this.#round(what)))
      .catch((err: unknown) => this.#parts.log.error({ err }, 'a round of scheduled mail failed'))
      .finally(() => {
        this.#underWay -= 1
      })
    return this.#last
  }

  async #round({ begunOnly }: { begunOnly: boolean }): Promise<void> {
    const { copies } = this.#parts
    using _ = copies.hold()
    // While some are handed over, the next ones are claimed.
    let before: Promise<void> = Promise.resolve()
    for (;;) {
      const { claims, now } = await this.#claim({ begunOnly, suspect: false })
      if (claims.length === 0) break
      await before
      before = this.#handOver(claims, now)
    }
    await before
    for (;;) {
      const { claims, now } = await this.#claim({ begunOnly, suspect: true })
      if (claims.length === 0) break
      await this.#handOver(claims, now)
    }
    copies.wake()
  }

  /** What is due, once there is room for it; none when the rounds end. Rounds begin at the same moment everywhere: that
   *  another worker was the first to reach for something is no sign that nothing is left. */
  async #claim(wanted: Wanted): Promise<{ claims: readonly Claim[]; now: Date }> {
    const { db, time, outbound } = this.#parts
    for (let times = 1; ; times++) {
      await Promise.race([outbound.untilRoomFor(mostClaimed), this.#closing.promise])
      const now = await time(db)
      if (this.#closed) return { claims: [], now }
      const { claims, contended } = await claimDue(db, now, wanted)
      if (!contended || times === mostTimes) return { claims, now }
      await wait(Math.random() * longest)
    }
  }

  async #handOver(claims: readonly Claim[], now: Date): Promise<void> {
    const { outbound, log } = this.#parts
    try {
      for (const { batch, inHand } of await handOver(this.#parts, claims, now)) outbound.take(batch, inHand)
      if (claims.some(({ cutShort }) => cutShort > 0)) outbound.wake()
    } catch (err) {
      log.error({ err }, 'scheduled mail could not be handed over')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#closing.resolve()
    clearTimeout(this.#tick)
    clearInterval(this.#watch)
    await this.#last
  }
}
