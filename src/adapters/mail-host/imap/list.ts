import type { ListQuery } from '#/ports/mail-host.ts'
import { isKeyword } from '../keywords.ts'
import { patience } from './connection.ts'
import { attributes, bytesOf, numberOf } from './response.ts'
import type { Session } from './session.ts'
import { readDateTime, uidSet } from './words.ts'

/** The uids that a list holds, newest received first, equal dates by uid. */
export async function listed(session: Session, { unread, keyword }: ListQuery): Promise<number[]> {
  if (keyword !== undefined && !isKeyword(keyword.toLowerCase())) return []
  const criteria = [
    ...(unread === undefined ? [] : [unread ? 'UNSEEN' : 'SEEN']),
    ...(keyword === undefined ? [] : [`KEYWORD ${keyword.toLowerCase()}`]),
  ]
  const wanted = criteria.length > 0 ? criteria.join(' ') : 'ALL'
  // The sort puts equal dates in ascending order (RFC 5256, section 3), and REVERSE would too.
  if (session.connection.can('SORT')) return (await numbers(session, 'SORT', `(ARRIVAL) US-ASCII ${wanted}`)).reverse()
  return byDate(session, await numbers(session, 'SEARCH', wanted))
}

/** What `UID SORT` or `UID SEARCH` finds. */
export async function numbers({ connection }: Session, command: 'SORT' | 'SEARCH', what: string): Promise<number[]> {
  let found: number[] = []
  const take = ({ name, values }: { name: string; values: readonly unknown[] }) => {
    if (name !== command) return false
    found = found.concat(values.filter((value) => typeof value === 'string').map(Number))
    return true
  }
  await connection.run([`UID ${command} ${what}`], take, patience.whole)
  return found
}

async function byDate({ connection }: Session, uids: readonly number[]): Promise<number[]> {
  if (uids.length === 0) return []
  const dates = new Map<number, number>()
  const rising = uids.toSorted((a, b) => a - b)
  const take = (data: Parameters<typeof attributes>[0]) => {
    const item = data.name === 'FETCH' ? attributes(data) : undefined
    const date = bytesOf(item?.get('INTERNALDATE'))
    if (date) dates.set(numberOf(item?.get('UID')), readDateTime(date))
    return date !== undefined
  }
  await connection.run([`UID FETCH ${uidSet(rising)} (UID INTERNALDATE)`], take, patience.whole)
  return rising.sort((a, b) => (dates.get(b) ?? 0) - (dates.get(a) ?? 0) || b - a)
}
