import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import QuickLRU from 'quick-lru'
import type { Db, Tx } from '#/db/schema.ts'
import { type Copy, type MailboxRef, NoRoom } from '#/ports/mail-host.ts'
import { type Access, type Account, findAccount } from './access.ts'
import { deliverBatch, type Outcome } from './spool-delivery.ts'
import { discard, enqueue, fullShares, inHand, mailboxesWaiting, oldestInHand } from './spool-queries.ts'

/** How often the spool is looked at, in milliseconds, when nobody says that something came. */
const everySoOften = 1_000
/** From what came to the first look: by then its transaction has mostly been committed. */
const soon = 10
/** How long to wait for another process that does not get on, and between two looks at what it has done. */
const longestStandstill = 2_000
const pause = 10
/** What a request is left of the time that it may wait, in milliseconds, when mail is not delivered in it: for a connection. */
const leftOver = 1_000
/** Mailboxes that are delivered to at once. */
const mostAtOnce = 8
/** Batches of a mailbox in a round, so that mail that came for others meanwhile need not wait for all of a large backlog. */
const mostInRound = 10
/** How long the shares of the spool are believed, in milliseconds: RCPT asks for them. */
const believed = 2_000
/** Mailboxes of which it is remembered that they were waited for in vain. */
const mostRemembered = 10_000

/** Mail that a transaction has taken and the server has not. It goes at once, or is tried again until it does. */
export class Spool implements AsyncDisposable {
  readonly #db: Db
  readonly #access: Access
  readonly #log: Logger
  readonly #mostBytes: number
  readonly #timer: NodeJS.Timeout
  #soon: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  /** The batch that goes to a mailbox just now, whoever waits for it. */
  readonly #batches = new Map<string, Promise<Outcome>>()
  /** Up to which message of a mailbox somebody has waited in vain. */
  readonly #inVain = new QuickLRU<string, number>({ maxSize: mostRemembered })
  /** Organizations that have their share of the spool, and until when that is believed, by performance.now(). */
  #full: Promise<ReadonlySet<string>> = Promise.resolve(new Set())
  #fullUntil = 0
  #closed = false

  constructor(parts: { db: Db; access: Access; log: Logger; mostBytes: number }) {
    this.#db = parts.db
    this.#access = parts.access
    this.#log = parts.log
    this.#mostBytes = parts.mostBytes
    this.#timer = setInterval(() => this.#wake(), everySoOften)
    this.#timer.unref()
  }

  /** Takes copies on within the transaction. Throws `not_found` where a mailbox is gone, `NoRoom` where too much waits. */
  async take(tx: Tx, copies: readonly Copy[]): Promise<void> {
    if (copies.length === 0) return
    try {
      await enqueue(tx, copies, this.#mostBytes)
    } catch (error) {
      if (error instanceof NoRoom) this.#fullUntil = 0
      throw error
    }
    this.#wakeSoon()
  }

  /** Whether more of the organization's mail is taken, as it was a moment ago. */
  async hasRoom(organizationId: string): Promise<boolean> {
    if (performance.now() >= this.#fullUntil) {
      this.#fullUntil = performance.now() + believed
      this.#full = fullShares(this.#db, this.#mostBytes)
      this.#full.catch(() => {
        this.#fullUntil = 0
      })
    }
    return !(await this.#full).has(organizationId)
  }

  /** Delivers what is due for a mailbox now, or waits for whoever delivers it, for a request that may wait until then, by
   *  performance.now(). What comes meanwhile is not waited for; and once somebody has waited in vain nobody else does,
   *  until all that they waited for is there. Throws where the server does not answer. */
  async deliver(account: Account, until: number): Promise<void> {
    const { mailbox } = account
    const found = await inHand(this.#db, mailbox)
    if (!found || found.oldest <= (this.#inVain.get(mailbox.mailboxId) ?? 0)) return
    const delivered = await this.#untilDelivered(account, found.newest, until - leftOver)
    if (!delivered) this.#inVain.set(mailbox.mailboxId, found.newest)
  }

  /** Takes out what waits for a mailbox, a bounded batch at a time, and says how many each was. At the end nothing is on
   *  its way there any more: what a process has in hand is delivered, or its lease has ended. */
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
      const left = await oldestInHand(this.#db, account.mailbox, newest)
      if (left === undefined) return true
      if (left > oldest) progress = performance.now()
      oldest = left
      const end = idle > 1 ? Math.min(until, progress + longestStandstill) : until
      if (performance.now() >= end) return false
    }
  }

  /** Whether a batch was due and has ended. Who was `idle` twice leaves it to another process: the first time may have been
   *  a batch of ours that was begun before what is waited for had come. */
  async #delivers(account: Account, until: number, idle: number): Promise<boolean> {
    if (idle > 1) {
      await wait(pause)
      return false
    }
    const joined = this.#batches.has(account.mailbox.mailboxId)
    const outcome = await within(until, this.#batch(account))
    // A batch of before says nothing of whether the server answers now.
    if (outcome?.away && !joined) throw outcome.away
    return outcome !== undefined && !outcome.nothing && !outcome.away
  }

  /** One at a time goes to a mailbox; who asks meanwhile gets that one. */
  #batch(account: Account): Promise<Outcome> {
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
    this.#soon ??= setTimeout(() => this.#wake(), soon)
  }

  #wake(): void {
    clearTimeout(this.#soon)
    this.#soon = undefined
    if (this.#closed) return
    this.#round ??= this.#deliverDue()
      .catch((err: unknown) => this.#log.error({ err }, 'the spool could not be worked off'))
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
      const { nothing, away } = await this.#batch(account)
      if (nothing || away || this.#closed) return
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

/** Undefined where it takes longer. Whoever else waits for it hears how it ends. */
async function within<T>(until: number, work: Promise<T>): Promise<T | undefined> {
  const timeUp = Promise.withResolvers<undefined>()
  const timer = setTimeout(timeUp.resolve, Math.max(0, until - performance.now()), undefined)
  try {
    return await Promise.race([work, timeUp.promise])
  } finally {
    clearTimeout(timer)
  }
}
