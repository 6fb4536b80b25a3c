import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { LeaseHolder } from '#/base/db/lease-holder.ts'
import { databaseNow, type Lease } from '#/base/db/leases.ts'
import type { Db } from '#/base/db/schema.ts'
import { isUnavailable } from '#/base/db/unavailable.ts'
import { Refusal } from '#/base/errors.ts'
import type { Foreground } from '#/base/event-loop/foreground.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import { type Deleting, deleteFolder } from './delete-folder.ts'
import { putBack } from './put-back.ts'
import { claimRunning, isRunning, nextPart, type Running } from './queries.ts'
import { changeLeases, endChange, failChange, releaseFailing } from './record.ts'
import { replaceKeyword } from './replace-keyword.ts'

/** In milliseconds. Only work that a process left is polled for. */
const idleMs = 5_000
/** How long a request waits for the end of its change, in milliseconds. */
const mostWaited = 5_000
/** Messages in one step. */
const usualTogether = 500

interface Dependencies {
  readonly db: Db
  readonly log: Logger
  readonly foreground: Foreground
  /** Messages in one step. */
  readonly together?: number
}

/** Does the work of running changes in steps, between which other requests run. The caller waits for a while; the worker
 *  continues what a process left. One process works on a change. Each change ends: what is refused, and what fails again and again,
 *  has failed with its reason. */
export class RunningChanges extends Loop {
  readonly #parts: Dependencies
  readonly #working = new Set<Promise<unknown>>()

  constructor(parts: Dependencies) {
    super({ idleMs, log: parts.log, failed: 'a step of a change failed; it is tried again' })
    this.#parts = parts
  }

  /** Works on a change until it has ended, or waits for the process that does, or for an earlier change. Resolves earlier if that
   *  takes long; the work continues. @throws Refusal if it is refused, or the database is away */
  async run(id: string, most = mostWaited): Promise<void> {
    const waited = new AbortController()
    const work = this.#track(this.#untilDone(id, waited.signal))
    try {
      await Promise.race([work, pause(most, undefined, { signal: waited.signal }).catch(() => {})])
    } finally {
      waited.abort()
    }
  }

  /** The same. If a step fails, the worker continues the change. */
  async runOrLeave(id: string): Promise<void> {
    await this.run(id).catch((err: unknown) =>
      this.#parts.log.warn({ err, change: id }, 'a change is left to the worker'),
    )
  }

  async #untilDone(id: string, signal: AbortSignal): Promise<void> {
    for (let ms = 20; !(await this.#work(id)) && (await isRunning(this.#parts.db, id)); ms = Math.min(2 * ms, 500)) {
      await pause(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted || this.stopping.aborted) return
    }
  }

  /** Continues a change that a process left. */
  protected override round(): Promise<boolean> {
    return this.#work(undefined)
  }

  /** Whether there was one. */
  async #work(id: string | undefined): Promise<boolean> {
    const { db, log } = this.#parts
    if (this.stopping.aborted) return false
    const since = performance.now()
    const claimed = await claimRunning(db, id)
    if (!claimed) return false
    using holder = new LeaseHolder(db, changeLeases, [claimed], { since, now: () => databaseNow, log })
    const mayContinue = async () => !this.stopping.aborted && (await holder.stillHeld([claimed])).length > 0
    let done = false
    try {
      done = await this.#steps(claimed, mayContinue)
    } catch (error) {
      await this.#failed(claimed, error, { asked: id !== undefined })
      throw error
    }
    if (done) await endChange(db, claimed.id)
    else await releaseChange(db, claimed)
    return true
  }

  /** What is refused would be refused again, and the database is away for a time. Anything else may be over at the next attempt. */
  async #failed(change: Running & Lease<string>, error: unknown, { asked }: { asked: boolean }): Promise<void> {
    const { db } = this.#parts
    if (isUnavailable(error) || this.stopping.aborted) return releaseChange(db, change)
    // Who asked learns why, and needs no record of a change without effect.
    if (error instanceof Refusal) return failChange(db, change, { reason: error.message, unlessIdle: asked })
    await releaseFailing(db, change)
  }

  async #steps(change: Running, mayContinue: () => Promise<boolean>): Promise<boolean> {
    const { db, foreground } = this.#parts
    const between = () => foreground.letPass(this.stopping)
    const { together = usualTogether } = this.#parts
    const { id, organization_id: organizationId, undoes, remove_keyword, by } = change
    if (remove_keyword !== null)
      return replaceKeyword({ db, between, together }, { ...change, remove_keyword }, mayContinue)
    if (isDeleting(change)) return deleteFolder({ db, together }, change, mayContinue)
    if (undoes === null) return true
    for (let first = true; await mayContinue(); first = false) {
      const part = await nextPart(db, undoes)
      if (!part) return true
      if (!first) await between()
      await putBack({ db, together, undo: { id, organizationId, by } }, part)
    }
    return false
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work)
    const forget = () => this.#working.delete(work)
    work.then(forget, forget)
    return work
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([super[Symbol.asyncDispose](), Promise.allSettled(this.#working)])
  }
}

function isDeleting(change: Running): change is Deleting {
  return change.folder !== null && change.folder_key !== null && change.move_to !== null
}

/** Releases the lease, so that others can continue at once. */
async function releaseChange(db: Db, lease: Lease): Promise<void> {
  await changeLeases.release(db, [lease], sql`state = state`)
}
