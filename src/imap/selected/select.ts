import { Bad, type Completed, No } from '../answers.ts'
import { folderNamed } from '../folders/named.ts'
import { namedAs } from '../folders/written.ts'
import type { Handler, Session } from '../session/session.ts'
import type { Arguments } from '../wire/arguments.ts'
import { sequenceSet, untagged } from '../wire/format.ts'
import { attentionOf } from './attention.ts'
import { flagLines } from './flag-lines.ts'
import { mailboxId } from './mailbox-id.ts'
import { OpenFolder } from './open-folder.ts'
import { type FolderNow, readFolder } from './read-folder.ts'
import { type Remembered, readRemembered, vanishedFor } from './resync.ts'
import { contains } from './sequence-map.ts'
import { tellChanged } from './tell.ts'

/** SELECT and EXAMINE (RFC 9051, sections 6.3.2 and 6.3.3; RFC 3501, section 6.3.1). The mailbox that was selected is closed whether
 *  the other can be or not, and its changes are not told any more. */
export const select: Handler = (session, { args }) => open(session, args, false)
export const examine: Handler = (session, { args }) => open(session, args, true)

async function open(session: Session, args: Arguments, isExamined: boolean): Promise<Completed> {
  args.space()
  const asked = args.mailbox()
  const { condstore, remembered } = readParameters(session, args)
  args.end()
  if (session.selected) {
    closeSelected(session)
    await session.output.write('* OK [CLOSED] Previous mailbox closed\r\n')
  }
  if (condstore) session.enable('CONDSTORE')
  const { mailbox, name, folder, level } = await folderNamed(session, asked, 'read')
  const { db, news } = session.parts
  const { announcements } = news
  const now = await readFolder(db, news.maps, mailbox, folder, remembered)
  if (!now) throw new No('No such mailbox', 'NONEXISTENT')
  const isReadOnly = isExamined || level === 'read'
  const opened = new OpenFolder(news, { ...now, mailbox, name, folder, isReadOnly, announcements }, session.signal)
  opened.keywords = new Set(now.keywords)
  enter(session, opened)
  await session.output.write(responses(session, opened, now, args.givenName))
  if (remembered?.uidValidity === now.folderId) await resync(session, opened, now, remembered)
  return { text: isExamined ? 'Examine completed' : 'Select completed', code: isReadOnly ? 'READ-ONLY' : 'READ-WRITE' }
}

/** `(CONDSTORE)`, `(QRESYNC (…))` (RFC 7162, sections 3.1.8 and 3.2.5). */
function readParameters(
  { enabled }: Session,
  args: Arguments,
): { readonly condstore: boolean; readonly remembered: Remembered | undefined } {
  let condstore = false
  let remembered: Remembered | undefined
  if (args.isAtEnd()) return { condstore, remembered }
  args.space()
  args.list(() => {
    const name = args.word()
    if (name === 'CONDSTORE') condstore = true
    else if (name === 'QRESYNC') {
      if (!enabled.has('QRESYNC')) throw new Bad('QRESYNC must be enabled before')
      args.space()
      remembered = readRemembered(args)
    } else throw new Bad('SELECT has no such parameter')
  })
  return { condstore, remembered }
}

function responses(session: Session, folder: OpenFolder, now: FolderNow, given: string): string {
  const { enabled } = session
  const isRev2 = enabled.has('IMAP4rev2')
  const unseen = now.unseen === undefined ? undefined : folder.messages.sequenceOf(now.unseen)
  const lines = [
    `${folder.messages.count} EXISTS`,
    ...(isRev2 ? [] : ['0 RECENT']),
    ...(isRev2 || unseen === undefined ? [] : [`OK [UNSEEN ${unseen}] First message without \\Seen`]),
    `OK [UIDVALIDITY ${now.folderId}] Uids are valid`,
    `OK [UIDNEXT ${now.uidNext}] Predicted next uid`,
    `OK [HIGHESTMODSEQ ${now.modseq}] Highest modification sequence`,
    `OK [MAILBOXID (${mailboxId(now.folderId)})] Mailbox id`,
    ...(isRev2 ? [namedAs(session, folder.name, given)] : []),
  ]
  return flagLines(folder) + lines.map(untagged).join('')
}

/** What has changed since the client's state (RFC 7162, section 3.2.5.1). */
async function resync(session: Session, folder: OpenFolder, now: FolderNow, remembered: Remembered): Promise<void> {
  const vanished = vanishedFor(remembered, now)
  if (vanished.length > 0) await session.output.write(`* VANISHED (EARLIER) ${sequenceSet(vanished)}\r\n`)
  const isNews = ({ uid }: { readonly uid: number }) => !remembered.known || contains(remembered.known, uid)
  await tellChanged(session, folder, now.changed, { until: now.modseq, below: now.uidNext, isNews })
}

function enter(session: Session, folder: OpenFolder): void {
  session.select(folder)
  const attention = attentionOf(session)
  folder.woken = attention.wake
  folder.arrived = async (uids) => attention.arrived?.(folder, uids)
}

/** Selects nothing. */
export function closeSelected(session: Session): void {
  const { selected } = session
  session.select(undefined)
  selected?.leave()
}
