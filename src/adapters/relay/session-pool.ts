import type { Session } from './session.ts'
import { Stale } from './transaction.ts'
import { stopped } from './trouble.ts'

export interface PoolOptions {
  /** Sessions at a time to one place; whoever comes after waits. */
  readonly most: number
  /** Milliseconds that a session is kept with nothing to do; 0 keeps none. */
  readonly idle: number
  /** Idle sessions, to all places together. */
  readonly mostIdle: number
  /** Messages that a session carries before another takes its place. */
  readonly messages: number
}

interface Place {
  /** Sessions in use or being opened. */
  busy: number
  readonly idle: Session[]
  readonly waiting: (() => void)[]
}

/** Keeps sessions open between messages, so that not every message pays for the connection, TLS and login. */
export class SessionPool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #places = new Map<string, Place>()
  readonly #timers = new Map<Session, NodeJS.Timeout>()
  readonly #closing = new Set<Promise<void>>()
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Does the work on a session to that place, an idle one where there is one. Work that finds it `Stale` is done again
   *  on one that `open` opens. */
  async use<T>(
    key: string,
    signal: AbortSignal,
    open: () => Promise<Session>,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const place = await this.#enter(key, signal)
    try {
      const idle = await this.#idleOne(place)
      if (idle) {
        try {
          return await this.#work(key, place, idle, work)
        } catch (error) {
          if (!(error instanceof Stale)) throw error
        }
      }
      return await this.#work(key, place, await open(), work)
    } finally {
      this.#leave(key, place)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const place of this.#places.values()) for (const session of [...place.idle]) this.#retire(place, session)
    await Promise.all(this.#closing)
  }

  async #work<T>(key: string, place: Place, session: Session, work: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await work(session)
    } finally {
      this.#keep(key, place, session)
    }
  }

  async #enter(key: string, signal: AbortSignal): Promise<Place> {
    const place = this.#places.get(key) ?? { busy: 0, idle: [], waiting: [] }
    this.#places.set(key, place)
    if (place.busy < this.#options.most) {
      place.busy += 1
      return place
    }
    const { promise, resolve, reject } = Promise.withResolvers<Place>()
    // Whoever leaves hands over their turn, so `busy` stays as it is.
    const turn = () => resolve(place)
    const stop = () => {
      const at = place.waiting.indexOf(turn)
      if (at < 0) return
      place.waiting.splice(at, 1)
      reject(stopped(signal))
    }
    place.waiting.push(turn)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    return promise.finally(() => signal.removeEventListener('abort', stop))
  }

  #leave(key: string, place: Place): void {
    const next = place.waiting.shift()
    if (next) return void next()
    place.busy -= 1
    this.#forget(key, place)
  }

  #forget(key: string, place: Place): void {
    if (place.busy === 0 && place.idle.length === 0) this.#places.delete(key)
  }

  /** The one that was used last, since it is the least likely to have been closed. */
  async #idleOne(place: Place): Promise<Session | undefined> {
    for (let session = place.idle.at(-1); session; session = place.idle.at(-1)) {
      this.#take(place, session)
      if (await session.ready()) return session
      session.wire.destroy()
    }
    return undefined
  }

  #keep(key: string, place: Place, session: Session): void {
    if (session.lost()) return
    const { messages, mostIdle, idle } = this.#options
    const enough = session.used >= messages || this.#timers.size >= mostIdle || idle === 0
    if (this.#closed || enough) return void this.#quit(session)
    place.idle.push(session)
    const end = () => {
      this.#retire(place, session)
      this.#forget(key, place)
    }
    this.#timers.set(session, setTimeout(end, idle))
    session.wire.watch(end)
  }

  #take(place: Place, session: Session): void {
    place.idle.splice(place.idle.indexOf(session), 1)
    clearTimeout(this.#timers.get(session))
    this.#timers.delete(session)
    session.wire.watch(undefined)
  }

  #retire(place: Place, session: Session): void {
    this.#take(place, session)
    this.#quit(session)
  }

  #quit(session: Session): void {
    const closing = session.wire.quit(session.limits.quit)
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }
}
