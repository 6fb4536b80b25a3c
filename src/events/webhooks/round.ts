import type { Db } from '#/base/db/schema.ts'
import { type Cursor, cursorText } from '#/base/event-log/cursor.ts'
import { eventsAfter, eventsAt, type LoggedEvent } from '#/base/event-log/log.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { EventOut } from '#/events/event-stream/schemas.ts'
import { type EventSelection, type Names, type Shown, shownEvents, typesNamed } from '#/events/event-stream/visible.ts'
import type { Identity } from '#/http/access/authorize.ts'
import type { PublicHttp } from '#/http/public-http/public-http.ts'
import { type Attempt, attempt, type Receiver, receiverOf } from './attempt.ts'
import type { Pace } from './concurrency.ts'
import { InOrder, type Left, sequenceOf } from './order.ts'
import { type ClaimedWebhook, type Progress, type Recorded, storedDeliveries, type Waiting } from './progress.ts'
import { identityOf } from './reader.ts'
import { pauseAfter, roundPauseAfter, triedForMs } from './retries.ts'
import { mostWaiting } from './webhook.ts'

export interface RoundDependencies {
  readonly db: Db
  readonly names: Names
  readonly http: PublicHttp
  readonly secretKey: SealingKey
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
  /** Whether this process still has the webhook: another one may have claimed it while this one was suspended. */
  readonly isHeld: () => Promise<boolean>
}

/** After so many consecutive failures, or so many milliseconds, a round ends its attempts. */
const mostFailures = 3
const longestMs = 10_000

/** The least number of events to read: a webhook may select few of them, and a failing one tries one new event. */
const leastRead = 100

/** A delivery in a round. */
interface Due extends Waiting {
  /** It is stored already. */
  readonly stored: boolean
  /** Undefined if it was not tried in this round. */
  readonly out: EventOut | undefined
}

/** One pass over a webhook: first waiting deliveries that are due, then new events, as many as the pace of its receiver
 *  allows. Failures are stored and retried later. Later events of the same sequence wait; others continue. While a receiver
 *  fails, a round tries one new event and the delivery that was tried least recently. It reads nothing else, so that the log
 *  is not copied. */
export class Round {
  readonly #parts: RoundDependencies
  readonly #webhook: ClaimedWebhook
  readonly #pace: Pace
  readonly #most: number
  readonly #since = performance.now()
  readonly #began: Date
  readonly #recorded: Recorded[] = []
  readonly #delayed: Waiting[] = []
  #delivered = 0
  #lastFailed: Attempt | undefined
  #failedInRow = 0
  /** Failures at first attempts. */
  #failedFirst = 0

  /** `most` limits the events that are tried. */
  constructor(
    parts: RoundDependencies,
    webhook: ClaimedWebhook,
    { pace, now, most }: { pace: Pace; now: Date; most: number },
  ) {
    this.#parts = parts
    this.#webhook = webhook
    this.#pace = pace
    this.#most = most
    this.#began = now
  }

