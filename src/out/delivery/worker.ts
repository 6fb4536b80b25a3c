import { batched, togetherOrEach } from '#/base/event-loop/batching.ts'
import { unfollowed } from '#/base/event-loop/follow.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import {
  allRoutes,
  type Batch,
  type Claimed,
  claimScheduled,
  claimSuspect,
  claimWaiting,
  markEndOfData,
  mostScheduled,
  reclaimEveryMs,
  reclaimExpired,
} from '#/out/queue/claims.ts'
import { endSent, type Sent } from '#/out/queue/lifecycle.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import { WorkingRoutes } from '#/out/queue/unanswered.ts'
import { attempt } from './attempt.ts'
import { departAll } from './depart.ts'
import type { AttemptDependencies, Claim, WorkerDependencies } from './dependencies.ts'

/** Concurrent batches: in all, and to one destination. */
const mostAtOnce = 50
const mostToOneRoute = 10
/** Concurrent batches that are delivered by all their routes at once: twice what one claim takes, so that some are sent
 *  while the next are signed. */
const mostTogether = 2 * mostScheduled

/** Scheduled messages that one transaction prepares or ends. */
const mostWritten = 100

/** How long, in milliseconds, a statement at most waits to be joined by those of other attempts: for scheduled messages that
 *  depart or are sent, and for ends of data. */
const markingMs = 15
const endingMs = 50

/** How often to look for due mail without a call of `wake`, in milliseconds. */
const idleMs = 2_000

/** The longest wait before the next claim while another worker is claiming what is due, in milliseconds. */
const mostPauseMs = 40

/** How long attempts may continue once the worker stops, in milliseconds. */
const stopTimeoutMs = 5_000

/** Sends what is due in the outbound queue. A round claims some of it. */
export class OutboundWorker extends Loop {
  readonly #deps: AttemptDependencies
  /** Aborted once attempts may not continue. */
  readonly #cut = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #perRoute = new Map<string, number>()
  #lastTakenBack = 0
  /** Suspects may be due. */
  #suspects = true
  #suspectUnderWay = false
  /** Due messages may remain, for lack of room. */
  #left = false
  /** Attempts so far. */
  #begun = 0
  /** Delays Sent copies while scheduled messages may be due. */
  #round: Disposable | undefined

  constructor(deps: WorkerDependencies) {
    super({ idleMs, log: deps.log, failed: 'the outbound queue could not be read' })
    const others = (milliseconds: number) => () => (this.#underWay.size > 1 ? milliseconds : 0)
    const noted = (err: unknown) => {
      deps.log.warn({ err }, 'outcomes could not be stored in one transaction; each is stored alone')
      return true
    }
    this.#deps = {
      ...deps,
      markEndOfData: batched(
        (parties: readonly (readonly Claimed[])[]) => markEndOfData(deps.db, parties),
        all,
        others(markingMs),
      ),
      endSent: batched(
        (sent: readonly Sent[]) => togetherOrEach(sent, (some) => endSent(deps.db, some), noted),
        atMost,
        others(endingMs),
        mostWritten,
      ),
      workingRoutes: new WorkingRoutes(),
      wake: () => this.wake(),
      depart: batched((claims: readonly Claim[]) => departAll(deps, claims), atMost, others(markingMs)),
    }
  }

  override wake(): void {
    this.#suspects = true
    super.wake()
  }

  /** Begins to send scheduled messages that are due. */
  beginRound(): void {
    this.#round ??= this.#deps.copies.hold()
    this.wake()
  }

  /** Resolves once nothing is due or in progress, and pending Sent copies of scheduled messages are stored. */
  override async processAll(): Promise<void> {
    let before: number
    do {
      before = this.#begun
      this.#suspects = true
      await super.processAll()
      await Promise.all(this.#underWay)
      // An attempt may have queued more: what it delivers to a mailbox here may be forwarded or answered.
    } while (this.#begun > before || this.isWorking || this.#left || this.#underWay.size > 0)
    await this.#deps.copies.processAll()
  }

  /** False if nothing could be claimed, or there is no room. */
  protected override async round(): Promise<boolean> {
    const { db, time } = this.#deps
    const now = await time(db)
    if (Math.abs(now.getTime() - this.#lastTakenBack) > reclaimEveryMs) {
      this.#lastTakenBack = now.getTime()
      await reclaimExpired(db, now)
    }
    const { busy, room } = this.#room()
    this.#left = busy.length > 0 || room <= 0
    const scheduled = await this.#claimScheduled(now)
    // A finished attempt wakes the worker.
    if (room <= 0) return scheduled
    const suspect = this.#suspects && !this.#suspectUnderWay ? await claimSuspect(db, now, busy) : undefined
    if (suspect) this.#begin(suspect)
    else if (!this.#suspectUnderWay) this.#suspects = false
    const batches = await claimWaiting(db, now, busy, room)
    for (const batch of batches) this.#begin(batch)
    return scheduled || batches.length > 0
  }

  /** False if the round is over, or there is no room. */
  async #claimScheduled(now: Date): Promise<boolean> {
    if (!this.#round) return false
    if (!this.#hasRoomForScheduled) {
      this.#left = true
      return false
    }
    const { db, mailKey, copies } = this.#deps
    const { claims, contended } = await claimScheduled(db, mailKey, now)
    for (const { batch, message } of claims) this.#begin(batch, message)
    // Rounds begin at the same moment in all processes. That another worker was first does not mean that nothing is left.
    if (contended) await this.pause(Math.random() * mostPauseMs)
    if (claims.length > 0 || contended) return true
    this.#round[Symbol.dispose]()
    this.#round = undefined
    copies.wake()
    return false
  }

  /** The routes that accept no more now, and how many batches may be claimed so that no other route exceeds its limit. */
  #room(): { busy: string[]; room: number } {
    const busy: string[] = []
    let room = Math.min(mostToOneRoute, mostAtOnce - this.#underWay.size + this.#count(allRoutes))
    for (const [route, count] of this.#perRoute) {
      // Many scheduled messages are due at once, and must not delay others.
      if (route === allRoutes && mostTogether - count < mostToOneRoute) busy.push(route)
      else if (route !== allRoutes && count >= mostToOneRoute) busy.push(route)
      else if (route !== allRoutes) room = Math.min(room, mostToOneRoute - count)
    }
    return { busy, room }
  }

  #begin(batch: Batch, known?: QueuedMessage): void {
    const { route, messageId, suspect } = batch
    this.#begun++
    this.#perRoute.set(route, this.#count(route) + 1)
    if (suspect) this.#suspectUnderWay = true
    const { follow = unfollowed } = this.#deps
    const work = follow('outbound attempt', () => attempt(this.#deps, batch, known, this.#cut.signal))
      .catch((err: unknown) => this.noteError(err, 'an attempt to send failed: internal error', { message: messageId }))
      .finally(() => {
        this.#underWay.delete(work)
        const count = this.#count(route) - 1
        if (count > 0) this.#perRoute.set(route, count)
        else this.#perRoute.delete(route)
        if (suspect) this.#suspectUnderWay = false
        const hasRoom = route !== allRoutes || this.#hasRoomForScheduled
        if (suspect || (this.#left && hasRoom)) super.wake()
      })
    this.#underWay.add(work)
  }

  /** Whether there is room for all that one claim takes. */
  get #hasRoomForScheduled(): boolean {
    return this.#count(allRoutes) <= mostTogether - mostScheduled
  }

  #count(route: string): number {
    return this.#perRoute.get(route) ?? 0
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    this.#round?.[Symbol.dispose]()
    const cut = setTimeout(() => this.#cut.abort(), stopTimeoutMs)
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
