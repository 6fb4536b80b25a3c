import type { MessageReader } from '#/mime/reader.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { claimDue, forgetDeparted, leaseMs, takeOwedCopy } from '#/scheduled/due.ts'
import { untilNextCopy } from './decide-together.ts'
import { type HandOverParts, handOver } from './hand-over.ts'
import { heldMessage } from './held.ts'
import { sentCopy, storeCopy } from './sent-copy.ts'
import { forgetEmpty } from './settle.ts'
import type { OutboundWorker } from './worker.ts'

/** So many are claimed at a time, and then handed over one after the other: what ends a worker is then known. */
const mostClaimed = 10

/** How often to look for what a worker that is gone had begun, in milliseconds. */
const everySoOften = leaseMs / 3

export interface RoundsParts extends HandOverParts {
  readonly mailHost: MailHost
  readonly reader: MessageReader
  readonly outbound: Pick<OutboundWorker, 'wake' | 'processAll'>
}

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
  #closed = false

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
    this.#watch = setInterval(() => this.#run({ begunOnly: true }), everySoOften)
    this.#run({ begunOnly: true })
  }

  /** Makes a round, and resolves once what it handed over has been tried. */
  async processAll(): Promise<void> {
    await this.#run({ begunOnly: false })
    await this.#parts.outbound.processAll()
  }

  /** Rounds of one process take turns. */
  #run(what: { begunOnly: boolean }): Promise<void> {
    this.#last = this.#last
      .then(() => this.#round(what))
      .catch((err: unknown) => this.#parts.log.error({ err }, 'a round of scheduled mail failed'))
    return this.#last
  }

  async #round({ begunOnly }: { begunOnly: boolean }): Promise<void> {
    const { db, time, outbound } = this.#parts
    while (!this.#closed) {
      const claims = await claimDue(db, await time(db), { most: mostClaimed, begunOnly })
      if (claims.length === 0) break
      for (const claim of claims) if (!this.#closed) await handOver(this.#parts, claim)
      outbound.wake()
    }
    while (!this.#closed && (await this.#storeOwedCopy()));
  }

  /** Stores one copy for Sent that could not be stored when its message was sent; false where none is due. */
  async #storeOwedCopy(): Promise<boolean> {
    const { db, time, mailHost, log } = this.#parts
    const now = await time(db)
    const owed = await takeOwedCopy(db, now, new Date(now.getTime() + untilNextCopy))
    if (!owed) return false
    const { organizationId, outboundId } = owed
    const message = await heldMessage(db, organizationId, outboundId)
    const copy = message && (await sentCopy(this.#parts, message, owed))
    await db
      .transaction()
      .execute(async (tx) => {
        if (!(await forgetDeparted(tx, outboundId))) return
        if (copy) await storeCopy(tx, { mailHost }, copy, await time(tx))
        await forgetEmpty(tx, outboundId)
      })
      .catch((err: unknown) => log.error({ err, message: outboundId }, 'the copy in Sent could not be stored yet'))
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#tick)
    clearInterval(this.#watch)
    await this.#last
  }
}
