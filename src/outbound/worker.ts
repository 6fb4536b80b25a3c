import type { Logger } from 'pino'
import { attempt, type Postal } from './attempt.ts'
import { type Batch, claim, leaseMs, takeBack } from './claims.ts'
import { together } from './departures.ts'

/** How many go out at a time: in all, and to one destination. */
const mostAtOnce = 50
const mostToOneRoute = 10
/** Messages that are tried by all their routes at once. */
const mostTogether = 30

/** How often the queue is looked at when nobody says that something came, in milliseconds. */
const everySoOften = 2_000

/** How long attempts may go on once the worker stops, in milliseconds. */
const patience = 5_000

/** Works the queue of mail that leaves, until it is disposed. */
export class OutboundWorker implements AsyncDisposable {
  readonly #postal: Postal
  readonly #log: Logger
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #perRoute = new Map<string, number>()
  #lastTakenBack = 0
  #claiming: Promise<void> | undefined
  #again = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(postal: Postal) {
    this.#postal = postal
    this.#log = postal.log
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), everySoOften)
    this.wake()
  }

  /** Something may be due: called after a commit that put it into the queue. */
  wake(): void {
    this.#again = true
    this.#claiming ??= this.#claimWhileAsked()
      .catch((err: unknown) => this.#log.error({ err }, 'the outbound queue could not be read'))
      .finally(() => {
        this.#claiming = undefined
      })
  }

  /** Resolves once nothing is due nor under way. */
  async processAll(): Promise<void> {
    do {
      this.wake()
      await this.#claiming
      await Promise.all(this.#underWay)
    } while (this.#again || this.#underWay.size > 0)
  }

  async #claimWhileAsked(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false
      const { db, time } = this.#postal
      const now = await time(db)
      if (Math.abs(now.getTime() - this.#lastTakenBack) > leaseMs / 3) {
        this.#lastTakenBack = now.getTime()
        await takeBack(db, now)
      }
      const { busy, room } = this.#room()
      if (room <= 0) return
      const batches = await claim(db, now, busy, room)
      for (const batch of batches) this.#begin(batch)
      this.#again ||= batches.length > 0
    }
  }

  /** Which routes take no more now, and how much may be claimed so that none of the others gets too much either. */
  #room(): { busy: string[]; room: number } {
    const busy: string[] = []
    let room = Math.min(mostToOneRoute, mostAtOnce - this.#underWay.size)
    for (const [route, count] of this.#perRoute) {
      if (count >= mostTo(route)) busy.push(route)
      else room = Math.min(room, mostTo(route) - count)
    }
    return { busy, room }
  }

  #begin(batch: Batch): void {
    const { route } = batch
    this.#perRoute.set(route, (this.#perRoute.get(route) ?? 0) + 1)
    const work = attempt(this.#postal, batch, this.#stopping.signal)
      .catch((err: unknown) =>
        this.#log.error({ err, message: batch.messageId }, 'an attempt to send failed on our side'),
      )
      .finally(() => {
        this.#underWay.delete(work)
        const count = (this.#perRoute.get(route) ?? 1) - 1
        if (count > 0) this.#perRoute.set(route, count)
        else this.#perRoute.delete(route)
        if (!this.#closed) this.wake()
      })
    this.#underWay.add(work)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#claiming
    const cut = setTimeout(() => this.#stopping.abort(), patience)
    await Promise.all(this.#underWay)
    clearTimeout(cut)
  }
}

function mostTo(route: string): number {
  return route === together ? mostTogether : mostToOneRoute
}
