import { type IdHashKey, writeIdHash } from '#/mime/id-hash.ts'
import type { ThreadColumns } from './thread-columns.ts'

/** Headers with more ids are left to the general parser. */
const mostIds = 64
const longestId = 998

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const LESS = 0x3c
const MORE = 0x3e
const AT = 0x40

/** Reads a header's fields for threads from its bytes, if each occurs once and in the usual form: ASCII, with ids in angle
 *  brackets and only white space between them. False for any other header; then the data added for the message is invalid,
 *  and `src/mime` must read it. For headers that it reads both agree. */
export function readPlainHeader(
  bytes: Buffer,
  start: number,
  end: number,
  key: IdHashKey,
  columns: ThreadColumns,
): boolean {
  let seen = 0
  let [reply, replyEnd, referencesEnd] = [-1, -1, -1]
  let line = start
  while (line < end && bytes[line] !== CR) {
    const field = fieldAt(bytes, line)
    if (!field || (seen & field.bit) !== 0) return false
    seen |= field.bit
    const value = skipSpace(bytes, line + field.name.length, end)
    let valueEnd: number
    if (field === fields.from) valueEnd = readSender(bytes, value, end, columns)
    else if (field === fields.messageId) valueEnd = readOwnId(bytes, value, end, key, columns)
    else if (field === fields.contentType) valueEnd = passType(bytes, value, end)
    else if (field === fields.references) valueEnd = referencesEnd = readIds(bytes, value, end, key, columns)
    else {
      valueEnd = replyEnd = endOfId(bytes, value, end)
      reply = value
    }
    if (valueEnd < 0) return false
    line = lineAfter(bytes, skipSpace(bytes, valueEnd, end), end)
    if (line < 0) return false
  }
  // After References, wherever it is. Usually it repeats the last of them, which needs no second hash.
  const isLast = referencesEnd >= 0 && isBefore(bytes, referencesEnd, reply, replyEnd)
  if (reply >= 0 && !isLast) addStrong(bytes, reply, replyEnd, key, columns)
  return line === end || lineAfter(bytes, line, end) === end
}

interface Field {
  readonly bit: number
  /** In lower case; the colon follows directly. */
  readonly name: Buffer
}

const fields = {
  from: { bit: 1, name: Buffer.from('from:') },
  messageId: { bit: 2, name: Buffer.from('message-id:') },
  references: { bit: 4, name: Buffer.from('references:') },
  inReplyTo: { bit: 8, name: Buffer.from('in-reply-to:') },
  contentType: { bit: 16, name: Buffer.from('content-type:') },
} satisfies Record<string, Field>

const byFirstLetter: (Field | undefined)[] = Array.from({ length: 128 }, (_, letter) =>
  Object.values(fields).find(({ name }) => name[0] === letter),
)

/** The field at this position; undefined for any other. */
function fieldAt(bytes: Buffer, line: number): Field | undefined {
  const field = byFirstLetter[((bytes[line] ?? 0) | 0x20) & 0x7f]
  if (!field) return undefined
  for (let at = 1; at < field.name.length; at++) {
    const byte = bytes[line + at] ?? 0
    if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== field.name[at]) return undefined
  }
  return field
}

// Each of these answers where its text ends, or -1 if it is not in the usual form.

function readOwnId(bytes: Buffer, start: number, end: number, key: IdHashKey, columns: ThreadColumns): number {
  const idEnd = endOfId(bytes, start, end)
  if (idEnd < 0) return -1
  const { words, at } = columns.ownId
  writeIdHash(key, bytes, start, idEnd, words, at)
  return idEnd
}

function readIds(bytes: Buffer, start: number, end: number, key: IdHashKey, columns: ThreadColumns): number {
  let open = start
  for (let count = 0; count < mostIds; count++) {
    const idEnd = endOfId(bytes, open, end)
    if (idEnd < 0) return -1
    addStrong(bytes, open, idEnd, key, columns)
    open = skipSpace(bytes, idEnd, end)
    if (bytes[open] === CR) return idEnd
  }
  return -1
}

/** Adds an id, unless it is present. */
function addStrong(bytes: Buffer, start: number, end: number, key: IdHashKey, { strong }: ThreadColumns): void {
  const at = strong.reserve(2)
  const { elements } = strong
  writeIdHash(key, bytes, start, end, elements, at)
  for (let other = strong.start; other < at; other += 2) {
    if (elements[at] !== elements[other] || elements[at + 1] !== elements[other + 1]) continue
    strong.length = at
    break
  }
}

