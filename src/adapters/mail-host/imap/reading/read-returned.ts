import { setImmediate as nextTurn } from 'node:timers/promises'
import { noticeBytes, returnedIds } from '#/mime/report/returned.ts'
import { readFilteredBy } from '../changing/filtered-by.ts'
import { fetchUids } from '../client/fetch.ts'
import type { ImapSession } from '../client/session.ts'
import type { ThreadRowsReader } from './thread-rows.ts'

/** Notices in one command, during which the session does nothing else. */
const noticesAtOnce = 50
/** For a field in front of the message. */
const mostInFront = 16 * 1024

/** Reads what notices of non-delivery among the new messages of the selected folder return. A notice that is deleted
 *  meanwhile connects nothing. */
export async function readReturned(session: ImapSession, rows: ThreadRowsReader): Promise<void> {
  const { notices } = rows
  for (let at = 0; at < notices.length; at += noticesAtOnce) {
    const items = `BODY.PEEK[]<0.${noticeBytes + mostInFront}>`
    await fetchUids(session.connection, notices.slice(at, at + noticesAtOnce), items, 'BODY[]<0>', (message) => {
      const bytes = message.octets('BODY[]<0>')
      if (!bytes) return undefined
      const returned = returnedIds(bytes.subarray(readFilteredBy(bytes).length))
      if (returned) rows.addReturned(message.uid, returned)
      return nextTurn(true as const)
    })
  }
}
