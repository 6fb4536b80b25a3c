import { EventEmitter } from 'node:events'
import type { Logger } from 'pino'
import type { Database } from '#/base/db/open.ts'
import { Loop } from '#/base/event-loop/loop.ts'
import { channel } from './announce.ts'
import { type Cursor, cursorText } from './cursor.ts'
import { eventsAfter, newsFrom, type Page } from './log.ts'

/** How often to look for new events without a notification, in milliseconds. */
const idleMs = 1_000
/** How long to wait for more notifications before looking. */
const batchMs = 5
/** The first wait for an older transaction to end. It doubles each time. */
const unsettledMs = 10

interface Watched {
  readers: number
  /** Incremented at each news. */
  version: number
  /** Whether a look has covered all time since the watch began. */
  looked: boolean
  readonly waiting: Set<() => void>
}

/** A reader of an organization's events. */
export interface Watch extends Disposable {
  /** The version of the news so far. Read it before a page, so that nothing after the page is missed. */
  readonly version: number
  /** The position of a reader who has read everything of that version; undefined before the first look. */
  readonly settled: Cursor | undefined
  /** Resolves at news since a version, after some milliseconds, or when the signal or the feed ends. */
  changed(since: number, ms: number, signal: AbortSignal): Promise<void>
}

/** Informs readers in this process of new events, with one look at the log for all. It looks when a transaction announces
 *  events, here or, on a server, in another process; while committed events wait for an older transaction; and every second.
 *  Without readers it does not look. */
export class EventFeed extends Loop {
  readonly #database: Pick<Database, 'db' | 'commits'>
  readonly #log: Logger
  readonly #watched = new Map<string, Watched>()
  readonly #pages = new Map<string, Promise<Page>>()
  readonly #ending = new AbortController()
  readonly #listener: AsyncDisposable | undefined
  readonly #announced = () => this.wake()
  /** Notifications with a text, between processes on a server. */
  readonly notifications = new EventEmitter<{ text: [string] }>()
  /** How long to wait for an older transaction; 0 if there is none. */
  #wait = 0
  #settled: number | undefined
  #failing = false

  constructor(database: Pick<Database, 'db' | 'commits' | 'listen'>, log: Logger) {
    super({ idleMs, log, failed: 'the event log could not be read; readers wait' })
    this.#database = database
    this.#log = log
    database.commits.on('announced', this.#announced)
    this.#listener = database.listen?.(channel, (text) => (text ? this.notifications.emit('text', text) : this.wake()))
    this.start()
  }

  /** Aborted when the service stops, so that readers end. */
  get ending(): AbortSignal {
    return this.#ending.signal
  }

  end(): void {
    this.#ending.abort()
    for (const { waiting } of this.#watched.values()) for (const resolve of waiting) resolve()
  }

  watch(organizationId: string): Watch {
    const watched = this.#watched.get(organizationId) ?? newlyWatched()
    this.#watched.set(organizationId, watched)
    watched.readers += 1
    if (this.#watched.size === 1 && watched.readers === 1) this.wake()
    const settled = () =>
      watched.looked && this.#settled !== undefined ? { position: this.#settled, id: 0 } : undefined
    return {
      get version() {
        return watched.version
      },
      get settled() {
        return settled()
      },
      changed: (since, ms, signal) => (this.ending.aborted ? Promise.resolve() : changed(watched, since, ms, signal)),
      [Symbol.dispose]: () => {
        watched.readers -= 1
        if (watched.readers === 0) this.#watched.delete(organizationId)
      },
    }
  }

  /** Events after a cursor. Concurrent readers of the same page share one query. */
  page(organizationId: string, after: Cursor): Promise<Page> {
    const name = `${organizationId} ${cursorText(after)}`
    const known = this.#pages.get(name)
    if (known) return known
    const page = eventsAfter(this.#database.db, organizationId, after).finally(() => this.#pages.delete(name))
    this.#pages.set(name, page)
    return page
  }

  /** Looks at the log for all readers. */
  protected override async round(): Promise<boolean> {
    if (this.#watched.size === 0) this.#settled = undefined
    if (this.#watched.size === 0 || this.ending.aborted) return false
    const wait = Math.max(unsettledMs, 2 * this.#wait)
    this.#wait = (await this.#look()) && wait < idleMs ? wait : 0
    return this.#wait > 0
  }

  protected override rest(): Promise<void> {
    return this.pause(this.#wait || batchMs)
  }

  /** Answers whether committed events wait for an older transaction. */
  async #look(): Promise<boolean> {
    const fresh = [...this.#watched.values()].filter(({ looked }) => !looked)
    try {
      const { settled, organizations, unsettled } = await newsFrom(this.#database.db, this.#settled)
      this.#settled = Math.max(settled, this.#settled ?? 0)
      // Nothing is known of the time before the watch: those readers look for themselves.
      const news = new Set(organizations.flatMap((id) => this.#watched.get(id) ?? []).concat(fresh))
      for (const watched of fresh) watched.looked = true
      for (const watched of news) renew(watched)
      this.#failing = false
      return unsettled
    } catch (err) {
      if (!this.#failing) this.#log.warn({ err }, 'the event log could not be read; readers wait')
      this.#failing = true
      return false
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.end()
    this.#database.commits.off('announced', this.#announced)
    await super[Symbol.asyncDispose]()
    await this.#listener?.[Symbol.asyncDispose]()
  }
}

function newlyWatched(): Watched {
  return { readers: 0, version: 0, looked: false, waiting: new Set() }
}

function renew(watched: Watched): void {
  watched.version += 1
  for (const resolve of watched.waiting) resolve()
}

async function changed(watched: Watched, since: number, ms: number, signal: AbortSignal): Promise<void> {
  if (watched.version !== since || signal.aborted || ms <= 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const end = () => resolve()
  watched.waiting.add(end)
  signal.addEventListener('abort', end)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    watched.waiting.delete(end)
    signal.removeEventListener('abort', end)
  }
}
