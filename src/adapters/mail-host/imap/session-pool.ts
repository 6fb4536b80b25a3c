import type { ImapServer } from '#/config/imap-url.ts'
import { mailUnavailable } from '#/errors.ts'
import { Session } from './session.ts'
import { CommandRefused, ConnectionLost } from './trouble.ts'

/** Connections of one mailbox: each keeps the folder that it read last selected, so as many folders are at hand. Dovecot
 *  allows ten from one address. */
const mostOfMailbox = 4
/** Connections in all. */
const most = 200
/** How long one is kept without use, in milliseconds; servers close them after 30 minutes. */
const longestIdle = 10 * 60_000
/** How long a request waits before it asks the server anything, all in all, in milliseconds: for mail that is on its way, for
 *  changes before it, for a connection. With as long as the server may be silent then, that makes less than ten seconds. */
export const longestWait = 5_000

interface Pooled {
  readonly session: Session
  readonly login: string
  idleSince: number
}

/** Sessions, kept open between uses, for any number of mailboxes. Whoever waits is served in order. */
export class SessionPool implements AsyncDisposable {
  readonly #server: ImapServer
  /** The one used last comes last. */
  #idle: Pooled[] = []
  readonly #open = new Map<string, number>()
  #total = 0
  #waiting: (() => void)[] = []
  readonly #sweeper: NodeJS.Timeout
  #ended = false

  constructor(server: ImapServer) {
    this.#server = server
    this.#sweeper = setInterval(() => this.#sweep(), longestIdle / 10)
    this.#sweeper.unref()
  }

  /** Runs work on a session of the mailbox that logs in so; one that has `path` selected, if there is one idle. A
   *  session that turns out to be gone at the first look, `prepare`, is replaced by a new one. For a session it waits
   *  until then at most, by performance.now().
   *  @throws mailUnavailable where the server does not answer */
  async use<P, T>(
    login: string,
    path: string | undefined,
    prepare: (session: Session) => Promise<P>,
    work: (session: Session, prepared: P) => Promise<T>,
    until = performance.now() + longestWait,
  ): Promise<T> {
    for (;;) {
      const { pooled, reused } = await this.#take(login, path, until)
      const { session } = pooled
      let prepared: P
      try {
        prepared = await prepare(session)
      } catch (error) {
        this.#giveBack(pooled)
        if (error instanceof ConnectionLost && error.silent) this.#closeIdle()
        if (error instanceof ConnectionLost && reused && !error.silent) continue
        throw unavailable(error)
      }
      try {
        return await work(session, prepared)
      } catch (error) {
        throw unavailable(error)
      } finally {
        this.#giveBack(pooled)
      }
    }
  }

  async #take(login: string, path: string | undefined, until: number): Promise<{ pooled: Pooled; reused: boolean }> {
    for (;;) {
      if (this.#ended) throw mailUnavailable(new Error('The connections to the mail server are closed'))
      const idle = this.#pick(login, path)
      if (idle) return { pooled: idle, reused: true }
      if (this.#hasRoom(login)) return { pooled: await this.#openOne(login), reused: false }
      await this.#turn(until - performance.now())
    }
  }

  /** An idle session with the folder selected, or with none; of a mailbox that may have no more, any. */
  #pick(login: string, path: string | undefined): Pooled | undefined {
    const full = (this.#open.get(login) ?? 0) >= mostOfMailbox || this.#total >= most
    const mine = this.#idle.filter((one) => one.login === login && one.session.connection.usable)
    const suits = ({ session }: Pooled) => path === undefined || session.selected?.path === path
    const found = mine.findLast(suits) ?? mine.find(({ session }) => !session.selected) ?? (full ? mine[0] : undefined)
    if (found) this.#idle.splice(this.#idle.indexOf(found), 1)
    return found
  }

  /** Makes room by closing what another mailbox has not used for the longest time. */
  #hasRoom(login: string): boolean {
    if ((this.#open.get(login) ?? 0) >= mostOfMailbox) return false
    if (this.#total < most) return true
    const [oldest] = this.#idle
    if (!oldest) return false
    this.#close(oldest)
    return true
  }

  async #openOne(login: string): Promise<Pooled> {
    this.#count(login, 1)
    try {
      const session = await Session.open(this.#server, login)
      const pooled = { session, login, idleSince: 0 }
      void session.connection.closed.then(() => this.#forget(pooled))
      return pooled
    } catch (error) {
      this.#count(login, -1)
      throw unavailable(error)
    }
  }

  #giveBack(pooled: Pooled): void {
    if (!pooled.session.connection.usable) return
    pooled.idleSince = performance.now()
    this.#idle.push(pooled)
    if (this.#ended) this.#close(pooled)
    this.#next()
  }

  #forget(pooled: Pooled): void {
    this.#idle = this.#idle.filter((one) => one !== pooled)
    this.#count(pooled.login, -1)
  }

  #close(pooled: Pooled): void {
    this.#idle = this.#idle.filter((one) => one !== pooled)
    pooled.session.connection.close()
  }

  #count(login: string, by: number): void {
    this.#total += by
    const open = (this.#open.get(login) ?? 0) + by
    if (open > 0) this.#open.set(login, open)
    else this.#open.delete(login)
    if (by < 0) this.#next()
  }

  /** Everyone looks again: who comes first may wait for another mailbox. */
  #next(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  async #turn(left: number): Promise<void> {
    if (left <= 0) throw mailUnavailable(new Error('All connections to the mail server are in use'))
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    const timer = setTimeout(resolve, left)
    await promise
    clearTimeout(timer)
  }

  #sweep(): void {
    const oldest = performance.now() - longestIdle
    for (const pooled of this.#idle) if (pooled.idleSince < oldest) this.#close(pooled)
  }

  /** After one was silent, the others most likely are: nobody should wait for each of them. */
  #closeIdle(): void {
    for (const pooled of this.#idle) this.#close(pooled)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true
    clearInterval(this.#sweeper)
    this.#closeIdle()
    this.#next()
  }
}

function unavailable(error: unknown): unknown {
  return error instanceof ConnectionLost || error instanceof CommandRefused ? mailUnavailable(error) : error
}
