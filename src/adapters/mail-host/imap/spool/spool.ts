import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import QuickLRU from 'quick-lru'
import type { Db, Tx } from '#/db/schema.ts'
import { mailUnavailable } from '#/errors.ts'
import { type Copy, type MailboxRef, NoRoom } from '#/ports/mail-host.ts'
import { type Access, type Account, findAccount } from '../access.ts'
import { type BatchResult, deliverBatch } from './delivery.ts'
import { enqueue, fullShares } from './enqueue.ts'
import { discard, isDelivering, mailboxesWaiting, oldestAndNewestDue, oldestDue } from './queries.ts'

// Times are in milliseconds.

/** How often the spool is polled. */
const pollInterval = 1_000
/** From new mail to the next round. Usually its transaction has committed by then. */
const commitDelay = 10
/** How long to wait for a process that makes no progress, and how often to check. */
const longestStandstill = 2_000
const pause = 10
/** The time that a request keeps for a connection, if mail was not delivered before. */
const reserve = 1_000
/** Mailboxes with concurrent deliveries. */
const mostAtOnce = 8
/** Batches of a mailbox in a round, so that new mail for others need not wait for a large backlog. */
const mostInRound = 10
/** How long the shares of the spool are cached, which each RCPT reads. */
const cachedFor = 2_000
/** Mailboxes whose delivery timed out that are remembered. */
const mostRemembered = 10_000

/** Accepted mail that the server does not have yet. Each message is delivered at once, or retried until it is. */
export class Spool implements AsyncDisposable {
  readonly #db: Db
  readonly #access: Access
  readonly #log: Logger
  readonly #mostBytes: number
  readonly #timer: NodeJS.Timeout
  #soon: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  /** The batch in delivery to a mailbox. */
  readonly #batches = new Map<string, Promise<BatchResult>>()
  /** The newest message of a mailbox for which a request has timed out. */
  readonly #timedOut = new QuickLRU<string, number>({ maxSize: mostRemembered })
  /** Organizations that have reached their share of the spool, and until when that is cached, by performance.now(). */
  #full: Promise<ReadonlySet<string>> = Promise.resolve(new Set())
  #fullUntil = 0
  #closed = false

  constructor(parts: { db: Db; access: Access; log: Logger; mostBytes: number }) {
    this.#db = parts.db
    this.#access = parts.access
    this.#log = parts.log
    this.#mostBytes = parts.mostBytes
    this.#timer = setInterval(() => this.#wake(), pollInterval)
    this.#timer.unref()
  }

  /** Spools copies in the transaction. Throws `not_found` if a mailbox is deleted, `NoRoom` if too much mail is spooled. */
  async add(tx: Tx, copies: readonly Copy[]): Promise<void> {
    if (copies.length === 0) return
    try {
      await enqueue(tx, copies, this.#mostBytes)
    } catch (error) {
      if (error instanceof NoRoom) this.#fullUntil = 0
      throw error
    }
    this.#wakeSoon()
  }

  /** Whether more of the organization's mail is accepted, as of a moment ago. */
  async hasRoom(organizationId: string): Promise<boolean> {
    if (performance.now() >= this.#fullUntil) {
      this.#fullUntil = performance.now() + cachedFor
      this.#full = fullShares(this.#db, this.#mostBytes)
      this.#full.catch(() => {
        this.#fullUntil = 0
      })
    }
    return !(await this.#full).has(organizationId)
  }

