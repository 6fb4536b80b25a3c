import { readMessage } from '#/mime/message.ts'
import type { Extent, Heading, HeadingPage, UidRange } from '#/ports/mail-host.ts'
import { fetchUids } from '../client/fetch.ts'
import type { ImapSession } from '../client/session.ts'
import type { SelectedFolder } from '../folders/selected-folder.ts'
import { flagsIn } from './contents.ts'
import { numbers } from './list.ts'

/** As in the server's response. */
const section = 'BODY[HEADER.FIELDS (FROM SENDER TO CC SUBJECT RECEIVED CONTENT-TYPE)]'

/** The fields that filters read, for messages in a range of uids of the selected folder. The server reads headers only. */
export async function headings(
  session: ImapSession,
  folder: SelectedFolder,
  { after, last, most, wanted: fieldsWanted }: UidRange,
): Promise<HeadingPage> {
  const { uidValidity } = folder.selectedAt
  const uids = last > after ? await numbers(session, 'SEARCH', `UID ${after + 1}:${last}`) : []
  const wanted = uids.toSorted((a, b) => a - b).slice(0, most)
  const messages: Heading[] = []
  if (wanted.length === 0) return { uidValidity, messages }
  const fields = fieldsWanted === 'subject' ? 'BODY[HEADER.FIELDS (SUBJECT)]' : section
  const items = `FLAGS ${fields.replace('BODY', 'BODY.PEEK')}`
  await fetchUids(session.connection, wanted, items, fields, (message) => {
    const header = message.octets(fields)
    if (!header) return undefined
    const { subject } = readMessage(header)
    const { seen, flagged, keywords } = flagsIn(message.flags)
    messages.push({ uid: message.uid, seen, flagged, keywords, subject, senders: undefined, header })
  })
  return { uidValidity, messages: messages.sort((a, b) => a.uid - b.uid) }
}

/** Of the selected folder. */
export async function extent(session: ImapSession, folder: SelectedFolder): Promise<Extent> {
  const [lastUid = 0] = folder.exists > 0 ? await numbers(session, 'SEARCH', 'UID *') : []
  return { uidValidity: folder.selectedAt.uidValidity, lastUid, total: folder.exists }
}
