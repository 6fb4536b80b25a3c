import type { Logger } from 'pino'
import { LeaseHolder } from '#/db/lease-holder.ts'
import { databaseNow } from '#/db/leases.ts'
import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import { isStandardFolder } from '#/messages/folders/folder-name.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { Access, Account } from '../access.ts'
import { type AppendMessage, appendMessages, isNamed, uidOf } from '../changing/append.ts'
import { markOriginals } from '../changing/originals.ts'
import { type Refused, refused } from '../changing/refused.ts'
import type { ImapSession } from '../client/session.ts'
import type { Layout } from '../folders/layout.ts'
import type { SelectedFolder } from '../folders/selected-folder.ts'
import {
  type Claimed,
  claim,
  type Deferral,
  type Delivered,
  defer,
  drop,
  spooledBytes,
  spoolLeases,
} from './queries.ts'

interface Parts {
  readonly db: Db
  readonly access: Access
  readonly log: Logger
}

export interface BatchResult {
  /** Nothing was due, or another process has it. */
  readonly empty: boolean
  /** The server does not answer. */
  readonly unavailable?: Refusal
}

/** Delivers due mail of a mailbox, as much as one command takes. Refused messages are deferred. */
export async function deliverBatch(parts: Parts, account: Account): Promise<BatchResult> {
  const since = performance.now()
  const claimed = await claim(parts.db, account.mailbox)
  if (claimed.length === 0) return { empty: true }
  using holder = new LeaseHolder(parts.db, spoolLeases, claimed, { since, now: () => databaseNow, log: parts.log })
  const failure = await deliverTogether(parts, account, claimed, holder)
  return { empty: false, ...(isUnavailable(failure) && { unavailable: failure }) }
}

/** A refused message must not delay the others. Answers why the server did not store all. */
async function deliverTogether(
  parts: Parts,
  account: Account,
  claimed: readonly Claimed[],
  holder: LeaseHolder,
): Promise<unknown> {
  const { db, access, log } = parts
  try {
    await access.inMailbox(account, (session, layout) =>
      append(parts, session, layout, { mailbox: account.mailbox, claimed }, holder),
    )
    return undefined
  } catch (error) {
    const [one, ...others] = claimed
    const refusal = refused(error)
    if (refusal && others.length > 0) return deliverEach(parts, account, claimed, holder)
    const instead = one && refusal && inInbox(one, refusal)
    const failure = instead ? await deliverInstead(parts, account, instead, holder) : error
    if (failure === undefined) return undefined
    const context = { mailbox: account.mailbox.mailboxId, messages: claimed.map(({ id }) => id) }
    log.warn({ err: error, ...context }, 'mail was deferred: the mail server did not take it')
    await defer(db, claimed, deferral(isUnavailable(failure) ? failure : error))
    return failure
  }
}

async function deliverEach(
  parts: Parts,
  account: Account,
  claimed: readonly Claimed[],
  holder: LeaseHolder,
): Promise<unknown> {
  for (const [at, one] of claimed.entries()) {
    const failure = await deliverTogether(parts, account, [one], holder)
    if (!isUnavailable(failure)) continue
    await defer(parts.db, claimed.slice(at + 1), deferral(failure))
    return failure
  }
  return undefined
}

/** Delivers a message to the inbox after the server refused its folder. If that fails too, the folder was not the reason. */
async function deliverInstead(parts: Parts, account: Account, instead: Claimed, holder: LeaseHolder): Promise<unknown> {
  try {
    await parts.access.inMailbox(account, (session, layout) =>
      append(parts, session, layout, { mailbox: account.mailbox, claimed: [instead] }, holder),
    )
    const context = { mailbox: account.mailbox.mailboxId, message: instead.id }
    parts.log.warn(context, 'the mail server refuses the folder of a message, which was delivered to the inbox')
    return undefined
  } catch (error) {
    return error
  }
}

/** A refusal without a code may be temporary. It counts as permanent if it occurs again after so many attempts, which take
 *  four minutes at least. */
