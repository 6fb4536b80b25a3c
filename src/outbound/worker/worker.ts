import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { batched } from '#/event-loop/batching.ts'
import { unfollowed } from '#/ports/follow.ts'
import {
  type Batch,
  type Claimed,
  claimScheduled,
  claimSuspect,
  claimWaiting,
  reclaimEveryMs,
  markEndOfData,
  mostScheduled,
  reclaimExpired,
  allRoutes,
} from '#/queue/claims.ts'
import type { QueuedMessage } from '#/queue/message.ts'
import { endSent, type Sent } from '#/queue/scheduled.ts'
import { type AttemptDependencies, attempt, type WorkerDependencies } from './attempt.ts'
import { CoalescedRuns } from './coalesced-runs.ts'
import { type Claim, departAll } from './depart.ts'

/** How many go out at a time: in all, and to one destination. */
const mostAtOnce = 50
const mostToOneRoute = 10
/** Messages that are tried by all their routes at once: twice what one claim takes, so that some go while the next are
 *  signed. */
const mostTogether = 2 * mostScheduled

/** How many of them depart, or are stored, in one transaction. */
const mostWritten = 100

/** How long a departure and the note of an end of data, where others may come, and what is sent wait at most to be written
 *  down with others, in milliseconds. */
const markingMs = 15
const endingMs = 50

/** How often the queue is looked at when nobody says that something came, in milliseconds. */
const everySoOften = 2_000

/** How long to wait before reaching again for what another worker is just claiming, at most, in milliseconds. */
const longest = 40

/** How long attempts may go on once the worker stops, in milliseconds. */
const patience = 5_000

/** Works the queue of mail that leaves, until it is disposed. */
export class OutboundWorker implements AsyncDisposable {
  readonly #deps: AttemptDependencies
  readonly #log: Logger
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #perRoute = new Map<string, number>()
  #lastTakenBack = 0
  /** Suspects may be due. */
  #suspects = true
  #suspectUnderWay = false
  /** Something that is due may have been left, for want of room. */
  #left = false
  /** Holds back copies for Sent, while scheduled messages may be due. */
  #round: Disposable | undefined
  readonly #claiming: CoalescedRuns
  #timer: NodeJS.Timeout | undefined

