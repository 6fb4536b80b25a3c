import { isDeepStrictEqual } from 'node:util'
import type { Db } from '#/base/db/schema.ts'
import { ifMissing, invalid } from '#/base/errors.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { OwnAddresses } from '#/mail/mailboxes/own-addresses.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { type Mark, markedUids } from '#/mail/store/marked.ts'
import { type Awaiting, awaiting as expected } from './awaiting.ts'
import type { ConversationFilter, MailboxIndex } from './mailbox/mailbox-index.ts'
import { judge, judgeBy, numbersOf, numbersWith } from './mailbox/numbered.ts'
import type { Placed } from './mailbox/placed.ts'
import { leftOut, type MailboxIndexes } from './mailbox-indexes.ts'
import { summariesOf } from './summaries.ts'
import { textsOf } from './texts.ts'

interface Dependencies {
  readonly db: Db
  readonly mailboxIndexes: MailboxIndexes
}

/** Filters of a list of conversations. */
export interface Narrowing extends Pick<ConversationFilter, 'folder' | 'unread'> {
  readonly starred?: boolean | undefined
  /** A keyword that one of the messages has. */
  readonly label?: string | undefined
  /** The sender of one of the messages. */
  readonly participant?: string | undefined
  /** Who is expected to write next, by the addresses that the mailbox may send as. */
  readonly awaiting?: { readonly side: Awaiting; readonly own: OwnAddresses } | undefined
}

/** How often to read again if the mailbox changed meanwhile. */
const attempts = 3

/** Calls `read` with an up-to-date index and a filter for it. Data that the index lacks is read from the store: marks each
 *  time; whether an answer to a conversation's last message is expected, by its header, once for as long as the mailbox has the same addresses. */
export async function narrowed<T>(
  { db, mailboxIndexes }: Dependencies,
  mailbox: MailboxRef,
  narrowing: Narrowing,
  read: (index: MailboxIndex, wanted: ConversationFilter) => T,
): Promise<T> {
  const { folder, unread, awaiting } = narrowing
  const marks = marksOf(narrowing)
  for (let attempt = 1; ; attempt++) {
    const last = attempt === attempts
    const before = await mailboxIndexes.upToDate(mailbox)
    assertIncluded(before, folder)
    const marked: ReadonlyMap<string, readonly number[]>[] = []
    for (const mark of marks) marked.push(await markedIn(db, mailbox, before, mark))
    const index = marks.length === 0 ? before : await mailboxIndexes.upToDate(mailbox)
    if (!last && marks.length > 0 && !isSame(before, index)) continue
    const wanted = { folder, unread, among: amongOf(index, marked, narrowing) }
    if (awaiting === undefined) return read(index, wanted)
    judgeBy(index.folders, awaiting.own.named)
    const unjudged = index.newestJudged(wanted, 0).map(({ message }) => message)
    if (last || unjudged.length === 0) {
      const judged = index.newestJudged(wanted, judgementOf(awaiting.side))
      return read(index, { ...wanted, among: new Set(judged.map(({ number }) => number)) })
    }
    await judgeAll(db, mailbox, { index, own: awaiting.own, messages: unjudged })
  }
}

function assertIncluded(index: MailboxIndex, folder: string | undefined): void {
  if (folder === undefined || index.folders.some(({ name }) => name === folder)) return
  if (leftOut.has(folder)) throw invalid('folder', 'Conversations have no messages of drafts, junk and trash')
  throw invalid('folder', `No folder ${JSON.stringify(folder)} in this mailbox`)
}

function marksOf({ label, starred }: Narrowing): Mark[] {
  return [...(label === undefined ? [] : [{ keyword: label }]), ...(starred === undefined ? [] : ['flagged' as const])]
}

function markedIn(db: Db, mailbox: MailboxRef, { folders }: MailboxIndex, mark: Mark) {
  const names = folders.map(({ name }) => name)
  return markedUids(db, mailbox, names, mark).catch(ifMissing(new Map<string, readonly number[]>()))
}

function isSame(before: MailboxIndex, after: MailboxIndex): boolean {
  const states = ({ folders }: MailboxIndex) => folders.map(({ name, state }) => ({ name, state }))
  return isDeepStrictEqual(states(before), states(after))
}

/** Undefined if all conversations match. `marked` is in the order of `marksOf`. */
function amongOf(
  index: MailboxIndex,
  marked: readonly ReadonlyMap<string, readonly number[]>[],
  { starred, participant }: Narrowing,
): Set<number> | undefined {
  const sets = marked.map((messages) => numbersOf(index.folders, messages))
  if (starred === false) sets.push(index.numbers({}).difference(sets.pop() ?? new Set()))
  if (participant !== undefined) sets.push(numbersFrom(index, participant))
  return sets.length === 0 ? undefined : sets.reduce((some, others) => some.intersection(others))
}

/** Participants are shown in lower case, otherwise as written. */
function numbersFrom(index: MailboxIndex, address: string): Set<number> {
  const lower = address.toLowerCase()
  return numbersWith(index.folders, lower).union(numbersWith(index.folders, canonicalAddress(address) ?? lower))
}

/** In the form in which the index stores it. */
function judgementOf(awaited: Awaiting): number {
  return awaited === 'us' ? 1 : awaited === 'them' ? 2 : 3
}

async function judgeAll(
  db: Db,
  mailbox: MailboxRef,
  { index, own, messages }: { index: MailboxIndex; own: OwnAddresses; messages: readonly Placed[] },
): Promise<void> {
  for (const summary of await summariesOf(db, mailbox, messages)) {
    const awaited = expected({ folder: summary.folder, ...textsOf(summary) }, own)
    judge(index.folders, own.named, summary, judgementOf(awaited))
  }
}
