import { timeouts } from '../client/connection.ts'
import { isSeen } from '../client/fetch.ts'
import { bytesOf, type Data, numberOf, type Token } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { dateTimeAt, dateTimeLength, readDateTime } from '../client/syntax.ts'
import { type ThreadRowsReader, threadFields } from './thread-rows.ts'

const section = `BODY[HEADER.FIELDS (${threadFields})]`

/** Reads the messages at these sequence numbers of the selected folder. Handles each as it arrives, so that only one header
 *  is in memory, however long it is. */
export async function readRows(
  session: ImapSession,
  rows: ThreadRowsReader,
  first: number,
  last: number,
): Promise<void> {
  const onData = (data: Data) => addRow(data, rows)
  const onBytes = (bytes: Buffer, start: number, end: number) => addUsualRow(bytes, start, end, rows)
  const items = `UID FLAGS INTERNALDATE ${section.replace('BODY', 'BODY.PEEK')}`
  await session.connection.run([`FETCH ${first}:${last} (${items})`], {
    onData,
    onBytes,
    timeout: timeouts.wholeFolder,
  })
}

function addRow({ name, values: [list] }: Data, rows: ThreadRowsReader): boolean | Promise<true> {
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
  // Without a header it reports a flag changed by another program.
  if (uid === 0 || !header) return false
  return rows.add(header, { uid, seen: isSeen(flags), receivedAt, start: 0, end: header.length }) ?? true
}

const SPACE = 0x20
const QUOTE = 0x22
const OPEN = 0x28
const CLOSE = 0x29
const OPEN_LITERAL = 0x7b
const BACKSLASH = 0x5c
const LF = 0x0a

/** Adds a row in the form of Dovecot and most servers, from its bytes: items in capitals, the header as a literal at the
 *  end. False for any other response, which is then tokenized. */
function addUsualRow(bytes: Buffer, start: number, end: number, rows: ThreadRowsReader): boolean | Promise<true> {
  // `* 4294967295 FETCH (`
  let list = start + 9
  while (list < start + 20 && bytes[list] !== OPEN) list++
  if (bytes[list] !== OPEN || bytes[list - 2] !== 0x48 || bytes[list - 7] !== SPACE) return false
  let [uid, seen, receivedAt] = [0, false, 0]
  for (let at = list + 1; at < end; at++) {
    const first = bytes[at]
    if (first === 0x55 && bytes[at + 3] === SPACE) {
      for (at += 4; isDigit(bytes[at]); at++) uid = 10 * uid + (bytes[at] ?? 0) - 0x30
    } else if (first === 0x46 && bytes[at + 6] === OPEN) {
      for (at += 7; at < end && bytes[at] !== CLOSE; at++) seen ||= isSeenAt(bytes, at)
      at++
    } else if (first === 0x49 && bytes[at + 13] === QUOTE && bytes[at + 14 + dateTimeLength] === QUOTE) {
      receivedAt = dateTimeAt(bytes, at + 14)
      at += 15 + dateTimeLength
    } else if (first === 0x42 && bytes[at + 4] === 0x5b) {
      const header = literalStart(bytes, at + section.length + 1, end)
      if (uid === 0 || header === 0) return false
      return rows.add(bytes, { uid, seen, receivedAt, start: header, end: end - 1 }) ?? true
    } else return false
    if (bytes[at] !== SPACE) return false
  }
  return false
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** Where a literal's octets begin behind its `{`; 0 unless the closing parenthesis of the list follows it. */
function literalStart(bytes: Buffer, open: number, end: number): number {
  if (bytes[open] !== OPEN_LITERAL) return 0
  let [length, at] = [0, open + 1]
  for (; isDigit(bytes[at]); at++) length = 10 * length + (bytes[at] ?? 0) - 0x30
  const start = at + 3
  return bytes[start - 1] === LF && start + length === end - 1 ? start : 0
}

const seenFlag = Buffer.from('\\seen')

/** Whether `\Seen` is here, in any case. */
function isSeenAt(bytes: Buffer, start: number): boolean {
  if (bytes[start] !== BACKSLASH) return false
  for (let at = 1; at < seenFlag.length; at++) if (((bytes[start + at] ?? 0) | 0x20) !== seenFlag[at]) return false
  const after = bytes[start + seenFlag.length]
  return after === SPACE || after === CLOSE
}