  constructor(deps: WorkerDependencies) {
    const whileOthersCome = () => (this.#underWay.size > 1 ? markingMs : 0)
    this.#deps = {
      ...deps,
      markEndOfData: batched(
        (parties: readonly (readonly Claimed[])[]) => markEndOfData(deps.db, parties),
        all,
        whileOthersCome,
      ),
      endSent: batched(
        (sent: readonly Sent[]) => this.#endSent(sent),
        atMost,
        () => endingMs,
      ),
      depart: batched((claims: readonly Claim[]) => departAll(deps, claims), atMost, whileOthersCome),
    }
    this.#log = deps.log
    this.#claiming = new CoalescedRuns(
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

  /** Has the messages go that are scheduled and due. */
  beginRound(): void {
    this.#round ??= this.#deps.copies.hold()
    this.wake()
  }

  /** Resolves once nothing is due or in progress, and copies of sent scheduled messages are in Sent. */
  async processAll(): Promise<void> {
    do {
      this.wake()
      await this.#claiming.running
      await Promise.all(this.#underWay)
    } while (this.#claiming.running || this.#left || this.#underWay.size > 0)
    await this.#deps.copies.processAll()
  }

  /** False where nothing was there to be claimed, or no room for it. */
  async #claimSome(): Promise<boolean> {
    const { db, time } = this.#deps
    const now = await time(db)
    if (Math.abs(now.getTime() - this.#lastTakenBack) > reclaimEveryMs) {
      this.#lastTakenBack = now.getTime()
      await reclaimExpired(db, now)
    }
    const { busy, room } = this.#room()
    this.#left = busy.length > 0 || room <= 0
    const scheduled = await this.#claimScheduled(now)
    // Whoever makes room looks again.
    if (room <= 0) return scheduled
    const suspect = this.#suspects && !this.#suspectUnderWay ? await claimSuspect(db, now, busy) : undefined
    if (suspect) this.#begin(suspect)
    else if (!this.#suspectUnderWay) this.#suspects = false
    const batches = await claimWaiting(db, now, busy, room)
    for (const batch of batches) this.#begin(batch)
    return scheduled || batches.length > 0
  }

  /** False where the round is over, or there is no room. */
  async #claimScheduled(now: Date): Promise<boolean> {
    if (!this.#round) return false
    if (!this.#hasRoomForScheduled) {
      this.#left = true
      return false
    }
    const { db, mailKey, copies } = this.#deps
    const { claims, contended } = await claimScheduled(db, mailKey, now)
    for (const { batch, message } of claims) this.#begin(batch, message)
    // Rounds begin at the same moment everywhere: that another worker was the first is no sign that nothing is left.
    if (contended) await wait(Math.random() * longest)
    if (claims.length > 0 || contended) return true
    this.#round[Symbol.dispose]()
    this.#round = undefined
    copies.wake()
    return false
  }

  /** Which routes take no more now, and how much may be claimed so that none of the others gets too much either. */
  #room(): { busy: string[]; room: number } {
    const busy: string[] = []
    let room = Math.min(mostToOneRoute, mostAtOnce - this.#underWay.size + this.#count(allRoutes))
    for (const [route, count] of this.#perRoute) {
      // Scheduled messages come in large numbers at once, and must not delay others.
      if (route === allRoutes && mostTogether - count < mostToOneRoute) busy.push(route)
      else if (route !== allRoutes && count >= mostToOneRoute) busy.push(route)
      else if (route !== allRoutes) room = Math.min(room, mostToOneRoute - count)
    }
    return { busy, room }
  }

  #begin(batch: Batch, known?: QueuedMessage): void {
    const { route, messageId, suspect } = batch
    this.#perRoute.set(route, this.#count(route) + 1)
    if (suspect) this.#suspectUnderWay = true
    const { follow = unfollowed } = this.#deps
    const work = follow('outbound attempt', () => attempt(this.#deps, batch, known, this.#stopping.signal))
      .catch((err: unknown) =>
        this.#log.error({ err, message: messageId }, 'an attempt to send failed: internal error'),
      )
      .finally(() => {
        this.#underWay.delete(work)
        const count = this.#count(route) - 1
        if (count > 0) this.#perRoute.set(route, count)
        else this.#perRoute.delete(route)
        if (suspect) this.#suspectUnderWay = false
        const hasRoom = route !== allRoutes || this.#hasRoomForScheduled
        if (suspect || (this.#left && hasRoom)) this.#claiming.ask()
      })
    this.#underWay.add(work)
  }

  /** For as many as one claim takes. */
  get #hasRoomForScheduled(): boolean {
    return this.#count(allRoutes) <= mostTogether - mostScheduled
  }

  async #endSent(sent: readonly Sent[]): Promise<readonly boolean[]> {
    const { db, copies, log } = this.#deps
    try {
      const ended = await endSent(db, sent)
      copies.wake()
      return ended
    } catch (err) {
      log.warn({ err }, 'outcomes could not be stored in one transaction; each is stored alone')
      return sent.map(() => false)
    }
  }

  #count(route: string): number {
    return this.#perRoute.get(route) ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const claimed = this.#claiming.close()
    clearInterval(this.#timer)
    await claimed
    this.#round?.[Symbol.dispose]()
    const cut = setTimeout(() => this.#stopping.abort(), patience)
    await Promise.all(this.#underWay)
    clearTimeout(cut)
  }
}

function all(waiting: readonly unknown[]): number {
  return waiting.length
}

function atMost(waiting: readonly unknown[]): number {
  return Math.min(waiting.length, mostWritten)
}