  async run(): Promise<Progress> {
    const { db } = this.#parts
    const { position, eventId, organizationId } = this.#webhook
    const identity = await identityOf(db, this.#webhook, this.#began)
    if (!identity) return this.#readerGone()
    const { waiting, doneAhead } = await storedDeliveries(db, this.#webhook)
    const tried = this.#chosen(waiting)
    const stored = await this.#shown(identity, await eventsAt(db, organizationId, tried))
    const most = this.#mostNew(waiting, tried)
    const cursor = { position, id: eventId }
    const page = most > 0 ? await eventsAfter(db, organizationId, cursor, Math.max(most, leastRead)) : undefined
    const come = await this.#shown(identity, page?.events ?? [])
    // A replay may have put later events in front.
    for (const one of [...waiting, ...doneAhead]) come.delete(cursorText(one))
    const fresh = [...come.values()].slice(0, most)
    const end = (come.size > most && fresh.at(-1)?.event) || page?.end || cursor
    const gone = tried.filter((one) => !stored.has(cursorText(one)))
    const isGone = new Set(gone)
    const order = new InOrder()
    const receiver = receiverOf(this.#parts.secretKey, this.#webhook, this.#began)
    const deliver = (one: Due) => order.add(one, (before) => this.#deliver(receiver, one, before))
    const kept = waiting.filter((one) => !isGone.has(one))
    const all = [
      ...kept.map((one) => ({ ...one, stored: true, out: stored.get(cursorText(one))?.out })),
      ...fresh.map(({ event, out }) => this.#asDue(event, out)),
    ]
    await Promise.all(all.map(deliver))
    const read = this.#untilLastTried(fresh, { before: cursor, end })
    const done = { ...this.#outcome(), ...read, delayed: this.#delayed, gone }
    // There is no room for more failures: waiting deliveries come first.
    return most > 0 || tried.length > 0 ? done : { ...done, dueAt: new Date(this.#began.getTime() + pauseAfter(1)) }
  }

  /** New events at the end that were not tried, though nothing before them makes them wait, are read again by the next
   *  round, so that the log is not copied. */
  #untilLastTried(fresh: readonly Shown[], { before, end }: { before: Cursor; end: Cursor }) {
    const recorded = this.#recorded
    const untried = recorded.filter((one) => !one.stored && one.attempts === 0 && one.dueAt <= this.#began)
    const ids = new Set(untried.map(cursorText))
    const last = fresh.findLastIndex(({ out }) => !ids.has(out.id))
    const again = new Set(fresh.slice(last + 1).map(({ out }) => out.id))
    if (again.size === 0) return { cursor: end, recorded }
    const cursor = fresh[last]?.event ?? before
    return { cursor, recorded: recorded.filter((one) => !again.has(cursorText(one))) }
  }

  get #now(): Date {
    return new Date(this.#began.getTime() + performance.now() - this.#since)
  }

  get #probes(): boolean {
    return this.#webhook.roundsFailed > 0
  }

  /** The waiting deliveries to try now. */
  #chosen(waiting: readonly Waiting[]): readonly Waiting[] {
    const due = waiting.filter(({ dueAt }) => dueAt <= this.#began)
    if (!this.#probes) return due.slice(0, this.#most)
    const first = due.find(({ attempts }) => attempts === 0)
    const oldest = due.filter(({ attempts }) => attempts > 0).sort((a, b) => Number(a.dueAt) - Number(b.dueAt))[0]
    return [first, oldest].flatMap((one) => one ?? [])
  }

  /** The number of new events to try. */
  #mostNew(waiting: readonly Waiting[], tried: readonly Waiting[]): number {
    const room = Math.max(0, mostWaiting - waiting.length)
    if (this.#probes) return tried.some(({ attempts }) => attempts === 0) ? 0 : Math.min(1, room)
    return Math.min(room, this.#most - tried.length)
  }

  async #shown(identity: Identity, events: readonly LoggedEvent[]) {
    const { types, mailboxId } = this.#webhook
    const wanted: EventSelection = {
      types: types ? typesNamed(types, 'types') : undefined,
      mailboxId: mailboxId ?? undefined,
    }
    const shown = await shownEvents(this.#parts, identity, wanted, events)
    return new Map(shown.map((one) => [one.out.id, one]))
  }

  #asDue(event: LoggedEvent, out: EventOut): Due {
    const { position, id, type } = event
    return {
      ...{ position, id, type, ...sequenceOf(event), attempts: 0, dueAt: this.#began, firstAt: null },
      ...{ stored: false, out },
    }
  }

  async #deliver(receiver: Receiver, one: Due, before: Left): Promise<Left> {
    const left = before ?? (one.out ? undefined : one.dueAt)
    if (left || !one.out) return this.#leave(one, left ?? one.dueAt)
    const { out } = one
    return await this.#pace.run(async () => {
      const { stopping, isHeld } = this.#parts
      if (this.#isOver || stopping.aborted || !(await isHeld())) return this.#leave(one, this.#began)
      const made = await this.#post(receiver, out)
      this.#pace.learn(made)
      if (!made.delivered && stopping.aborted) return this.#leave(one, this.#began)
      return this.#note(one, made)
    })
  }

  #post(receiver: Receiver, out: EventOut): Promise<Attempt> {
    const notice = { id: out.id, type: out.type, timestamp: out.at, data: out }
    return attempt(this.#parts.http, receiver, notice, this.#now, this.#parts.stopping)
  }

  get #isOver(): boolean {
    return this.#failedInRow >= mostFailures || performance.now() - this.#since >= longestMs
  }

  #note(one: Due, made: Attempt): Left {
    const now = this.#now
    const attempts = one.attempts + 1
    const firstAt = one.firstAt ?? now
    this.#failedInRow = made.delivered ? 0 : this.#failedInRow + 1
    if (made.delivered) this.#delivered += 1
    else {
      this.#lastFailed = made
      if (one.attempts === 0) this.#failedFirst += 1
    }
    const givenUp = !made.delivered && now.getTime() - firstAt.getTime() >= triedForMs
    const state = made.delivered ? 'delivered' : givenUp ? 'failed' : 'waiting'
    const dueAt = new Date(now.getTime() + (made.delivered ? 0 : pauseAfter(attempts)))
    this.#record({ ...one, ...made, state, attempts, firstAt, lastAt: now, dueAt })
    return state === 'waiting' ? dueAt : undefined
  }

  /** Not attempted yet: due together with the delivery that it waits for. */
  #leave(one: Due, until: Date): Date {
    const dueAt = one.dueAt > until ? one.dueAt : until
    const nothing = { lastAt: null, milliseconds: null, status: null, answer: null, error: null }
    if (!one.stored) this.#record({ ...one, ...nothing, state: 'waiting', dueAt })
    else if (dueAt > one.dueAt) this.#delayed.push({ ...one, dueAt })
    return dueAt
  }

  #record({ position, id, type, scope, part, stored, ...rest }: Recorded & Partial<Due>): void {
    const { state, attempts, dueAt, firstAt, lastAt, milliseconds, status, answer, error } = rest
    this.#recorded.push({
      ...{ position, id, type, scope, part, stored, state, attempts, dueAt, firstAt, lastAt },
      ...{ milliseconds, status, answer, error },
    })
  }

  #outcome(): Omit<Progress, 'cursor' | 'recorded' | 'delayed' | 'gone'> {
    const { roundsFailed, failingSince } = this.#webhook
    const now = this.#now
    const last = this.#lastFailed
    if (this.#delivered > 0 || !last) {
      const recovered = this.#delivered > 0
      const before = recovered ? { roundsFailed: 0, failingSince: null } : { roundsFailed, failingSince }
      return { ...before, dueAt: this.#began, recovered: recovered && this.#probes, paused: undefined }
    }
    const since = failingSince ?? now
    const rounds = roundsFailed + (this.#failedFirst > 0 || roundsFailed > 0 ? 1 : 0)
    const dueAt = new Date(now.getTime() + roundPauseAfter(rounds))
    const because = last.status === 410 ? 'It answered 410 (Gone)' : (last.error ?? '')
    const ends = last.status === 410 || now.getTime() - since.getTime() >= triedForMs
    const paused = ends ? { at: now, because } : undefined
    return { roundsFailed: rounds, failingSince: since, dueAt, recovered: false, paused }
  }

  #readerGone(): Progress {
    const { position, eventId, roundsFailed, failingSince } = this.#webhook
    const because = 'Its key or member may no longer have webhooks'
    return {
      ...{ cursor: { position, id: eventId } satisfies Cursor, recorded: [], delayed: [], gone: [] },
      ...{ roundsFailed, failingSince, dueAt: this.#began, recovered: false, paused: { at: this.#began, because } },
    }
  }
}
