import { Bye } from '../answers.ts'
import type { Session } from '../session/session.ts'
import { rangesOf, sequenceSet } from '../wire/format.ts'
import type { Output } from '../wire/output.ts'
import type { Changed, ChangedMessage } from './changed-messages.ts'
import { flagLines } from './flag-lines.ts'
import { flagsText } from './flags.ts'
import { type FolderChanges, folderChanges, moreChanged } from './folder-changes.ts'
import type { OpenFolder } from './open-folder.ts'
import { mostKeywords } from './read-folder.ts'

/** Tells the client what has changed in the selected folder, in the order of RFC 9051, section 7: EXPUNGE or, with QRESYNC, VANISHED; EXISTS;
 *  FETCH with flags. To be called after each command, before its tagged response, and while the client is idle. Expunges are told only
 *  where sequence numbers may change (section 7.5.1); until then the client's numbers stay, and for clients that keep modification
 *  sequences flags are held back, too, since they would take a newer one for a sign that they know all that came before (RFC 7162,
 *  section 6). Reads nothing if no change was announced since the last time. Throws `Bye` once the folder is deleted, as Dovecot
 *  does: IMAP has no way to say that a selected mailbox is gone. */
export async function tell(session: Session, { mayExpunge }: { readonly mayExpunge: boolean }): Promise<void> {
  const folder = session.selected
  if (!folder || folder.isTold(mayExpunge)) return
  const { news, db } = session.parts
  const { announcements } = news
  const { known, folderId, mailbox } = folder
  const read = () => folderChanges(db, mailbox, folderId, known)
  // Many may be woken at once by one change.
  const state = [announcements, folderId, known.expunges, known.flags, known.uidNext]
  const changes = await (folder.mustLook ? read() : news.shared(state.join(' '), read))
  if (!changes) throw new Bye('Selected mailbox was deleted, have to disconnect')
  const memory = await session.reserve(sizeOf(changes))
  let held: Held
  try {
    folder.found(changes, announcements)
    held = await tellChanges(session, folder, changes, mayExpunge)
  } finally {
    memory[Symbol.dispose]()
  }
  if (changes.added.length > 0) await folder.arrived?.([...changes.added])
  folder.toldTo(changes, held)
}

/** What of the changes the client is not told yet. */
type Held = 'nothing' | 'expunges' | 'flags'

async function tellChanges(
  session: Session,
  folder: OpenFolder,
  changes: FolderChanges,
  mayExpunge: boolean,
): Promise<Held> {
  const gone = goneFrom(folder, changes)
  const isHeld = gone.length > 0 && !mayExpunge
  if (!isHeld && gone.length > 0) await tellGone(session, folder, gone)
  if (changes.added.length > 0) {
    folder.messages.append(changes.added)
    await session.output.write(`* ${folder.messages.count} EXISTS\r\n`)
  }
  if (isHeld && session.enabled.has('CONDSTORE')) return 'flags'
  const [until, below] = [changes.modseq, folder.known.uidNext]
  const isNews = (message: ChangedMessage) => !folder.isOwn(message)
  await tellChanged(session, folder, changes.changed, { until, below, isNews })
  return isHeld ? 'expunges' : 'nothing'
}

/** Octets that the changes take about, with the lists that are made of them. */
function sizeOf({ gone, left, added, changed }: FolderChanges): number {
  const keywords = changed.messages.reduce((sum, message) => sum + message.keywords.length, 0)
  return 32 * ((gone?.length ?? 0) + left.length + added.length + keywords) + 256 * changed.messages.length
}

/** Those of the client's messages that went. */
function goneFrom({ messages, known }: OpenFolder, { gone, left }: FolderChanges): number[] {
  if (gone) return [...gone].filter((uid) => messages.sequenceOf(uid) !== undefined)
  const out: number[] = []
  let next = 0
  for (const uid of messages.uidsIn([{ from: 1, to: known.uidNext - 1 }])) {
    while (next < left.length && (left[next] ?? 0) < uid) next++
    if (left[next] !== uid) out.push(uid)
  }
  return out
}

/** Characters of responses that are sent at a time. */
const together = 32 << 10

/** Writes responses, a few at a time. */
export async function writeLines(output: Output, lines: Iterable<string>): Promise<void> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < together) continue
    await output.write(text)
    text = ''
  }
  if (text !== '') await output.write(text)
}

async function tellGone(
  { enabled, output }: Session,
  { messages }: OpenFolder,
  gone: readonly number[],
): Promise<void> {
  const numbers = messages.remove(gone)
  if (enabled.has('QRESYNC')) {
    await output.write(`* VANISHED ${sequenceSet(rangesOf(gone.toSorted((a, b) => a - b)))}\r\n`)
    return
  }
  await writeLines(
    output,
    numbers.values().map((number) => `* ${number} EXPUNGE\r\n`),
  )
}

interface Range {
  readonly until: number
  readonly below: number
  readonly isNews: (message: ChangedMessage) => boolean
}

/** Writes FETCH for changed messages, and for those behind them. */
export async function tellChanged(session: Session, folder: OpenFolder, first: Changed, range: Range): Promise<void> {
  const { until, below, isNews } = range
  for (let page = first; ; ) {
    const messages = page.messages.filter(isNews)
    await tellKeywords(session, folder, messages)
    await writeLines(
      session.output,
      messages.values().map((message) => fetched(session, folder, message)),
    )
    if (!page.next) return
    const { db } = session.parts
    page = await moreChanged(db, folder.mailbox, folder.folderId, { after: page.next, until, below })
  }
}

/** FETCH with the flags of a message, unless they need not be said, and what the client wants beside them. */
export function fetched(
  { enabled }: Session,
  { messages }: OpenFolder,
  message: ChangedMessage,
  { withUid = false, isSilent = false } = {},
): string {
  const number = messages.sequenceOf(message.uid)
  if (number === undefined) return ''
  const items = [
    ...(withUid || enabled.has('QRESYNC') || enabled.has('IMAP4rev2') ? [`UID ${message.uid}`] : []),
    ...(isSilent ? [] : [`FLAGS ${flagsText(message)}`]),
    ...(enabled.has('CONDSTORE') ? [`MODSEQ (${message.modseq})`] : []),
  ]
  return `* ${number} FETCH (${items.join(' ')})\r\n`
}

/** FLAGS once more, if there are keywords that it did not have, and it may have more (RFC 9051, section 7.3.5). */
export async function tellKeywords(
  { output }: Session,
  folder: OpenFolder,
  messages: readonly Pick<ChangedMessage, 'keywords'>[],
): Promise<void> {
  const added = new Set(messages.flatMap(({ keywords }) => keywords)).difference(folder.keywords)
  if (added.size === 0 || folder.keywords.size >= mostKeywords) return
  folder.keywords = new Set([...folder.keywords, ...added].slice(0, mostKeywords))
  await output.write(flagLines(folder))
}