const attemptsUntilLasting = 8

/** The message with the inbox as its folder, and with the reason, if waiting would not help. Mail for Sent, or quarantined
 *  by DMARC, waits until the server has such a folder: in the inbox it would mean something else. */
function inInbox(message: Claimed, { lasting, why }: Refused): Claimed | undefined {
  const { folder, filteredBy, attempts, deferral: before } = message
  const moved = filteredBy.some((one) => one.action === 'move' && one.argument === folder)
  if (folder === 'inbox' || (isStandardFolder(folder) && !moved)) return undefined
  const certain =
    lasting === 'permanent' || (lasting === 'unclear' && before === 'refused' && attempts >= attemptsUntilLasting)
  if (!certain) return undefined
  const noted = filteredBy.map((one) =>
    one.action === 'move' && one.argument === folder ? { ...one, error: why } : one,
  )
  return { ...message, folder: 'inbox', filteredBy: noted }
}

function deferral(failure: unknown): Deferral {
  const refusal = refused(failure)
  if (refusal) return { as: 'refused', reason: refusal.why }
  const { message, cause } = failure as Error
  return { as: 'unavailable', reason: cause instanceof Error ? cause.message : message }
}

async function append(
  { db, log }: Parts,
  session: ImapSession,
  layout: Layout,
  { mailbox, claimed }: { mailbox: MailboxRef; claimed: readonly Claimed[] },
  holder: LeaseHolder,
): Promise<void> {
  for (const run of runsOfFolder(claimed)) {
    const path = await layout.pathOf(session, run[0]?.folder ?? 'inbox')
    const lacking: (AppendMessage & Claimed)[] = []
    const there: Delivered[] = []
    const folder = run.some(({ keywords }) => keywords.length > 0) ? await session.select(path) : undefined
    for (const one of run) {
      const raw = await spooledBytes(db, one)
      if (!raw) continue
      const message = { ...one, raw }
      // An earlier attempt may have succeeded without a reply.
      const uid = one.attempts > 1 ? await uidOf(session, path, message) : undefined
      if (uid !== undefined) there.push({ ...one, uid, isOurs: true })
      else if (one.unlessThere && (await isNamed(session, path, message)))
        there.push({ ...one, uid: null, isOurs: false })
      else lacking.push(fitting(log, session.login, folder, message))
    }
    const ours = await holder.stillHeld(lacking)
    // Dovecot appends to the selected folder, even if another one has its name by now.
    if (!layout.isStandard(path)) await session.unselect()
    const uids = ours.length > 0 ? await appendMessages(session, path, ours) : []
    await markOriginals({ db, log }, session, layout, mailbox, run)
    const delivered = [...there, ...ours.map((one, at) => ({ ...one, uid: uids[at] ?? null, isOurs: true }))]
    await db.transaction().execute((tx) => drop(tx, mailbox, delivered))
  }
}

/** The message without keywords that the server would not keep. */
function fitting<M extends AppendMessage>(
  log: Logger,
  mailbox: string,
  folder: SelectedFolder | undefined,
  message: M,
): M {
  if (!folder || message.keywords.length === 0) return message
  const keywords = message.keywords.filter((keyword) => folder.keeps(keyword))
  if (keywords.length < message.keywords.length) {
    const lost = message.keywords.filter((keyword) => !keywords.includes(keyword))
    log.error({ mailbox, folder: folder.path, lost }, 'the mail server keeps no more keywords in a folder')
  }
  return { ...message, keywords }
}

function isUnavailable(error: unknown): error is Refusal {
  return error instanceof Refusal && !refused(error)
}

/** Groups of consecutive messages for one folder. */
function runsOfFolder(messages: readonly Claimed[]): Claimed[][] {
  const runs: Claimed[][] = []
  for (const message of messages) {
    const last = runs.at(-1)
    if (last?.[0]?.folder === message.folder) last.push(message)
    else runs.push([message])
  }
  return runs
}
