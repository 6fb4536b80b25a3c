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
/** From new mail to the next round: by then its transaction has mostly been committed. */
const commitDelay = 10
/** How long to wait for another process that makes no progress, and how often to look whether it does. */
const longestStandstill = 2_000
const pause = 10
/** What remains of a request's time when mail was not delivered in it: for a connection. */
const reserve = 1_000
/** Mailboxes that are delivered to at once. */
const mostAtOnce = 8
/** Batches of a mailbox in a round, so that new mail for others need not wait for all of a large backlog. */
const mostInRound = 10
/** How long the shares of the spool are cached: each RCPT asks for them. */
const cachedFor = 2_000
/** Mailboxes of which a delivery that timed out is remembered. */
const mostRemembered = 10_000

/** Mail that was accepted and that the server does not have yet. It is delivered at once, or tried again until it is. */
export class Spool implements AsyncDisposable {
  readonly #db: Db
  readonly #access: Access
  readonly #log: Logger
  readonly #mostBytes: number
  readonly #timer: NodeJS.Timeout
  #soon: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  /** The batch that is being delivered to a mailbox, whoever waits for it. */
  readonly #batches = new Map<string, Promise<BatchResult>>()
  /** The newest message of a mailbox for which a request has timed out. */
  readonly #timedOut = new QuickLRU<string, number>({ maxSize: mostRemembered })
  /** Organizations that have their share of the spool, and until when that is cached, by performance.now(). */
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

  /** Spools copies within the transaction. Throws `not_found` where a mailbox is gone, `NoRoom` where too much waits. */
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

  /** Whether more of the organization's mail is accepted, as it was a moment ago. */
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

  /** Delivers what is due for a mailbox, or waits for the process that delivers it, until then by performance.now(). It does
   *  not wait for mail that comes later. Once a request has timed out no other waits until all is delivered that it waited
   *  for. Throws where the server does not answer. */
  async deliver(account: Account, until: number): Promise<void> {
    const { mailbox } = account
    const found = await oldestAndNewestDue(this.#db, mailbox)
    if (!found || found.oldest <= (this.#timedOut.get(mailbox.mailboxId) ?? 0)) return
    const delivered = await this.#untilDelivered(account, found.newest, until - reserve)
    if (!delivered) this.#timedOut.set(mailbox.mailboxId, found.newest)
  }

  /** Resolves once no delivery to the folder is under way that began before. Throws where that takes too long. */
  async settled(mailbox: MailboxRef, folder: string): Promise<void> {
    for (const end = performance.now() + longestStandstill; await isDelivering(this.#db, mailbox, folder); ) {
      if (performance.now() >= end) throw mailUnavailable(new Error('Mail is being delivered to the folder'))
      await wait(pause)
    }
  }

  /** Removes what waits for a mailbox, a bounded batch at a time, and yields the size of each. It ends once nothing is on its
   *  way there: what a process had claimed is delivered, or its lease has ended. */
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

  /** Whether a batch was due and has ended. After two `idle` rounds another process has it: the first may have joined a batch
   *  that was begun earlier. */
  async #delivers(account: Account, until: number, idle: number): Promise<boolean> {
    if (idle > 1) {
      await wait(pause)
      return false
    }
    const joined = this.#batches.has(account.mailbox.mailboxId)
    const result = await within(until, this.#batch(account))
    // A batch that was begun earlier does not show whether the server answers now.
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

/** Undefined where the work lasts longer. It goes on for whoever else waits for it. */
async function within<T>(until: number, work: Promise<T>): Promise<T | undefined> {
  const timeUp = Promise.withResolvers<undefined>()
  const timer = setTimeout(timeUp.resolve, Math.max(0, until - performance.now()), undefined)
  try {
    return await Promise.race([work, timeUp.promise])
  } finally {
    clearTimeout(timer)
  }
}