/** Whether the id from `start` to `idEnd` also ends at `end`. */
function isBefore(bytes: Buffer, end: number, start: number, idEnd: number): boolean {
  for (let back = 1; back <= idEnd - start; back++) if (bytes[end - back] !== bytes[idEnd - back]) return false
  return true
}

function endOfId(bytes: Buffer, open: number, end: number): number {
  if (bytes[open] !== LESS || bytes[open + 1] === QUOTE) return -1
  let at = open + 1
  while (at < end && inLeft[bytes[at] as number] === 1) at++
  if (bytes[at] !== AT) return -1
  while (at < end && inId[bytes[at] as number] === 1) at++
  return at < end && bytes[at] === MORE && at - open <= longestId ? at + 1 : -1
}

/** `a@b`, `<a@b>`, `Name <a@b>` or `"Name" <a@b>`. Only the brackets may contain an address. */
function readSender(bytes: Buffer, start: number, end: number, { sender }: ThreadColumns): number {
  let at = start
  if (bytes[at] === QUOTE) {
    at++
    while (at < end && inQuotes[bytes[at] as number] === 1) at++
    if (bytes[at] !== QUOTE) return -1
    at = skipSpace(bytes, at + 1, end)
    if (bytes[at] !== LESS) return -1
  }
  let open = at
  while (open < end && inName[bytes[open] as number] === 1) open++
  const bracketed = bytes[open] === LESS
  if (!bracketed && bytes[open] !== CR) return -1
  const first = bracketed ? open + 1 : at
  let last = first
  let ats = 0
  for (; last < end && inAddress[bytes[last] as number] !== 0; last++) if (bytes[last] === AT) ats++
  if (ats !== 1 || bytes[first] === AT || bytes[last - 1] === AT) return -1
  if (bracketed && bytes[last] !== MORE) return -1
  const to = sender.reserve(last - first)
  const { elements } = sender
  for (let index = 0; index < last - first; index++) {
    elements[to + index] = inAddress[bytes[first + index] as number] as number
  }
  return bracketed ? last + 1 : last
}

const report = Buffer.from('multipart/report')

/** Skips a type, unless it is that of a report, which is left to the general parser. */
function passType(bytes: Buffer, start: number, end: number): number {
  let same = 0
  while (same < report.length && ((bytes[start + same] ?? 0) | 0x20) === report[same]) same++
  if (same === report.length) return -1
  let at = start
  while (at < end) {
    const next = skipSpace(bytes, at, end)
    const byte = bytes[next] as number
    if (next === end || byte === CR) return at
    if (byte < SPACE || byte === 0x7f) return -1
    at = next + 1
  }
  return -1
}

/** Skips white space and folded line breaks. */
function skipSpace(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end) {
    if (isSpace(bytes[at])) at++
    else if (at + 2 < end && bytes[at] === CR && bytes[at + 1] === LF && isSpace(bytes[at + 2])) at += 3
    else break
  }
  return at
}

/** The start of the line after a CRLF here; -1 without a CRLF. */
function lineAfter(bytes: Buffer, at: number, end: number): number {
  return at + 1 < end && bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : -1
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ofAddress = `!#$%&'*+-./0123456789=?^_\`{|}~@${letters}`
/** In an id: printable ASCII, before and behind the first `@`. */
const inLeft = tableOf((byte) => isPrintable(byte) && byte !== AT)
const inId = tableOf(isPrintable)
/** In a quoted name: the same and spaces, without escapes. */
const inQuotes = tableOf((byte) => (isPrintable(byte) || byte === SPACE) && byte !== QUOTE && byte !== 0x5c)
const inName = tableOf((byte) => ` ${ofAddress}`.includes(String.fromCharCode(byte)))
/** As lower case. */
const inAddress = tableOf(
  (byte) => ofAddress.includes(String.fromCharCode(byte)),
  (byte) => String.fromCharCode(byte).toLowerCase().charCodeAt(0),
)

function isPrintable(byte: number): boolean {
  return byte > SPACE && byte < 0x7f && byte !== LESS && byte !== MORE
}

/** A table of bytes: the value of each that counts, 0 for others. One lookup replaces several comparisons. */
function tableOf(counts: (byte: number) => boolean, held: (byte: number) => number = () => 1): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (counts(byte) ? held(byte) : 0))
}
