import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '#/base/db/open.ts'
import { short } from '#/base/db/short.ts'
import { channel } from '#/base/event-log/announce.ts'
import { KnownTexts } from '#/imap/fetch/known-texts.ts'
import { ReadAhead } from '#/imap/fetch/read-ahead.ts'
import { FolderMaps } from './folder-maps.ts'
import { MailboxWatches } from './notify/mailbox-watches.ts'

/** How often folders are looked at without an announcement on a server, in milliseconds: a process may be killed between a
 *  commit and its announcement. */
const idleMs = 1_000
/** The least time between two looks, in milliseconds. */
const batchMs = 5
/** The share of time that looks take at most: a look at the folders of 2,000 sessions takes some milliseconds. */
const share = 1 / 5

/** How long what was read is kept for others who were woken, in milliseconds since the last of them had it. */
const sharedMs = 100
/** Sessions that are woken in a turn of the event loop. */
const wokenAtOnce = 100

/** What has changed in a folder is above its modification sequence, and a renamed folder has another name. */
export interface FolderMark {
  readonly modseq: number
  readonly name: string
}

interface Shared {
  readonly reading: Promise<unknown>
  /** Forgets it, once it has been read. */
  forgetting?: NodeJS.Timeout
}

interface Watched {
  /** Undefined before the first look, null once the folder is gone. */
  mark: FolderMark | null | undefined
  /** The number of announcements at the time of which the mark is known to be right. */
  checked: number
  readonly wakes: Set<() => void>
}

/** Somebody who is woken when a folder may have changed. */
export interface FolderWatch extends Disposable {
  /** Whether the folder is known to be as the mark says: nobody has announced a change since it was read. */
  isStill(mark: FolderMark): boolean
  /** The folder was read after so many announcements. */
  found(mark: FolderMark, announcements: number): void
}

/** Wakes the sessions whose selected folders have changed, in this process or another one. There is one for a process. Each
 *  transaction that changes a folder's modification sequence announces its commit (src/base/db/connections/prepared.ts), on a server
 *  by a notification to the other processes. Then one statement reads the modification sequences of all folders that are
 *  selected here, and sessions of changed ones are woken. It does not wait for older transactions, as readers of the event log
 *  do, since it reads what is, not what has happened. */
export class FolderNews implements AsyncDisposable {
  readonly maps = new FolderMaps()
  readonly texts = new KnownTexts()
  readonly ahead = new ReadAhead()
  readonly mailboxes = new MailboxWatches()
  readonly #database: Pick<Database, 'db' | 'commits'>
  readonly #log: Logger
  readonly #watched = new Map<number, Watched>()
  readonly #listener: AsyncDisposable | undefined
  readonly #announced = () => this.#wake()
  readonly #ending = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined
  readonly #shared = new Map<string, Shared>()
  #announcements = 0
  /** The number of announcements at the last look. */
  #looked = 0
  #looking: Promise<void> | undefined
  /** Whether folders are looked at without an announcement. */
  #isDue = false
  #isFailing = false

  constructor(database: Pick<Database, 'db' | 'commits' | 'listen'>, log: Logger) {
    this.#database = database
    this.#log = log
    database.commits.on('announced', this.#announced)
    this.#listener = database.listen?.(channel, (text) => (text ? undefined : this.#wake()))
    if (!this.#listener) return
    this.#timer = setInterval(() => {
      this.#isDue = true
      this.#lookIfWatched()
    }, idleMs)
    this.#timer.unref()
  }

  /** How many commits were announced. Read it before a folder, to tell `found` and `watch` when that was. */
  get announcements(): number {
    return this.#announcements
  }

  /** Calls `wake` each time the folder may have changed since it was found as `mark` says, after so many announcements. */
  watch(folderId: number, mark: FolderMark, announcements: number, wake: () => void): FolderWatch {
    const watched = this.#watched.get(folderId) ?? { mark, checked: announcements, wakes: new Set() }
    this.#watched.set(folderId, watched)
    watched.wakes.add(wake)
    const watch: FolderWatch = {
      isStill: (mark) => watched.checked === this.#announcements && isSame(watched.mark, mark),
      found: (mark, announcements) => void find(watched, mark, announcements, wake),
      [Symbol.dispose]: () => {
        watched.wakes.delete(wake)
        if (watched.wakes.size === 0 && this.#watched.get(folderId) === watched) this.#watched.delete(folderId)
      },
    }
    watch.found(mark, announcements)
    return watch
  }

  /** What others read under the same name since the last announcement: sessions that are woken by one change share a look. */
  shared<T>(name: string, read: () => Promise<T>): Promise<T> {
    // What has a name is read in one way only.
    const known = this.#shared.get(name)
    known?.forgetting?.refresh()
    if (known) return known.reading as Promise<T>
    const reading = read()
    const shared: Shared = { reading }
    this.#shared.set(name, shared)
    const forget = () => {
      if (this.#shared.get(name) === shared) this.#shared.delete(name)
    }
    const forgetLater = () => {
      shared.forgetting = setTimeout(forget, sharedMs).unref()
    }
    reading.then(forgetLater, forget)
    return reading
  }

  #wake(): void {
    this.#announcements += 1
    this.#shared.clear()
    this.#lookIfWatched()
  }

  #lookIfWatched(): void {
    if (this.#isWatched) this.#looking ??= this.#lookOn()
  }

  get #isWatched(): boolean {
    return this.#watched.size + this.mailboxes.size > 0
  }

  async #lookOn(): Promise<void> {
    const { signal } = this.#ending
    while ((this.#isDue || this.#looked < this.#announcements) && this.#isWatched && !signal.aborted) {
      const begun = performance.now()
      const isDone = await this.#look()
      const wait = isDone ? Math.max(batchMs, (performance.now() - begun) * (1 / share - 1)) : idleMs
      await pause(wait, undefined, { signal }).catch(() => {})
    }
    this.#looking = undefined
  }

  /** False if the database did not answer. */
  async #look(): Promise<boolean> {
    this.#isDue = false
    const announcements = this.#announcements
    const ids = [...this.#watched.keys()]
    try {
      const { rows } = await sql<FolderMark & { id: number }>`
        select id, modseq, name from mail_folders where id = any(${ids}::bigint[])`.execute(short(this.#database.db))
      this.#isFailing = false
      const found = new Map(rows.map(({ id, modseq, name }) => [id, { modseq, name }]))
      for (const id of ids) {
        const watched = this.#watched.get(id)
        if (watched) await find(watched, found.get(id) ?? null, announcements)
      }
      await this.mailboxes.look(this.#database.db)
      this.#looked = announcements
      return true
    } catch (err) {
      if (!this.#isFailing)
        this.#log.warn({ err }, 'selected folders could not be looked at; mail programs learn of changes later')
      this.#isFailing = true
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#database.commits.off('announced', this.#announced)
    this.#ending.abort()
    await this.#looking
    await this.#listener?.[Symbol.asyncDispose]()
  }
}

/** Wakes everybody but who has found it, a few in a turn of the event loop: each writes to its client. */
async function find(watched: Watched, mark: FolderMark | null, announcements: number, by?: () => void): Promise<void> {
  if (announcements < watched.checked) return
  watched.checked = announcements
  if (isSame(watched.mark, mark)) return
  watched.mark = mark
  let woken = 0
  for (const wake of [...watched.wakes]) {
    if (wake === by) continue
    if (++woken % wokenAtOnce === 0) await nextTurn()
    wake()
  }
}

function isSame(one: FolderMark | null | undefined, other: FolderMark | null | undefined): boolean {
  return one === other || (one?.modseq === other?.modseq && one?.name === other?.name)
}
