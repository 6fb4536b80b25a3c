import { mailUnavailable } from '#/errors.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { timeouts } from './connection.ts'
import { CommandRefused, ConnectionLost } from './errors.ts'
import { ImapSession } from './session.ts'

/** Connections for one mailbox. Each keeps its last folder selected, so that several folders are at hand. Dovecot allows ten
 *  from one address. */
const mostOfMailbox = 4
/** Connections in all, for requests and for deliveries. */
const usualMost = 200
/** How long an idle connection is kept, in milliseconds. Servers close them after 30 minutes. */
const longestIdle = 10 * 60_000
/** How long a request may wait before its first command, in milliseconds: for deliveries, earlier changes and a connection.
 *  Together with the time-out of that command this is less than ten seconds. */
export const longestWait = 5_000

/** Sessions for any number of mailboxes, kept open between uses. Requests are served in order. */
export class SessionPool implements AsyncDisposable {
  readonly #server: ImapServer
  readonly #most: number
  /** In order of their last use. */
  #idle: ImapSession[] = []
  readonly #open = new Map<string, number>()
  #total = 0
  #waiting: (() => void)[] = []
  /** Mailboxes with a login that nobody waits for any more. */
  readonly #late = new Set<string>()
  readonly #sweeper: NodeJS.Timeout
  #ended = false

  constructor(server: ImapServer, most = usualMost) {
    this.#server = server
    this.#most = most
    this.#sweeper = setInterval(() => this.#sweep(), longestIdle / 10)
    this.#sweeper.unref()
  }

  /** Runs work on a session with that login; preferably an idle one that has `path` selected. If `prepare` finds the
   *  connection dead, a new session replaces it. Waits for a session no longer than `until`, by performance.now(). @throws
   *  mailUnavailable if the server does not answer */
  async use<P, T>(
    login: string,
    path: string | undefined,
    prepare: (session: ImapSession) => Promise<P>,
    work: (session: ImapSession, prepared: P) => Promise<T>,
    until = performance.now() + longestWait,
  ): Promise<T> {
    for (;;) {
      const { session, reused } = await this.#acquire(login, path, until)
      let prepared: P
      try {
        prepared = await prepare(session)
      } catch (error) {
        this.#release(session)
        if (error instanceof ConnectionLost && error.timedOut) this.#closeIdle()
        if (error instanceof ConnectionLost && reused && !error.timedOut) continue
        throw unavailable(error)
      }
      try {
        return await work(session, prepared)
      } catch (error) {
        throw unavailable(error)
      } finally {
        this.#release(session)
      }
    }
  }

  async #acquire(
    login: string,
    path: string | undefined,
    until: number,
  ): Promise<{ session: ImapSession; reused: boolean }> {
    for (;;) {
      if (this.#ended) throw mailUnavailable(new Error('The connections to the mail server are closed'))
      const idle = this.#pick(login, path)
      if (idle) return { session: idle, reused: true }
      if (!this.#late.has(login) && this.#hasRoom(login))
        return { session: await this.#opened(login, until), reused: false }
      await this.#releasedOne(until - performance.now())
    }
  }

  /** An idle session with the folder selected, or with none. Any session, if the mailbox may have no more. */
  #pick(login: string, path: string | undefined): ImapSession | undefined {
    const full = (this.#open.get(login) ?? 0) >= mostOfMailbox || this.#total >= this.#most
    const own = this.#idle.filter((one) => one.login === login && one.connection.usable)
    const fits = ({ selected }: ImapSession) => path === undefined || selected?.path === path
    const found = own.findLast(fits) ?? own.find(({ selected }) => !selected) ?? (full ? own[0] : undefined)
    if (found) this.#idle.splice(this.#idle.indexOf(found), 1)
    return found
  }

  /** Closes the idle session of another mailbox that was not used for the longest time. */
  #hasRoom(login: string): boolean {
    if ((this.#open.get(login) ?? 0) >= mostOfMailbox) return false
    if (this.#total < this.#most) return true
    const [oldest] = this.#idle
    if (!oldest) return false
    this.#close(oldest)
    return true
  }

  /** A new session, if there is one in time for a first command. A login that takes longer goes on, for whoever comes next: begun
   *  anew each time, it would never end on a busy server. */
  async #opened(login: string, until: number): Promise<ImapSession> {
    const opening = this.#openOne(login)
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, until + timeouts.usual - performance.now())
    const session = await Promise.race([opening, late.promise]).finally(() => clearTimeout(timer))
    if (session) return session
    this.#late.add(login)
    const end = () => this.#late.delete(login)
    void opening.finally(end).then(
      (one) => this.#release(one),
      () => this.#wakeAll(),
    )
    throw mailUnavailable(new Error('The login at the mail server takes long'))
  }

  async #openOne(login: string): Promise<ImapSession> {
    this.#count(login, 1)
    try {
      const session = await ImapSession.open(this.#server, login)
      void session.connection.closed.then(() => this.#forget(session))
      return session
    } catch (error) {
      this.#count(login, -1)
      throw unavailable(error)
    }
  }

  #release(session: ImapSession): void {
    if (!session.connection.usable) return
    session.idleSince = performance.now()
    this.#idle.push(session)
    if (this.#ended) this.#close(session)
    this.#wakeAll()
  }

  #forget(session: ImapSession): void {
    this.#idle = this.#idle.filter((one) => one !== session)
    this.#count(session.login, -1)
  }

  #close(session: ImapSession): void {
    this.#idle = this.#idle.filter((one) => one !== session)
    session.connection.close()
  }

  #count(login: string, by: number): void {
    this.#total += by
    const open = (this.#open.get(login) ?? 0) + by
    if (open > 0) this.#open.set(login, open)
    else this.#open.delete(login)
    if (by < 0) this.#wakeAll()
  }

  /** All waiting requests look again: the first may wait for another mailbox. */
  #wakeAll(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  async #releasedOne(left: number): Promise<void> {
    if (left <= 0) throw mailUnavailable(new Error('All connections to the mail server are in use'))
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    const timer = setTimeout(resolve, left)
    await promise
    clearTimeout(timer)
  }

  #sweep(): void {
    const oldest = performance.now() - longestIdle
    for (const session of this.#idle) if (session.idleSince < oldest) this.#close(session)
  }

  /** After one timed out the others most likely would too, and no request should wait for each. */
  #closeIdle(): void {
    for (const session of this.#idle) this.#close(session)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true
    clearInterval(this.#sweeper)
    this.#closeIdle()
    this.#wakeAll()
  }
}

function unavailable(error: unknown): unknown {
  return error instanceof ConnectionLost || error instanceof CommandRefused ? mailUnavailable(error) : error
}
