import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { LeaseHolder } from '#/db/lease-holder.ts'
import { databaseNow } from '#/db/leases.ts'
import type { Db } from '#/db/schema.ts'
import { StepWorker } from '#/event-loop/step-worker.ts'
import { appendEvents, type By } from '#/events/append.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { Access } from '../access.ts'
import { judgeOf } from './judge.ts'
import { type FolderLook, lookAround } from './look.ts'
import {
  chooseWatches,
  claimWatches,
  endLook,
  lockWatch,
  notedChanges,
  rememberedFolders,
  rememberFolders,
  type Watch,
  watchLeases,
} from './queries.ts'

/** In milliseconds. */
export interface Times {
  /** The pause between two searches for due mailboxes. */
  readonly pollMs: number
  /** The pause between two looks at a mailbox. */
  readonly restMs: number
  /** From a look to its events: by then Mailroom has recorded its own earlier changes. */
  readonly graceMs: number
}

const usual: Times = { pollMs: 5_000, restMs: 25_000, graceMs: 3_000 }

interface Parts {
  readonly db: Db
  readonly server: ImapServer
  readonly log: Logger
  readonly times?: Partial<Times>
}

/** Mailboxes that this process has claimed, and its connections for looking at them. */
const mostClaimed = 100
const mostConnections = 8
/** How long a mailbox waits for a connection, in milliseconds. */
const longestWait = 20_000
/** The pause after a failed look. */
const failedMs = 60_000
/** The pause if there are more changes, or if Mailroom changed the same messages. */
const soonMs = 1_000
/** Events in a statement. */
const atATime = 1_000

const byMailProgram: By = { kind: 'mail_program', id: null, name: '' }

/** Logs changes by other programs on the mail server, in mailboxes that have readers. Processes share them by leases. */
export class MailWatcher extends StepWorker {
  readonly #db: Db
  readonly #log: Logger
  readonly #times: Times
  readonly #access: Access
  readonly #looks = new Set<Promise<void>>()
  #failing = false

  constructor({ db, server, log, times: chosen }: Parts) {
    const times = { ...usual, ...chosen }
    super({ idleMs: times.pollMs, log, failed: 'mailboxes to look at could not be found' })
    this.#db = db
    this.#log = log
    this.#times = times
    this.#access = new Access(server, mostConnections)
  }

  /** Looks at all due mailboxes once. */
  async round(): Promise<void> {
    await this.#beginLooks()
    await Promise.all(this.#looks)
  }

  protected override async step(): Promise<boolean> {
    await this.#beginLooks()
    return false
  }

  async #beginLooks(): Promise<void> {
    await chooseWatches(this.#db)
    const room = mostClaimed - this.#looks.size
    if (room === 0) return
    const began = performance.now()
    for (const watch of await claimWatches(this.#db, room)) {
      const look = this.#look(watch, began).finally(() => this.#looks.delete(look))
      this.#looks.add(look)
    }
  }

  async #look(watch: Watch, since: number): Promise<void> {
    const db = this.#db
    using _held = new LeaseHolder(db, watchLeases, [watch], { since, now: () => databaseNow, log: this.#log })
    try {
      const looks = await this.#lookAround(watch)
      const isNews = looks.some(({ changed, came, gone }) => changed.size + came.size + gone.length > 0)
      if (isNews) await pause(this.#times.graceMs, undefined, { signal: this.stopping })
      await this.#appendEvents(watch, looks)
      this.#failing = false
    } catch (err) {
      if (this.stopping.aborted) return
      if (!this.#failing)
        this.#log.warn({ err, mailbox: watch.id }, 'a mailbox could not be looked at; it is tried again')
      this.#failing = true
      await endLook(db, watch, { taken: false, dueInMs: failedMs }).catch(() => {})
    }
  }

  async #lookAround(watch: Watch): Promise<FolderLook[]> {
    const { id, organizationId, lookedAt } = watch
    const remembered = await rememberedFolders(this.#db, watch)
    const account = { mailbox: { organizationId, mailboxId: id }, login: id, waiting: false }
    return await this.#access.inMailbox(
      account,
      (session, layout) => lookAround(session, layout, remembered, lookedAt === null),
      performance.now() + longestWait,
    )
  }

  /** Events and the remembered state are one transaction: a process that dies writes both or neither. */
  async #appendEvents(watch: Watch, looks: readonly FolderLook[]): Promise<void> {
    const { id: mailboxId, organizationId } = watch
    const { restMs } = this.#times
    await this.#db.transaction().execute(async (tx) => {
      if (!(await lockWatch(tx, watch))) return
      const noted = await notedChanges(tx, watch)
      const judge = judgeOf({ organizationId, mailboxId }, looks, noted)
      const judged = looks.map((look) => ({ look, events: judge(look) }))
      const settled = judged.flatMap(({ look, events }) => (events ? [{ look, events }] : []))
      const events = settled.flatMap((one) => one.events)
      for (let at = 0; at < events.length; at += atATime) {
        await appendEvents(tx, events.slice(at, at + atATime), byMailProgram)
      }
      await rememberFolders(
        tx,
        watch,
        settled.map(({ look }) => look),
      )
      const isDone = settled.length === looks.length && !looks.some(({ more }) => more)
      await endLook(tx, watch, { taken: true, dueInMs: isDone ? restMs : Math.min(soonMs, restMs) })
    })
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await Promise.all(this.#looks)
    await this.#access[Symbol.asyncDispose]()
  }
}
