import { isKeyword } from '#/labels/keyword.ts'
import type { ListPlace, ListQuery } from '#/ports/mail-host.ts'
import { timeouts } from '../client/connection.ts'
import { fetchUids } from '../client/fetch.ts'
import type { ImapSession } from '../client/session.ts'
import type { Key } from './search-keys.ts'

/** The uids of a list, newest received first, equal dates by uid. */
async function listed(session: ImapSession, { unread, keyword }: ListQuery): Promise<number[]> {
  if (keyword !== undefined && !isKeyword(keyword.toLowerCase())) return []
  const criteria = [
    ...(unread === undefined ? [] : [unread ? 'UNSEEN' : 'SEEN']),
    ...(keyword === undefined ? [] : [`KEYWORD ${keyword.toLowerCase()}`]),
  ]
  return newestFirst(session, [criteria.length > 0 ? criteria.join(' ') : 'ALL'])
}

/** The uids that a search key finds, newest received first, equal dates by uid. */
export async function newestFirst(session: ImapSession, key: Key): Promise<number[]> {
  const isAscii = key.every((part) => typeof part === 'string')
  // SORT puts equal dates in ascending order (RFC 5256, section 3), also with REVERSE.
  if (session.connection.can('SORT')) {
    return (await numbers(session, 'SORT', `(ARRIVAL) ${isAscii ? 'US-ASCII' : 'UTF-8'} `, ...key)).reverse()
  }
  return byDate(session, await numbers(session, 'SEARCH', isAscii ? '' : 'CHARSET UTF-8 ', ...key))
}

/** The uids of a page, and the length of the list. */
export async function pageOf(session: ImapSession, query: ListQuery): Promise<{ total: number; uids: number[] }> {
  const uids = await listed(session, query)
  const start = query.page * query.limit + (query.after ? await countUpTo(session, uids, query.after) : 0)
  return { total: uids.length, uids: uids.slice(start, start + query.limit) }
}

/** RFC 9051, section 2.3.1.1. */
const highestUid = 2 ** 32 - 1

/** The number of listed messages before those behind a place. */
async function countUpTo(
  session: ImapSession,
  uids: readonly number[],
  { receivedAt, uid }: ListPlace,
): Promise<number> {
  const at = uids.indexOf(uid)
  if (at >= 0) return at + 1
  // The message of the place is deleted, or no longer listed.
  let [low, high] = [0, uids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = uids[middle] ?? 0
    const date = (await datesOf(session, [other])).get(other) ?? Number.POSITIVE_INFINITY
    if (date < receivedAt || (date === receivedAt && other < uid)) high = middle
    else low = middle + 1
  }
  return low
}

/** The lowest uids above this one. A range up to `*` has the last message even if its uid is lower. */
export async function uidsAfter(session: ImapSession, uid: number, most: number): Promise<number[]> {
  if (uid >= highestUid) return []
  const found = await numbers(session, 'SEARCH', `UID ${uid + 1}:*`)
  return found
    .filter((one) => one > uid)
    .sort((a, b) => a - b)
    .slice(0, most)
}

/** The results of `UID SORT` or `UID SEARCH`. */
export async function numbers(
  { connection }: ImapSession,
  command: 'SORT' | 'SEARCH',
  ...what: Key
): Promise<number[]> {
  const found: number[] = []
  const name = Buffer.from(`* ${command}`)
  const onBytes = (bytes: Buffer, start: number, end: number) => {
    if (bytes.compare(name, 0, name.length, start, start + name.length) !== 0) return false
    readNumbers(bytes, start + name.length, end, found)
    return true
  }
  await connection.run([`UID ${command} `, ...what], { onBytes, timeout: timeouts.wholeFolder })
  return found
}

/** Parses bytes: 100,000 tokens would hold the event loop for 50 ms. */
function readNumbers(bytes: Buffer, start: number, end: number, found: number[]): void {
  let number = 0
  for (let at = start; at <= end; at++) {
    const digit = at < end ? (bytes[at] ?? 0) - 0x30 : -1
    if (digit >= 0 && digit <= 9) number = 10 * number + digit
    else if (number > 0) {
      found.push(number)
      number = 0
    }
  }
}

async function datesOf({ connection }: ImapSession, rising: readonly number[]): Promise<Map<number, number>> {
  const dates = new Map<number, number>()
  await fetchUids(connection, rising, 'INTERNALDATE', 'INTERNALDATE', ({ uid, receivedAt }) => {
    dates.set(uid, receivedAt)
    return undefined
  })
  return dates
}

async function byDate(session: ImapSession, uids: readonly number[]): Promise<number[]> {
  if (uids.length === 0) return []
  const rising = uids.toSorted((a, b) => a - b)
  const dates = await datesOf(session, rising)
  return rising.sort((a, b) => (dates.get(b) ?? 0) - (dates.get(a) ?? 0) || b - a)
}
