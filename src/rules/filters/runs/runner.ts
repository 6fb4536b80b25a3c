import type { Logger } from 'pino'
import { LeaseLost } from '#/base/db/leases.ts'
import type { Db } from '#/base/db/schema.ts'
import { isUnavailable } from '#/base/db/unavailable.ts'
import { ifMissing, Refusal } from '#/base/errors.ts'
import type { Foreground } from '#/base/event-loop/foreground.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import { keywordsKnown } from '#/mail/labels/queries.ts'
import { visibleKeywords } from '#/mail/messages/queries.ts'
import { findFolder } from '#/mail/store/folders.ts'
import { readHeadings } from '#/mail/store/headings.ts'
import { updateIn } from '#/mail/store/update.ts'
import { type CompiledFilter, compileFilter } from '../matching.ts'
import { type Counts, changesOf, noChanges, plusChanges, sumOfChanges } from './counts.ts'
import type { Plan } from './groups.ts'
import { mailboxOf, Pages } from './pages.ts'
import { evaluate, plusMatches, samplesOf } from './plan.ts'
import { advanced, type ClaimedRun, mostSamples } from './run.ts'
import type { RunFolder } from './run-folder.ts'
import { nextStep, usualStep } from './step-size.ts'
import {
  beginRunChange,
  claimRun,
  deferRun,
  endRun,
  nextFolder,
  releaseRun,
  type Step,
  settled,
  settleStep,
  settleWithin,
} from './steps.ts'

/** The pause between looks for a run, in milliseconds. */
const idleMs = 1_000
/** How long a run is kept before others are served, in milliseconds. */
const turnMs = 1_000
/** A step that fails so often ends the run. */
const mostAttempts = 5
/** The pause after a failed step. */
const secondsBetweenAttempts = 10

interface Dependencies {
  readonly db: Db
  readonly log: Logger
  readonly foreground: Foreground
  /** The database is. */
  readonly embedded: boolean
}

/** A run that this process has claimed, between steps. */
interface Turn {
  readonly run: ClaimedRun
  /** The folder to continue with, if known. */
  readonly folder?: RunFolder | undefined
  /** By performance.now(). */
  readonly until: number
}

/** Applies filters to stored mail, some messages at a time. Runs are rows of a table that processes share. One is claimed
 *  for some steps, so that runs are served in turn. */
export class FilterRunner extends Loop {
  readonly #parts: Dependencies
  readonly #pages: Pages
  #turn: Turn | undefined
  #atOnce = usualStep

  constructor(parts: Dependencies) {
    super({ idleMs, log: parts.log, failed: 'runs of filters could not be claimed; it is tried again' })
    this.#parts = parts
    this.#pages = new Pages(
      (...asked) => readHeadings(parts.db, ...asked),
      async (run, { folder, address }, messages) => {
        const most = run.preview ? mostSamples - run.sample.length : 0
        return evaluate(await this.#filters(run), messages, { folder, address, most })
      },
    )
  }

  protected override async rest(more: boolean, ms: number): Promise<void> {
    await super.rest(more, ms)
    if (more) await this.#parts.foreground.letPass(this.stopping)
  }

  /** A step of a run. */
  protected override async round(): Promise<boolean> {
    const turn = this.#turn ?? (await this.#claim())
    this.#turn = undefined
    if (!turn) return false
    const since = performance.now()
    try {
      this.#turn = await this.#advance(turn)
      this.#atOnce = nextStep(this.#atOnce, performance.now() - since, this.#parts)
    } catch (error) {
      this.#pages.forget()
      if (!(error instanceof LeaseLost)) await this.#failed(turn.run, error)
    }
    return true
  }

  async #claim(): Promise<Turn | undefined> {
    const until = performance.now() + turnMs
    const run = await claimRun(this.#parts.db)
    return run && { run, until }
  }

