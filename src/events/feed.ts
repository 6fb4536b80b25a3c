import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '#/db/open.ts'
import { channel } from './announce.ts'
import { type Cursor, cursorText } from './cursor.ts'
import { eventsAfter, newsFrom, type Page } from './log.ts'
import type { ReaderNotes } from './readers.ts'

/** How often news are looked for while nothing announces any, in milliseconds. */
const idleMs = 1_000
/** How long what comes together is gathered. */
const gatherMs = 5
/** The first wait for an older transaction to end; it doubles. */
const unsettledMs = 10

interface Watched {
  readers: number
  /** Goes up with each news. */
  version: number
  /** It has been watched since before the last look. */
  looked: boolean
  readonly waiting: Set<() => void>
}

/** Somebody who reads the events of an organization. */
export interface Watch extends Disposable {
  /** Of the news so far. Taken before a page is read, it misses nothing that comes after the page. */
  readonly version: number
  /** Where a reader is who has read all of that version; undefined before the first look. */
  readonly settled: Cursor | undefined
  /** Resolves once there are news since a version, after some milliseconds, or when the signal or the feed ends. */
  changed(since: number, ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Tells the readers in this process of news, by one look at the log for all of them: when a transaction announces events, in
 * this process or, on a server, in another; while something committed waits for an older transaction; and every second. With
 * no readers it does not look.
 */
export class EventFeed implements AsyncDisposable {
  readonly #database: Pick<Database, 'db' | 'commits'>
  readonly #log: Logger
  readonly #notes: ReaderNotes | undefined
  readonly #watched = new Map<string, Watched>()
  readonly #pages = new Map<string, Promise<Page>>()
  readonly #ending = new AbortController()
  readonly #listener: AsyncDisposable | undefined
  readonly #wake = () => this.#ask()
  /** Texts that processes tell each other on a server beside the log. */
  readonly told = new EventEmitter<{ text: [string] }>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #again = false
  #settled: number | undefined
  #failing = false

  /** With `notes`, where somebody must know who reads. */
  constructor(database: Pick<Database, 'db' | 'commits' | 'listen'>, log: Logger, notes?: ReaderNotes) {
    this.#database = database
    this.#log = log
    this.#notes = notes
    database.commits.on('announced', this.#wake)
    this.#listener = database.listen?.(channel, (text) => (text ? this.told.emit('text', text) : this.#ask()))
  }

  /** Aborted when the service stops: readers end. */
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
    this.#notes?.note([organizationId])
    this.#timer ??= this.#lookIn(0)
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

  /** Events after a cursor. Readers who ask together for the same share an answer. */
  page(organizationId: string, after: Cursor): Promise<Page> {
    const name = `${organizationId} ${cursorText(after)}`
    const known = this.#pages.get(name)
    if (known) return known
    const page = eventsAfter(this.#database.db, organizationId, after).finally(() => this.#pages.delete(name))
    this.#pages.set(name, page)
    return page
  }

  #lookIn(ms: number): NodeJS.Timeout {
    clearTimeout(this.#timer)
    const timer = setTimeout(() => this.#ask(), ms)
    timer.unref()
    return timer
  }

  #ask(): void {
    if (this.ending.aborted) return
    if (this.#watched.size > 0) {
      this.#again = true
      this.#looking ??= this.#lookOn()
    } else this.#rest()
  }

  /** Nobody reads. */
  #rest(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#settled = undefined
  }

  async #lookOn(): Promise<void> {
    let next = idleMs
    for (let wait = unsettledMs; this.#again && this.#watched.size > 0 && !this.ending.aborted; ) {
      this.#again = false
      const unsettled = await this.#look()
      next = unsettled ? Math.min(wait, idleMs) : idleMs
      wait = unsettled ? wait * 2 : unsettledMs
      if (next < idleMs) this.#again = true
      await pause(next < idleMs ? next : gatherMs)
    }
    this.#looking = undefined
    this.#timer = this.#lookIn(next)
  }

  /** Whether something waits for an older transaction. */
  async #look(): Promise<boolean> {
    this.#notes?.note(this.#watched.keys())
    const fresh = [...this.#watched.values()].filter(({ looked }) => !looked)
    try {
      const { settled, organizations, unsettled } = await newsFrom(this.#database.db, this.#settled)
      this.#settled = Math.max(settled, this.#settled ?? 0)
      // Of what came before they were watched nothing is known: they look for themselves.
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
    clearTimeout(this.#timer)
    this.#database.commits.off('announced', this.#wake)
    await this.#looking
    clearTimeout(this.#timer)
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
