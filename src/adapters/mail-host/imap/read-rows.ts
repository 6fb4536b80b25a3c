import { patience } from './connection.ts'
import { isSeen } from './delta.ts'
import { bytesOf, type Data, numberOf, type Token } from './response.ts'
import type { Session } from './session.ts'
import { type ThreadRowsReader, threadFields } from './thread-rows.ts'
import { readDateTime } from './words.ts'

/** Reads the messages at these places of the folder that is selected. Each is taken up as it comes, so that no more than
 *  one header is in memory, however long they are. */
export async function readRows(session: Session, rows: ThreadRowsReader, first: number, last: number): Promise<void> {
  const take = ({ name, values: [list] }: Data) => {
    if (name !== 'FETCH' || !Array.isArray(list)) return false
    let [uid, receivedAt] = [0, 0]
    let flags: Token | undefined
    let header: Buffer | undefined
    for (let at = 0; at + 1 < list.length; at += 2) {
      const [item, value] = [list[at], list[at + 1]]
      if (item === 'UID') uid = numberOf(value)
      else if (item === 'FLAGS') flags = value
      else if (item === 'INTERNALDATE') receivedAt = readDateTime(bytesOf(value))
      else if (typeof item === 'string' && item.startsWith('BODY[')) header = bytesOf(value)
    }
    // Without a header it tells of a flag that another has changed meanwhile.
    if (uid === 0 || !header) return false
    return rows.add({ uid, seen: isSeen(flags), receivedAt, header }) ?? true
  }
  const items = `UID FLAGS INTERNALDATE BODY.PEEK[HEADER.FIELDS (${threadFields})]`
  await session.connection.run([`FETCH ${first}:${last} (${items})`], take, patience.whole)
}
