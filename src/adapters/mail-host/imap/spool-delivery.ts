import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { Access, Account } from './access.ts'
import { type Deposit, deposit, isNamed, isThere } from './deposit.ts'
import { Hold } from './hold.ts'
import type { Layout } from './layout.ts'
import type { Session } from './session.ts'
import { claim, drop, putOff, type Spooled, spooledBytes } from './spool-queries.ts'
import { CommandRefused } from './trouble.ts'

interface Parts {
  readonly db: Db
  readonly access: Access
  readonly log: Logger
}

/** What came of a batch. */
export interface Outcome {
  /** Nothing was due, or another process has it. */
  readonly nothing: boolean
  /** Why the server did not get it: it does not answer. */
  readonly away?: Refusal
}

/** Delivers what is due for a mailbox, so much of it as goes in one command. One that the server will not have is put off. */
export async function deliverBatch(parts: Parts, account: Account): Promise<Outcome> {
  const since = performance.now()
  const claimed = await claim(parts.db, account.mailbox)
  if (claimed.length === 0) return { nothing: true }
  using hold = new Hold(parts.db, claimed, { since, log: parts.log })
  const failure = await deliverTogether(parts, account, claimed, hold)
  return { nothing: false, ...(isAway(failure) && { away: failure }) }
}

/** One that the server will not have must not hold up the others. */
async function deliverTogether(
  parts: Parts,
  account: Account,
  claimed: readonly Spooled[],
  hold: Hold,
): Promise<unknown> {
  const { db, access, log } = parts
  try {
    await access.inMailbox(account, (session, layout) => append(parts, session, layout, claimed, hold))
    return undefined
  } catch (error) {
    if (claimed.length > 1 && isRefusal(error)) {
      return deliverEach(parts, account, claimed, hold)
    }
    const ids = claimed.map(({ id }) => id)
    log.warn({ err: error, mailbox: account.mailbox.mailboxId, messages: ids }, 'mail could not be delivered yet')
    await putOff(db, claimed, isRefusal(error) ? 'refused' : 'away')
    return error
  }
}

async function deliverEach(parts: Parts, account: Account, claimed: readonly Spooled[], hold: Hold): Promise<unknown> {
  for (const [at, one] of claimed.entries()) {
    const failure = await deliverTogether(parts, account, [one], hold)
    if (!isAway(failure)) continue
    await putOff(parts.db, claimed.slice(at + 1), 'away')
    return failure
  }
  return undefined
}

async function append(
  { db, log }: Parts,
  session: Session,
  layout: Layout,
  claimed: readonly Spooled[],
  hold: Hold,
): Promise<void> {
  for (const run of runsOfFolder(claimed)) {
    const path = layout.pathOf(run[0]?.folder ?? 'inbox')
    const lacking: (Deposit & Spooled)[] = []
    const there: Spooled[] = []
    for (const one of run) {
      const raw = await spooledBytes(db, one)
      if (!raw) continue
      const message = { ...one, raw }
      // An attempt whose end nobody knows may have succeeded.
      const again = one.attempts > 1 && (await isThere(session, path, message))
      if (again || (one.unlessThere && (await isNamed(session, path, message)))) there.push(one)
      else lacking.push(await fitting(log, session, path, message))
    }
    const ours = await hold.stillOurs(lacking)
    if (ours.length > 0) await deposit(session, path, ours)
    await drop(
      db,
      [...there, ...ours].map(({ id }) => id),
    )
  }
}

/** The message without keywords that the server would not keep: better than no message. */
async function fitting<M extends Deposit>(log: Logger, session: Session, path: string, message: M): Promise<M> {
  if (message.keywords.length === 0) return message
  const folder = await session.select(path)
  const keywords = message.keywords.filter((keyword) => folder?.keeps(keyword) ?? true)
  if (keywords.length < message.keywords.length) {
    const lost = message.keywords.filter((keyword) => !keywords.includes(keyword))
    log.error({ mailbox: session.login, folder: path, lost }, 'the mail server keeps no more keywords in a folder')
  }
  return { ...message, keywords }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Refusal && (error.code !== 'mail_unavailable' || error.cause instanceof CommandRefused)
}

function isAway(error: unknown): error is Refusal {
  return error instanceof Refusal && !isRefusal(error)
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