  /** Delivers due mail of a mailbox, or waits for the process that does, no longer than `until` by performance.now(). Does
   *  not wait for newer mail. After a request has timed out, others do not wait until its mail is delivered. Throws if the
   *  server does not answer. */
  async deliver(account: Account, until: number): Promise<void> {
    const { mailbox } = account
    const found = await oldestAndNewestDue(this.#db, mailbox)
    if (!found || found.oldest <= (this.#timedOut.get(mailbox.mailboxId) ?? 0)) return
    const delivered = await this.#untilDelivered(account, found.newest, until - reserve)
    if (!delivered) this.#timedOut.set(mailbox.mailboxId, found.newest)
  }

  /** Resolves once all earlier deliveries to the folder have ended. Throws if that takes too long. */
  async settled(mailbox: MailboxRef, folder: string): Promise<void> {
    for (const end = performance.now() + longestStandstill; await isDelivering(this.#db, mailbox, folder); ) {
      if (performance.now() >= end) throw mailUnavailable(new Error('Mail is being delivered to the folder'))
      await wait(pause)
    }
  }

  /** Removes a mailbox's mail from the spool in bounded batches, and yields the size of each. Ends once none is in delivery:
   *  claimed mail is delivered, or its lease has ended. */
  async *discard(mailbox: MailboxRef): AsyncGenerator<number> {
    while ((await findAccount(this.#db, mailbox))?.waiting) {
      const count = await discard(this.#db, mailbox)
      if (count > 0) yield count
      else await wait(pause)
    }
  }

  async #untilDelivered(account: Account, newest: number, until: number): Promise<boolean> {
    let [oldest, progress] = [0, performance.now()]
    for (let idle = 0; ; ) {
      if (await this.#delivers(account, until, idle)) idle = 0
      else idle++
      const left = await oldestDue(this.#db, account.mailbox, newest)
      if (left === undefined) return true
      if (left > oldest) progress = performance.now()
      oldest = left
      const end = idle > 1 ? Math.min(until, progress + longestStandstill) : until
      if (performance.now() >= end) return false
    }
  }

  /** Whether a batch was due and has ended. After two `idle` rounds another process has it: the first round may have joined
   *  a batch begun earlier. */
  async #delivers(account: Account, until: number, idle: number): Promise<boolean> {
    if (idle > 1) {
      await wait(pause)
      return false
    }
    const joined = this.#batches.has(account.mailbox.mailboxId)
    const result = await within(until, this.#batch(account))
    // A batch begun earlier does not show whether the server answers now.
    if (result?.unavailable && !joined) throw result.unavailable
    return result !== undefined && !result.empty && !result.unavailable
  }

  /** Single-flight for each mailbox. */
  #batch(account: Account): Promise<BatchResult> {
    const { mailboxId } = account.mailbox
    const parts = { db: this.#db, access: this.#access, log: this.#log }
    const batch =
      this.#batches.get(mailboxId) ??
      deliverBatch(parts, account).finally(() => {
        this.#batches.delete(mailboxId)
      })
    this.#batches.set(mailboxId, batch)
    return batch
  }

  #wakeSoon(): void {
    this.#soon ??= setTimeout(() => this.#wake(), commitDelay)
  }

  #wake(): void {
    clearTimeout(this.#soon)
    this.#soon = undefined
    if (this.#closed) return
    this.#round ??= this.#deliverDue()
      .catch((err: unknown) => this.#log.error({ err }, 'a round of the spool failed; the next one follows'))
      .finally(() => {
        this.#round = undefined
      })
  }

  async #deliverDue(): Promise<void> {
    const waiting = (await mailboxesWaiting(this.#db)).values()
    const next = async () => {
      for (const mailbox of waiting) if (!this.#closed) await this.#deliverTo(mailbox)
    }
    await Promise.all(Array.from({ length: mostAtOnce }, next))
  }

  async #deliverTo(mailbox: MailboxRef): Promise<void> {
    const account = await findAccount(this.#db, mailbox)
    if (!account) return
    for (let count = 0; count < mostInRound; count++) {
      const { empty, unavailable } = await this.#batch(account)
      if (empty || unavailable || this.#closed) return
    }
    if (!this.#closed) this.#wakeSoon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    await this.#round
    await Promise.allSettled(this.#batches.values())
  }
}

/** Undefined if the work takes longer. It continues for others who wait for it. */
async function within<T>(until: number, work: Promise<T>): Promise<T | undefined> {
  const timeUp = Promise.withResolvers<undefined>()
  const timer = setTimeout(timeUp.resolve, Math.max(0, until - performance.now()), undefined)
  try {
    return await Promise.race([work, timeUp.promise])
  } finally {
    clearTimeout(timer)
  }
}
