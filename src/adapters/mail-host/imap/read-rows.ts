import { patience } from './connection.ts'
import { isSeen } from './delta.ts'
import { bytesOf, type Data, numberOf, type Token } from './response.ts'
import type { Session } from './session.ts'
import { type ThreadRowsReader, threadFields } from './thread-rows.ts'
import { readDateTime } from './words.ts'

/** Reads the messages at these places of the folder that is selected. Each is taken up as it comes, so that no more than
 *  one header is in memory, however long they are. */
export async function readRows(session: Session, rows: ThreadRowsReader, first: number, last: number): Promise<void> {
  const take = (data: Data) => takeRow(data, rows)
  const takeBytes = (bytes: Buffer) => takeUsualRow(bytes, rows)
  const items = `UID FLAGS INTERNALDATE BODY.PEEK[HEADER.FIELDS (${threadFields})]`
  await session.connection.run([`FETCH ${first}:${last} (${items})`], take, patience.whole, takeBytes)
}

function takeRow({ name, values: [list] }: Data, rows: ThreadRowsReader): boolean | Promise<true> {
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
  return rows.add(header, { uid, seen: isSeen(flags), receivedAt, start: 0, end: header.length }) ?? true
}

const SPACE = 0x20
const QUOTE = 0x22
const OPEN = 0x28
const CLOSE = 0x29
const OPEN_LITERAL = 0x7b
const BACKSLASH = 0x5c

/** Takes a row as Dovecot and most others write it, from its bytes: items in capitals, the header as a literal at the end.
 *  False for any other response, which is then taken apart. */
function takeUsualRow(bytes: Buffer, rows: ThreadRowsReader): boolean | Promise<true> {
  const list = bytes.indexOf(OPEN)
  if (list < 10 || bytes[list - 2] !== 0x48 || bytes[list - 7] !== SPACE) return false
  let [uid, seen, receivedAt] = [0, false, 0]
  for (let at = list + 1; at < bytes.length; at++) {
    const first = bytes[at]
    if (first === 0x55 && bytes[at + 3] === SPACE) {
      for (at += 4; isDigit(bytes[at]); at++) uid = 10 * uid + (bytes[at] ?? 0) - 0x30
    } else if (first === 0x46 && bytes[at + 6] === OPEN) {
      const end = bytes.indexOf(CLOSE, at)
      seen = hasSeen(bytes, at + 7, end)
      at = end + 1
    } else if (first === 0x49 && bytes[at + 13] === QUOTE) {
      receivedAt = readDateTime(bytes.subarray(at + 14, at + 40))
      at += 41
    } else if (first === 0x42 && bytes[at + 4] === 0x5b) {
      const literal = bytes.indexOf(OPEN_LITERAL, at)
      const start = bytes.indexOf(0x0a, literal) + 1
      const end = bytes.length - 1
      if (uid === 0 || literal < 0 || start === 0 || lengthAt(bytes, literal) !== end - start) return false
      return rows.add(bytes, { uid, seen, receivedAt, start, end }) ?? true
    } else return false
    if (bytes[at] !== SPACE) return false
  }
  return false
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

function lengthAt(bytes: Buffer, literal: number): number {
  let length = 0
  for (let at = literal + 1; isDigit(bytes[at]); at++) length = 10 * length + (bytes[at] ?? 0) - 0x30
  return length
}

/** `\Seen` among flags, in whatever case. */
function hasSeen(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 5 <= end; at++) {
    if (bytes[at] !== BACKSLASH || ((bytes[at + 1] ?? 0) | 0x20) !== 0x73) continue
    const after = bytes[at + 5]
    if (after !== SPACE && after !== CLOSE) continue
    if (bytes.toString('latin1', at + 1, at + 5).toLowerCase() === 'seen') return true
  }
  return false
}
