import { pieceBytes } from '#/bytes.ts'
import type { SharedTime } from '#/db/time.ts'
import type { MessageReader } from '#/mime/reader.ts'
import { type Follow, unfollowed } from '#/ports/follow.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { type Claim, claimDue, forgetDeparted, takeOwedCopy } from '#/scheduled/due.ts'
import { lookMs } from './claims.ts'
import { untilNextCopy } from './decide-together.ts'
import { type HandOverParts, handOver } from './hand-over.ts'
import { heldMessage } from './held.ts'
import { sentCopy, storeCopies } from './sent-copy.ts'
import { forgetEmpty } from './settle.ts'
import type { OutboundWorker } from './worker.ts'

/** So many are claimed at a time. */
const mostClaimed = 50

/** As many octets of them are handed over together. */
const mostOctets = 4 * pieceBytes

export interface RoundsParts extends HandOverParts {
  readonly time: SharedTime
  readonly follow?: Follow | undefined
  readonly mailHost: MailHost
  readonly reader: MessageReader
  readonly outbound: Pick<OutboundWorker, 'wake' | 'take' | 'untilRoomFor' | 'processAll'>
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
    this.#watch = setInterval(() => this.#run({ begunOnly: true }), lookMs)
    this.#run({ begunOnly: true })
  }

  /** Makes a round, and resolves once what it handed over has been tried. */
  async processAll(): Promise<void> {
    await this.#run({ begunOnly: false })
    await this.#parts.outbound.processAll()
  }

  /** Rounds of one process take turns. */
  #run(what: { begunOnly: boolean }): Promise<void> {
    const { follow = unfollowed } = this.#parts
    this.#last = this.#last
      .then(() => (what.begunOnly ? unfollowed : follow)('round of scheduled mail', () => this.#round(what)))
      .catch((err: unknown) => this.#parts.log.error({ err }, 'a round of scheduled mail failed'))
    return this.#last
  }

  async #round({ begunOnly }: { begunOnly: boolean }): Promise<void> {
    const { db, time, outbound } = this.#parts
    // While one party is handed over, the next one is claimed and begun.
    let before: Promise<void> = Promise.resolve()
    while (!this.#closed) {
      await Promise.race([outbound.untilRoomFor(mostClaimed), this.#closing.promise])
      if (this.#closed) break
      const now = await time(db)
      const claims = await claimDue(db, now, { most: mostClaimed, begunOnly })
      if (claims.length === 0) break
      for (const party of parties(claims)) {
        if (isSuspect(party)) await before
        if (this.#closed) break
        const current = this.#handOver(party, now)
        await Promise.all([before, isSuspect(party) && current])
        before = current
      }
    }
    await before
    while (!this.#closed && (await this.#storeOwedCopy()));
  }

  async #handOver(party: readonly Claim[], now: Date): Promise<void> {
    const { outbound, log } = this.#parts
    try {
      for (const { batch, inHand } of await handOver(this.#parts, party, now)) outbound.take(batch, inHand)
      if (isSuspect(party)) outbound.wake()
    } catch (err) {
      log.error({ err }, 'scheduled mail could not be handed over')
    }
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
        if (copy) await storeCopies(tx, { mailHost }, [copy])
        await forgetEmpty(tx, outboundId)
      })
      .catch((err: unknown) => log.error({ err, message: outboundId }, 'the copy in Sent could not be stored yet'))
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#closing.resolve()
    clearTimeout(this.#tick)
    clearInterval(this.#watch)
    await this.#last
  }
}

/** Claims that are handed over together: no more than fit in memory, and one that a worker has ended over by itself, so
 *  that what ends a worker is known. */
function parties(claims: readonly Claim[]): Claim[][] {
  const formed: Claim[][] = []
  let octets = Number.POSITIVE_INFINITY
  for (const claim of claims) {
    octets += claim.sizeBytes
    const last = formed.at(-1)
    if (last && octets <= mostOctets && !isSuspect([...last, claim])) last.push(claim)
    else {
      formed.push([claim])
      octets = claim.sizeBytes
    }
  }
  return formed
}

function isSuspect(party: readonly Claim[]): boolean {
  return party.some(({ cutShort }) => cutShort > 0)
}
