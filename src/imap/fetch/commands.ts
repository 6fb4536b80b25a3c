import { Bad, type Completed, No } from '../answers.ts'
import type { OpenFolder } from '../selected/open-folder.ts'
import type { Handler, Session } from '../session/session.ts'
import { fetchMessages, messagesAtOnce } from './fetch-messages.ts'
import { type FetchItem, readItems } from './items.ts'
import { type Modifiers, readModifiers } from './modifiers.ts'
import { vanishedLines } from './vanished.ts'
import { wantedUids } from './wanted-uids.ts'

const fetch: Handler = async (session, { name, args }): Promise<Completed> => {
  const selected = session.needSelected()
  const by = name === 'UID FETCH' ? 'uid' : 'sequence'
  args.space()
  const set = args.sequenceSet()
  args.space()
  const { items, mayHavePreviewModifier } = readItems(args)
  const modifiers = readModifiers(args, mayHavePreviewModifier)
  args.end()
  assertFits(session, by, modifiers)
  const ranges = selected.messages.uidRanges(set, by, selected.savedSearch)
  const { changedSince } = modifiers
  // The first use of modification sequences turns them on (RFC 7162, section 3.1).
  if (changedSince !== undefined || items.includes('MODSEQ')) session.enable('CONDSTORE')
  const { db } = session.parts
  const asked = { messages: selected.messages, ranges }
  if (modifiers.vanished && changedSince !== undefined)
    for await (const line of vanishedLines(db, selected, asked, changedSince)) await session.output.write(line)
  const wanted = told(items, by, modifiers)
  const uids = wantedUids(db, selected, asked, modifiers, messagesAtOnce(wanted))
  const { lacksMessages, lacksParts } = await fetchMessages(session, selected, uids, wanted)
  if (lacksParts) throw new No('A part has an encoding that is not known here', 'UNKNOWN-CTE')
  // By uid what is not there is no fault of the client's.
  if (lacksMessages && by === 'sequence') throw new No('Some of the messages have been deleted', 'EXPUNGEISSUED')
  return { text: 'FETCH completed' }
}

function assertFits(
  { enabled }: Session,
  by: 'uid' | 'sequence',
  { changedSince, vanished, partial }: Modifiers,
): void {
  if (vanished && (by !== 'uid' || changedSince === undefined || !enabled.has('QRESYNC')))
    throw new Bad('VANISHED is of UID FETCH with CHANGEDSINCE, once QRESYNC is enabled')
  if (partial && by !== 'uid') throw new Bad('PARTIAL is of UID FETCH')
}

function told(items: readonly FetchItem[], by: 'uid' | 'sequence', { changedSince }: Modifiers): FetchItem[] {
  const all: FetchItem[] = by === 'uid' && !items.includes('UID') ? ['UID', ...items] : [...items]
  return changedSince === undefined || all.includes('MODSEQ') ? all : [...all, 'MODSEQ']
}

/** Tells a client items of messages that it has not asked for now, as NOTIFY does of new ones (RFC 5465, section 5.2), with their
 *  uids. */
export async function tellItems(
  session: Session,
  selected: OpenFolder,
  uids: readonly number[],
  items: readonly FetchItem[],
): Promise<void> {
  async function* those() {
    yield uids
  }
  await fetchMessages(session, selected, those(), told(items, 'uid', {}))
}

export const fetchCommands: Readonly<Record<string, Handler>> = { FETCH: fetch, 'UID FETCH': fetch }
