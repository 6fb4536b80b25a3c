import type { Logger } from 'pino'
import { gather } from '#/gather.ts'
import { unfollowed } from '#/ports/follow.ts'
import { mostClaimed } from '#/scheduled/due.ts'
import { attempt, type Desk, type InHand, type Postal } from './attempt.ts'
import { type Batch, type Claimed, claim, claimSuspect, lookMs, markDots, takeBack, together } from './claims.ts'
import { endSent, type Sent } from './sent.ts'
import { WhileAsked } from './while-asked.ts'

/** How many go out at a time: in all, and to one destination. */
const mostAtOnce = 50
const mostToOneRoute = 10
/** Messages that are tried by all their routes at once: twice what one claim takes, so that some go while the next are
 *  signed. */
const mostTogether = 2 * mostClaimed

/** How many of them are written down in one transaction. */
const mostWritten = 100

/** How long a dot, where others may come, and what is sent wait at most to be written down with others, in milliseconds. */
const markingMs = 15
const endingMs = 50

/** How often the queue is looked at when nobody says that something came, in milliseconds. */
const everySoOften = 2_000

/** How long attempts may go on once the worker stops, in milliseconds. */
const patience = 5_000

/** Works the queue of mail that leaves, until it is disposed. */
export class OutboundWorker implements AsyncDisposable {
  readonly #desk: Desk
  readonly #log: Logger
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #perRoute = new Map<string, number>()
  #lastTakenBack = 0
  /** A message that a worker has ended over may be due. */
  #suspects = true
  #suspectUnderWay = false
  /** Something that is due may have been left, for want of room. */
  #left = false
  readonly #claiming: WhileAsked
  #timer: NodeJS.Timeout | undefined
  #roomier = Promise.withResolvers<void>()

  constructor(postal: Postal) {
    this.#desk = {
      ...postal,
      markDot: gather(
        (parties: readonly (readonly Claimed[])[]) => markDots(postal.db, parties),
        all,
        () => (this.#underWay.size > 1 ? markingMs : 0),
      ),
      endSent: gather(
        (sent: readonly Sent[]) => this.#endSent(sent),
        (waiting) => Math.min(waiting.length, mostWritten),
        () => endingMs,
      ),
    }
    this.#log = postal.log
    this.#claiming = new WhileAsked(
      () => this.#claimSome(),
      (err) => this.#log.error({ err }, 'the outbound queue could not be read'),
    )
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), everySoOften)
    this.wake()
  }

  /** Something may be due: called after a commit that put it into the queue. */
  wake(): void {
    this.#suspects = true
    this.#claiming.ask()
  }

  /** Resolves once so many more messages can be taken, or the worker stops. */
  async untilRoomFor(messages: number): Promise<void> {
    while (!this.#claiming.closed && mostTogether - this.#count(together) < messages) await this.#roomier.promise
  }

  /** Tries at once what this worker has claimed by putting it into the queue. */
  take(batch: Batch, inHand: InHand): void {
    this.#begin(batch, inHand)
  }

  /** Resolves once nothing is due nor under way, and the copies of what was scheduled and has gone are in Sent. */
  async processAll(): Promise<void> {
    do {
      this.wake()
      await this.#claiming.underWay
      await Promise.all(this.#underWay)
    } while (this.#claiming.underWay || this.#left || this.#underWay.size > 0)
    await this.#desk.copies.processAll()
  }

  /** False where nothing was there to be claimed, or no room for it. */
  async #claimSome(): Promise<boolean> {
    const { db, time } = this.#desk
    const now = await time(db)
    if (Math.abs(now.getTime() - this.#lastTakenBack) > lookMs) {
      this.#lastTakenBack = now.getTime()
      await takeBack(db, now)
    }
    const { busy, room } = this.#room()
    this.#left = busy.length > 0 || room <= 0
    // Whoever makes room looks again.
    if (room <= 0) return false
    const suspect = this.#suspects && !this.#suspectUnderWay ? await claimSuspect(db, now, busy) : undefined
    if (suspect) this.#begin(suspect)
    else if (!this.#suspectUnderWay) this.#suspects = false
    const batches = await claim(db, now, busy, room)
    for (const batch of batches) this.#begin(batch)
    return batches.length > 0
  }

  /** Which routes take no more now, and how much may be claimed so that none of the others gets too much either. */
  #room(): { busy: string[]; room: number } {
    const busy: string[] = []
    let room = Math.min(mostToOneRoute, mostAtOnce - this.#underWay.size + this.#count(together))
    for (const [route, count] of this.#perRoute) {
      // What is scheduled comes by itself, in numbers, and must not narrow the way of the others.
      if (route === together && mostTogether - count < mostToOneRoute) busy.push(route)
      else if (route !== together && count >= mostToOneRoute) busy.push(route)
      else if (route !== together) room = Math.min(room, mostToOneRoute - count)
    }
    return { busy, room }
  }

  #begin(batch: Batch, inHand?: InHand): void {
    const { route, messageId, suspect } = batch
    this.#perRoute.set(route, this.#count(route) + 1)
    if (suspect) this.#suspectUnderWay = true
    const { follow = unfollowed } = this.#desk
    const work = follow('outbound attempt', () => attempt(this.#desk, batch, inHand, this.#stopping.signal))
      .catch((err: unknown) => this.#log.error({ err, message: messageId }, 'an attempt to send failed on our side'))
      .finally(() => {
        this.#underWay.delete(work)
        const count = this.#count(route) - 1
        if (count > 0) this.#perRoute.set(route, count)
        else this.#perRoute.delete(route)
        if (suspect) this.#suspectUnderWay = false
        this.#roomier.resolve()
        this.#roomier = Promise.withResolvers()
        // What was handed over has left nothing behind that waits.
        if (suspect || (this.#left && !inHand)) this.#claiming.ask()
      })
    this.#underWay.add(work)
  }

  async #endSent(sent: readonly Sent[]): Promise<readonly boolean[]> {
    const { db, copies, log } = this.#desk
    try {
      const ended = await endSent(db, sent)
      copies.wake()
      return ended
    } catch (err) {
      log.warn({ err }, 'what was sent could not be written down together')
      return sent.map(() => false)
    }
  }

  #count(route: string): number {
    return this.#perRoute.get(route) ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const claimed = this.#claiming.close()
    clearInterval(this.#timer)
    this.#roomier.resolve()
    await claimed
    const cut = setTimeout(() => this.#stopping.abort(), patience)
    await Promise.all(this.#underWay)
    clearTimeout(cut)
  }
}

function all(waiting: readonly unknown[]): number {
  return waiting.length
}
