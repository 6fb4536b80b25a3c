import type { Logger } from 'pino'
import QuickLRU from 'quick-lru'
import { byService } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import { LeaseHolder } from '#/base/db/lease-holder.ts'
import type { Database } from '#/base/db/open.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { channel } from '#/base/event-log/announce.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import { retried } from '#/base/event-loop/retried.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { Names } from '#/events/event-stream/visible.ts'
import type { PublicHttp } from '#/http/public-http/public-http.ts'
import { Extra, Pace } from './concurrency.ts'
import { shownName } from './manage.ts'
import type { PausedNotice } from './paused-notice.ts'
import {
  anyWebhook,
  type ClaimedWebhook,
  claimWebhooks,
  delayWaiting,
  endRound,
  forgetWaiting,
  giveBack,
  leases,
  makeWaitingDue,
  type Progress,
  recordDeliveries,
  restarted,
  wasResumed,
} from './progress.ts'
import { pauseAfter } from './retries.ts'
import { Round } from './round.ts'

interface Dependencies {
  readonly database: Pick<Database, 'db' | 'commits' | 'listen'>
  readonly http: PublicHttp
  readonly secretKey: SealingKey
  readonly time: SharedTime
  readonly names: Names
  readonly notice: PausedNotice
  readonly log: Logger
}

/** How often to look for webhooks without a notification of events, and at most, in milliseconds. */
const idleMs = 1_000
const batchMs = 20
/** Webhooks that this process serves concurrently. A slow receiver occupies only its own place. */
const mostAtOnce = 400
/** Concurrent requests beyond the first of each webhook. */
const mostExtra = 600
/** Events in memory for them. */
const mostEvents = 20_000

/** Posts events to webhooks. Processes share them by leases; one process has a webhook at a time, for a round. */
export class WebhookWorker extends Loop {
  readonly #parts: Dependencies
  readonly #rounds = new Set<Promise<void>>()
  readonly #extra = new Extra(mostExtra)
  readonly #paces = new QuickLRU<string, Pace>({ maxSize: 10_000 })
  #listener: AsyncDisposable | undefined
  /** There are webhooks, so that notifications of events matter. */
  #any = true
  readonly #announced = () => {
    if (this.#any) this.wake()
  }

  constructor(parts: Dependencies) {
    super({ idleMs, log: parts.log, failed: 'webhooks that are due could not be read; they are read again' })
    this.#parts = parts
  }

  override start(): void {
    const { database } = this.#parts
    database.commits.on('announced', this.#announced)
    this.#listener = database.listen?.(channel, this.#announced)
    super.start()
  }

  protected override rest(): Promise<void> {
    return this.pause(batchMs)
  }

  /** Begins rounds of webhooks with events to deliver. */
  protected override async round(): Promise<boolean> {
    const { database, time } = this.#parts
    const room = mostAtOnce - this.#rounds.size
    this.#any = await anyWebhook(database.db)
    if (!this.#any || room === 0) return false
    const since = performance.now()
    const now = await time(database.db)
    const claimed = await claimWebhooks(database.db, now, room)
    const most = Math.ceil(mostEvents / (this.#rounds.size + claimed.length))
    for (const webhook of claimed) {
      const round = this.#serve(webhook, { now, since, most }).finally(() => {
        this.#rounds.delete(round)
        // There may be more by now.
        this.wake()
      })
      this.#rounds.add(round)
    }
    return false
  }

  async #serve(
    webhook: ClaimedWebhook,
    { now, since, most }: { now: Date; since: number; most: number },
  ): Promise<void> {
    const { database, time, log, http, secretKey, names } = this.#parts
    const { db } = database
    const pace = this.#paces.get(webhook.id) ?? new Pace(this.#extra)
    this.#paces.set(webhook.id, pace)
    using held = new LeaseHolder(db, leases, [webhook], { since, now: () => time(db), log })
    try {
      // If the database does not say, the round ends early, and what it has delivered is stored.
      const isHeld = async () => (await held.stillHeld([webhook]).catch(() => [])).length > 0
      const parts = { db, names, http, secretKey, stopping: this.stopping, isHeld }
      const round = new Round(parts, webhook, { pace, now, most: Math.min(most, pace.most) })
      const made = await round.run()
      await this.#write(async () => this.#save(webhook, made, { claimedAt: now, now: await time(db) }))
    } catch (err) {
      this.noteError(err, 'a round of a webhook failed; it is tried again', { webhook_id: webhook.id })
      const again = async () => giveBack(db, webhook, new Date((await time(db)).getTime() + pauseAfter(1)))
      // What the database does not take ends with the lease.
      await this.#write(again).catch(() => {})
    }
  }

  /** Retries for as long as a lease: a webhook whose round is not ended waits until its lease ends, and then gets its events twice. */
  async #write(write: () => Promise<void>): Promise<void> {
    await retried(write, { forMs: leases.forMs, mostBetweenMs: idleMs, stopping: this.stopping })
  }

  async #save(
    webhook: ClaimedWebhook,
    made: Progress,
    { claimedAt, now }: { claimedAt: Date; now: Date },
  ): Promise<void> {
    const { organizationId, id, name, url } = webhook
    const { database, notice, log } = this.#parts
    const mailOwners = made.paused && (await notice.from(organizationId))
    const paused = await database.db.transaction().execute(async (tx) => {
      const resumed = await wasResumed(tx, webhook)
      const progress = resumed ? restarted(made, now) : made
      const { paused } = progress
      if (!(await endRound(tx, webhook, progress))) return undefined
      // A resumption, too, makes what waits due later than the claim, so that it would pass for replayed.
      await recordDeliveries(tx, webhook, { recorded: progress.recorded, replayedAfter: resumed ? now : claimedAt })
      await delayWaiting(tx, webhook, progress.delayed)
      await forgetWaiting(tx, webhook, progress.gone)
      if (progress.recovered) await makeWaitingDue(tx, webhook, now)
      if (paused) {
        const [before, after] = [{ paused: false }, { paused: true, because: paused.because }]
        const item = { id, name: shownName({ name, url }) }
        await record(tx, byService, { organizationId, action: 'webhook.paused', ...item, before, after })
        const { failingSince } = progress
        await mailOwners?.(tx, { name: item.name, because: paused.because, failingSince })
      }
      return paused
    })
    if (!paused) return
    notice.wake()
    log.warn({ organization_id: organizationId, webhook_id: id, why: paused.because }, 'webhook paused')
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.database.commits.off('announced', this.#announced)
    await super[Symbol.asyncDispose]()
    await Promise.all(this.#rounds)
    await this.#listener?.[Symbol.asyncDispose]()
  }
}
