import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { Copy, MailboxRef } from '#/ports/mail-host.ts'
import { type Access, type Account, findAccount } from './access.ts'
import { type Deposit, deposit, isThere } from './deposit.ts'
import { Hold } from './hold.ts'
import type { Layout } from './layout.ts'
import type { Session } from './session.ts'
import {
  claim,
  countInHand,
  discard,
  drop,
  enqueue,
  mailboxesWaiting,
  newestInHand,
  putOff,
  type Spooled,
  spooledBytes,
} from './spool-queries.ts'
import { CommandRefused } from './trouble.ts'

/** How often the spool is looked at, in milliseconds, when nobody says that something came. */
const everySoOften = 1_000
/** From what came to the first look: by then its transaction has mostly been committed. */
const soon = 10
/** How long to wait for another process, in all and while nothing goes on, and between two looks at what it has done. */
const longestWait = 8_000
const longestStandstill = 2_000
const pause = 10
/** Mailboxes that are delivered to at once. */
const mostAtOnce = 8

/** Mail that a transaction has taken and the server has not. It goes at once, or is tried again until it does. */
export class Spool implements AsyncDisposable {
  readonly #db: Db
  readonly #access: Access
  readonly #log: Logger
  readonly #mostBytes: number
  readonly #timer: NodeJS.Timeout
  #soon: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #closed = false

  constructor(parts: { db: Db; access: Access; log: Logger; mostBytes: number }) {
    this.#db = parts.db
    this.#access = parts.access
    this.#log = parts.log
    this.#mostBytes = parts.mostBytes
    this.#timer = setInterval(() => this.#wake(), everySoOften)
    this.#timer.unref()
  }

  /** Takes copies on within the transaction. Throws `not_found` where a mailbox is gone, `ENOSPC` where too much waits. */
  async take(tx: Tx, copies: readonly Copy[]): Promise<void> {
    if (copies.length === 0) return
    await enqueue(tx, copies, this.#mostBytes)
    this.#soon ??= setTimeout(() => this.#wake(), soon)
  }

  /** Delivers what waits for a mailbox now, and waits for what another process is delivering to it. Throws where the
   *  server does not answer. */
  async deliver(account: Account): Promise<void> {
    const { mailbox } = account
    const failure = await this.#access.inTurn(mailbox, () => this.#deliverAll(account))
    if (failure instanceof Refusal && failure.code === 'mail_unavailable') throw failure
    await this.#waitForOthers(mailbox)
  }

  /** Takes out what waits for a mailbox, a bounded batch at a time, and says how many each was. At the end nothing is on
   *  its way there any more: what a process has in hand is delivered, or its lease has ended. */
  async *discard(mailbox: MailboxRef): AsyncGenerator<number> {
    while ((await findAccount(this.#db, mailbox))?.waiting) {
      const count = await this.#access.inTurn(mailbox, () => discard(this.#db, mailbox))
      if (count > 0) yield count
      else await wait(pause)
    }
  }

  /** As long as another process gets on with what it had in hand. */
  async #waitForOthers(mailbox: MailboxRef): Promise<void> {
    const newest = await newestInHand(this.#db, mailbox)
    if (newest === 0) return
    const end = performance.now() + longestWait
    let left = Number.POSITIVE_INFINITY
    for (let last = performance.now(); performance.now() < Math.min(end, last + longestStandstill); await wait(pause)) {
      const count = await countInHand(this.#db, mailbox, newest)
      if (count === 0) return
      if (count < left) last = performance.now()
      left = count
    }
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
    const waiting = await mailboxesWaiting(this.#db)
    const next = async () => {
      for (let mailbox = waiting.pop(); mailbox && !this.#closed; mailbox = waiting.pop())
        await this.#deliverTo(mailbox)
    }
    await Promise.all(Array.from({ length: mostAtOnce }, next))
  }

  async #deliverTo(mailbox: MailboxRef): Promise<void> {
    const account = await findAccount(this.#db, mailbox)
    if (account) await this.#access.inTurn(mailbox, () => this.#deliverAll(account))
  }

  /** Undefined once nothing is due; else why something was put off. */
  async #deliverAll(account: Account): Promise<unknown> {
    for (;;) {
      const since = performance.now()
      const claimed = await claim(this.#db, account.mailbox)
      if (claimed.length === 0) return undefined
      using hold = new Hold(this.#db, claimed, { since, log: this.#log })
      const failure = await this.#deliverTogether(account, claimed, hold)
      if (failure !== undefined) return failure
    }
  }

  /** One that the server will not have must not hold up the others. */
  async #deliverTogether(account: Account, claimed: readonly Spooled[], hold: Hold): Promise<unknown> {
    try {
      await this.#access.inMailbox(account, (session, layout) => this.#append(session, layout, claimed, hold))
      return undefined
    } catch (error) {
      if (claimed.length > 1 && refusal(error)) {
        for (const one of claimed) await this.#deliverTogether(account, [one], hold)
        return undefined
      }
      const ids = claimed.map(({ id }) => id)
      this.#log.warn(
        { err: error, mailbox: account.mailbox.mailboxId, messages: ids },
        'mail could not be delivered yet',
      )
      await putOff(this.#db, claimed, refusal(error) ? 'refused' : 'away')
      return error
    }
  }

  async #append(session: Session, layout: Layout, claimed: readonly Spooled[], hold: Hold): Promise<void> {
    for (const run of runsOfFolder(claimed)) {
      const path = layout.pathOf(run[0]?.folder ?? 'inbox')
      const lacking: (Deposit & Spooled)[] = []
      const there: Spooled[] = []
      for (const one of run) {
        const raw = await spooledBytes(this.#db, one)
        if (!raw) continue
        const message = { ...one, raw }
        // An attempt whose end nobody knows may have succeeded.
        if (one.attempts > 1 && (await isThere(session, path, message))) there.push(one)
        else lacking.push(await this.#fitting(session, path, message))
      }
      const ours = await hold.stillOurs(lacking)
      if (ours.length > 0) await deposit(session, path, ours)
      await drop(
        this.#db,
        [...there, ...ours].map(({ id }) => id),
      )
    }
  }

  /** The message without keywords that the server would not keep: better than no message. */
  async #fitting<M extends Deposit>(session: Session, path: string, message: M): Promise<M> {
    if (message.keywords.length === 0) return message
    const folder = await session.select(path)
    const keywords = message.keywords.filter((keyword) => folder?.keeps(keyword) ?? true)
    if (keywords.length < message.keywords.length) {
      const lost = message.keywords.filter((keyword) => !keywords.includes(keyword))
      this.#log.error(
        { mailbox: session.login, folder: path, lost },
        'the mail server keeps no more keywords in a folder',
      )
    }
    return { ...message, keywords }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    await this.#round
  }
}

function refusal(error: unknown): boolean {
  return error instanceof Refusal && (error.code !== 'mail_unavailable' || error.cause instanceof CommandRefused)
}

/** Runs of messages for the same folder. */
function runsOfFolder(messages: readonly Spooled[]): Spooled[][] {
  const runs: Spooled[][] = []
  for (const message of messages) {
    const last = runs.at(-1)
    if (last?.[0]?.folder === message.folder) last.push(message)
    else runs.push([message])
  }
  return runs
}