  /** Resolves to the remaining time of the run. */
  async #advance({ run, until, folder: known }: Turn): Promise<Turn | undefined> {
    const { db } = this.#parts
    const cancelled = run.state === 'cancelled'
    const folder = cancelled ? undefined : (known ?? (await nextFolder(db, run)))
    if (!folder) {
      await endRun(db, run, cancelled ? 'cancelled' : 'done', null)
      return undefined
    }
    const turn = { run, folder, until }
    if (folder.uidValidity === null) return this.#look(turn)
    if (folder.plan) return this.#change(turn, folder.plan, { counts: run.counts, seen: run.seen })
    return this.#evaluate(turn)
  }

  /** Determines the last uid that the run reads in a folder. */
  async #look(turn: Started): Promise<Turn | undefined> {
    const { run, folder } = turn
    const found = await findFolder(this.#parts.db, mailboxOf(run, folder), folder.folder).catch(ifMissing(undefined))
    const lastUid = found ? found.uid_next - 1 : 0
    const next = await this.#settle(turn, {
      total: (run.total ?? 0) + (found?.total ?? 0),
      folder: { ...folder, uidValidity: found?.id ?? 0, lastUid, done: lastUid === 0 },
    })
    // Folders that it has not read come first.
    return next && { ...next, folder: undefined }
  }

  async #evaluate(turn: Started): Promise<Turn | undefined> {
    const { run, folder } = turn
    const page = await this.#pages.read(run, folder, this.#atOnce)
    if (page?.uidValidity !== folder.uidValidity) {
      // It is deleted, or another folder has its name.
      return this.#settle(turn, { folder: { ...folder, done: true } })
    }
    const { found } = page
    const counts = plusMatches(run.counts, found)
    const seen = run.seen + page.messages.length
    if (run.preview || found.groups.length === 0) {
      const would = found.groups
        .map(({ uids, change }) => changesOf(change, uids.length))
        .reduce(sumOfChanges, noChanges)
      const keywords = found.matching.flatMap(({ heading }) => heading.keywords)
      const visible = await visibleKeywords(this.#parts.db, run.owner, keywords)
      const sample = [...run.sample, ...samplesOf(await this.#filters(run), found, folder, visible)]
      return this.#settle(turn, {
        counts: plusChanges(counts, would),
        seen,
        sample,
        folder: advanced(folder, page.upTo),
      })
    }
    return this.#change(turn, { groups: found.groups, upTo: page.upTo }, { counts, seen })
  }

  async #settle({ run, until }: Turn, step: Step): Promise<Turn | undefined> {
    const continues = this.#continues(until)
    const settled = await settleStep(this.#parts.db, run, { ...step, continues })
    return continues ? { ...settled, until } : undefined
  }

  /** Whether the run is kept for another step. */
  #continues(until: number): boolean {
    return performance.now() < until && !this.stopping.aborted
  }

  /** The filters as of the beginning of the run, without those whose label has been deleted since. */
  async #filters({ owner, filters }: ClaimedRun): Promise<CompiledFilter[]> {
    const keywords = filters.flatMap(({ action, argument }) =>
      action === 'label' && argument !== null ? argument : [],
    )
    const known = keywords.length > 0 ? await keywordsKnown(this.#parts.db, owner, keywords) : new Set()
    return filters.map((filter) => {
      const broken = filter.action === 'label' && !known.has(filter.argument) ? 'label_deleted' : null
      return compileFilter({ ...filter, enabled: true, broken }, filter.id)
    })
  }

  /** Makes the first change of a plan, and stores the rest of the plan in its transaction. */
  async #change(
    { run, folder, until }: Started,
    plan: Plan,
    { counts, seen }: { counts: Counts; seen: number },
  ): Promise<Turn | undefined> {
    const { db } = this.#parts
    const [group, ...groups] = plan.groups
    if (!group) throw new Error('A plan has a change')
    const changeId = run.changeId ?? (await beginRunChange(db, run))
    const continues = this.#continues(until)
    const left = groups.length > 0 ? { groups, upTo: plan.upTo } : null
    const next = left ? { ...folder, plan: left, done: false } : advanced(folder, plan.upTo)
    // They are evaluated during the change. On the embedded database a request waits for both at once.
    if (continues && !left && !next.done) this.#pages.readAhead(run, next, this.#atOnce)
    const settling = { counts, seen, folder: next, continues }
    const at = { mailbox: mailboxOf(run, folder), folderId: folder.uidValidity ?? 0 }
    const recording = settleWithin({ ...run, changeId }, settling)
    const done = await db.transaction().execute(async (tx) => {
      const { recorded } = await updateIn(tx, at, group.uids, group.change, run.by, recording)
      return settled({ ...run, changeId }, settling, recorded)
    })
    return continues ? { ...done, until } : undefined
  }

  async #failed(run: ClaimedRun, error: unknown): Promise<void> {
    const { db } = this.#parts
    const away = isUnavailable(error)
    const refused = error instanceof Refusal
    if (!refused) this.noteError(error, 'a step of a run of filters failed', { run: run.id })
    const text = refused ? error.message : away ? 'The database did not answer' : 'Internal error'
    if (refused || run.attempts >= mostAttempts) return endRun(db, run, 'failed', text)
    const attempts = away ? 0 : run.attempts
    await deferRun(db, run, { error: text, seconds: secondsBetweenAttempts, attempts })
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    const turn = this.#turn
    this.#turn = undefined
    if (turn) await releaseRun(this.#parts.db, turn.run)
  }
}

type Started = Turn & { readonly folder: RunFolder }
