import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import { standingFolders } from '#/messages/folder-name.ts'
import type { Access, Account } from './access.ts'
import { type Deposit, deposit, isNamed, isThere } from './deposit.ts'
import { Hold } from './hold.ts'
import type { Layout } from './layout.ts'
import { type Refused, refused } from './refused.ts'
import type { SelectedFolder } from './selected-folder.ts'
import type { Session } from './session.ts'
import { claim, type Deferral, drop, putOff, type Spooled, spooledBytes } from './spool-queries.ts'

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

/** One that the server will not have must not hold up the others. Answers why it did not get all. */
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
    const [one, ...others] = claimed
    const refusal = refused(error)
    if (refusal && others.length > 0) return deliverEach(parts, account, claimed, hold)
    const instead = one && refusal && inInbox(one, refusal)
    const failure = instead ? await deliverInstead(parts, account, instead, hold) : error
    if (failure === undefined) return undefined
    const context = { mailbox: account.mailbox.mailboxId, messages: claimed.map(({ id }) => id) }
    log.warn({ err: error, ...context }, 'mail could not be delivered yet')
    await putOff(db, claimed, deferral(isAway(failure) ? failure : error))
    return failure
  }
}

async function deliverEach(parts: Parts, account: Account, claimed: readonly Spooled[], hold: Hold): Promise<unknown> {
  for (const [at, one] of claimed.entries()) {
    const failure = await deliverTogether(parts, account, [one], hold)
    if (!isAway(failure)) continue
    await putOff(parts.db, claimed.slice(at + 1), deferral(failure))
    return failure
  }
  return undefined
}

/** A message whose folder the server refuses. Where it takes that into the inbox, it was for the folder. */
async function deliverInstead(parts: Parts, account: Account, instead: Spooled, hold: Hold): Promise<unknown> {
  try {
    await parts.access.inMailbox(account, (session, layout) => append(parts, session, layout, [instead], hold))
    const context = { mailbox: account.mailbox.mailboxId, message: instead.id }
    parts.log.warn(context, 'the mail server refuses the folder of a message, which is in the inbox instead')
    return undefined
  } catch (error) {
    return error
  }
}

/** Of a refusal without a code that says so nobody knows whether it is for good: it must have come twice, after so many
 *  attempts, which take four minutes at least. */
const often = 8

/** The message for the inbox instead of its folder, with the reason, where waiting would be of no use. What is for Sent, or
 *  was put into Junk by us, waits until the server has such a folder: in the inbox it would be something else. */
function inInbox(message: Spooled, { lasting, why }: Refused): Spooled | undefined {
  const { folder, filteredBy, attempts, deferral: before } = message
  const moved = filteredBy.some((one) => one.action === 'move' && one.argument === folder)
  if (folder === 'inbox' || (isStanding(folder) && !moved)) return undefined
  const certain = lasting === 'for good' || (lasting === 'perhaps' && before === 'refused' && attempts >= often)
  if (!certain) return undefined
  const noted = filteredBy.map((one) =>
    one.action === 'move' && one.argument === folder ? { ...one, error: why } : one,
  )
  return { ...message, folder: 'inbox', filteredBy: noted }
}

function isStanding(folder: string): boolean {
  return (standingFolders as readonly string[]).includes(folder)
}

function deferral(failure: unknown): Deferral {
  const refusal = refused(failure)
  if (refusal) return { as: 'refused', reason: refusal.why }
  const { message, cause } = failure as Error
  return { as: 'unavailable', reason: cause instanceof Error ? cause.message : message }
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
    const folder = run.some(({ keywords }) => keywords.length > 0) ? await session.select(path) : undefined
    for (const one of run) {
      const raw = await spooledBytes(db, one)
      if (!raw) continue
      const message = { ...one, raw }
      // An attempt whose end nobody knows may have succeeded.
      const again = one.attempts > 1 && (await isThere(session, path, message))
      if (again || (one.unlessThere && (await isNamed(session, path, message)))) there.push(one)
      else lacking.push(fitting(log, session.login, folder, message))
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
function fitting<M extends Deposit>(log: Logger, mailbox: string, folder: SelectedFolder | undefined, message: M): M {
  if (!folder || message.keywords.length === 0) return message
  const keywords = message.keywords.filter((keyword) => folder.keeps(keyword))
  if (keywords.length < message.keywords.length) {
    const lost = message.keywords.filter((keyword) => !keywords.includes(keyword))
    log.error({ mailbox, folder: folder.path, lost }, 'the mail server keeps no more keywords in a folder')
  }
  return { ...message, keywords }
}

function isAway(error: unknown): error is Refusal {
  return error instanceof Refusal && !refused(error)
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
