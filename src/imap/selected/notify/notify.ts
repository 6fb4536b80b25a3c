import { Bad } from '../../answers.ts'
import { tellItems } from '../../fetch/commands.ts'
import type { FetchItem } from '../../fetch/items.ts'
import type { Handler, Session } from '../../session/session.ts'
import { statusLine } from '../../wire/format.ts'
import { atEnd } from '../at-end.ts'
import { attentionOf } from '../attention.ts'
import { type NotifySet, readNotifySet } from './notify-set.ts'
import { OtherMailboxes, Overflow } from './other-mailboxes.ts'

/** NOTIFY (RFC 5465): what the client is told of without asking, within IDLE and outside. Whatever it asks for, it is told of the selected
 *  mailbox with each command, as without NOTIFY: who is told more than it asked for misses nothing. A mailbox that is shared with
 *  it later is watched from the next NOTIFY on. */
export const notify: Handler = async (session, { args }) => {
  args.space()
  const word = args.word()
  if (word !== 'SET' && word !== 'NONE') throw new Bad('NOTIFY takes SET or NONE')
  const wanted = word === 'SET' ? readNotifySet(args) : undefined
  args.end()
  const others = wanted && (await watched(session, wanted))
  stop(session)
  if (wanted) await start(session, wanted, others)
  return { text: 'Notify completed' }
}

/** @throws Overflow */
async function watched(session: Session, { groups }: NotifySet): Promise<OtherMailboxes | undefined> {
  if (groups.length === 0) return undefined
  const others = new OtherMailboxes(session, groups)
  await others.begin()
  return others
}

async function start(
  session: Session,
  { selected, status }: NotifySet,
  others: OtherMailboxes | undefined,
): Promise<void> {
  const attention = attentionOf(session)
  if (selected) {
    attention.selected = selected.delaysExpunges ? 'at once, but expunges' : 'at once'
    const items = selected.items.map(unseen)
    if (items.length > 0) attention.arrived = (folder, uids) => tellItems(session, folder, uids, items)
  }
  if (!others) return
  const held = new DisposableStack()
  held.use(others)
  for (const id of others.mailboxIds.add(session.user.mailbox.mailboxId))
    held.use(session.parts.news.mailboxes.watch(id, attention.wakeForOthers))
  const tell = () => others.tellChanges().catch((error: unknown) => overflown(session, error))
  attention.others = { tell, end: atEnd(session.signal, () => held.dispose()) }
  if (status) await others.tellAll()
  // What has changed since they were read.
  await tell()
}

/** Mailboxes have come for which there is no room: from now on it is as after NOTIFY NONE (RFC 5465, section 5.8). */
async function overflown(session: Session, error: unknown): Promise<void> {
  if (!(error instanceof Overflow)) throw error
  stop(session)
  await session.output.write(statusLine('*', 'OK', error.message, error.code))
}

function stop(session: Session): void {
  const attention = attentionOf(session)
  attention.others?.end()
  attention.others = attention.arrived = undefined
  attention.selected = 'at commands'
}

/** What nobody asked for is not read by anybody. */
function unseen(item: FetchItem): FetchItem {
  return typeof item === 'object' && 'marksSeen' in item ? { ...item, marksSeen: false } : item
}
