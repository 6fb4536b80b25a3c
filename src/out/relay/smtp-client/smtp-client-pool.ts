import { stopped } from '../delivery-failure.ts'
import type { SmtpClient } from './smtp-client.ts'
import { Stale } from './transaction.ts'

export interface PoolOptions {
  /** Concurrent sessions to one place; further deliveries wait. */
  readonly most: number
  /** Milliseconds that an idle session is kept; 0 keeps none. */
  readonly idle: number
  /** Idle sessions, to all places together. */
  readonly mostIdle: number
  /** Messages after which a session is closed. */
  readonly messages: number
}

interface HostSessions {
  /** Sessions in use or being opened. */
  busy: number
  readonly idle: SmtpClient[]
  readonly waiting: (() => void)[]
}

/** Pools sessions, to save the connection, TLS handshake and login for most messages. */
export class SmtpClientPool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #places = new Map<string, HostSessions>()
  readonly #timers = new Map<SmtpClient, NodeJS.Timeout>()
  readonly #closing = new Set<Promise<void>>()
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Does the work on a session to that place, an idle one if possible. If that is `Stale`, repeats the work on one that
   *  `open` opens. */
  async use<T>(
    key: string,
    signal: AbortSignal,
    open: () => Promise<SmtpClient>,
    work: (session: SmtpClient) => Promise<T>,
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

  async #work<T>(
    key: string,
    place: HostSessions,
    session: SmtpClient,
    work: (session: SmtpClient) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(session)
    } finally {
      this.#checkIn(key, place, session)
    }
  }

  async #enter(key: string, signal: AbortSignal): Promise<HostSessions> {
    const place = this.#places.get(key) ?? { busy: 0, idle: [], waiting: [] }
    this.#places.set(key, place)
    if (place.busy < this.#options.most) {
      place.busy += 1
      return place
    }
    const { promise, resolve, reject } = Promise.withResolvers<HostSessions>()
    // #leave hands the slot over, so `busy` does not change.
    const enter = () => resolve(place)
    const stop = () => {
      const at = place.waiting.indexOf(enter)
      if (at < 0) return
      place.waiting.splice(at, 1)
      reject(stopped(signal))
    }
    place.waiting.push(enter)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    return promise.finally(() => signal.removeEventListener('abort', stop))
  }

  #leave(key: string, place: HostSessions): void {
    const next = place.waiting.shift()
    if (next) return void next()
    place.busy -= 1
    this.#forget(key, place)
  }

  #forget(key: string, place: HostSessions): void {
    if (place.busy === 0 && place.idle.length === 0) this.#places.delete(key)
  }

  /** The one used last: it is the least likely to have been closed. */
  async #idleOne(place: HostSessions): Promise<SmtpClient | undefined> {
    for (let session = place.idle.at(-1); session; session = place.idle.at(-1)) {
      this.#checkOut(place, session)
      if (await session.ready()) return session
      session.connection.destroy()
    }
    return undefined
  }

  #checkIn(key: string, place: HostSessions, session: SmtpClient): void {
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
    session.connection.watch(end)
  }

  #checkOut(place: HostSessions, session: SmtpClient): void {
    place.idle.splice(place.idle.indexOf(session), 1)
    clearTimeout(this.#timers.get(session))
    this.#timers.delete(session)
    session.connection.watch(undefined)
  }

  #retire(place: HostSessions, session: SmtpClient): void {
    this.#checkOut(place, session)
    this.#quit(session)
  }

  #quit(session: SmtpClient): void {
    const closing = session.connection.quit(session.limits.quit)
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }
}
