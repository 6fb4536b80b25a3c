import { type IdHashKey, writeIdHash } from '#/mime/id-hash.ts'
import type { ThreadColumns } from './thread-columns.ts'

/** More ids than so are told apart with care. */
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

/** Reads a header's fields for threads from its bytes, if each stands there once and as nearly all mailers write it: in
 *  ASCII, ids in angle brackets with white space alone between them. False for any other, which is to be read as
 *  `src/mime` does: what has been added of the message is of no use then. For those that it reads the outcome is the same. */
export function readPlainHeader(
  bytes: Buffer,
  start: number,
  end: number,
  key: IdHashKey,
  columns: ThreadColumns,
): boolean {
  let seen = 0
  let reply = -1
  let replyEnd = -1
  for (let line = start; line < end; ) {
    const valueEnd = endOfField(bytes, line, end)
    if (valueEnd === line) break
    const field = fieldAt(bytes, line)
    if (!field || (seen & field.bit) !== 0) return false
    seen |= field.bit
    const value = line + field.name.length
    if (field === fields.from) {
      if (!readSender(bytes, value, valueEnd, columns)) return false
    } else if (field === fields.messageId) {
      if (!readOwnId(bytes, value, valueEnd, key, columns)) return false
    } else if (field === fields.references) {
      if (!readIds(bytes, value, valueEnd, key, columns, mostIds)) return false
    } else {
      reply = value
      replyEnd = valueEnd
    }
    line = valueEnd + 2
  }
  // After References, wherever it stands.
  return reply < 0 || readIds(bytes, reply, replyEnd, key, columns, 1)
}

interface Field {
  readonly bit: number
  /** In lower case, with the colon right behind it. */
  readonly name: Buffer
}

const fields = {
  from: { bit: 1, name: Buffer.from('from:') },
  messageId: { bit: 2, name: Buffer.from('message-id:') },
  references: { bit: 4, name: Buffer.from('references:') },
  inReplyTo: { bit: 8, name: Buffer.from('in-reply-to:') },
} satisfies Record<string, Field>

const byFirstLetter: (Field | undefined)[] = Array.from({ length: 128 }, (_, letter) =>
  Object.values(fields).find(({ name }) => name[0] === letter),
)

/** The field whose name stands there; undefined for any other. */
function fieldAt(bytes: Buffer, line: number): Field | undefined {
  const field = byFirstLetter[((bytes[line] ?? 0) | 0x20) & 0x7f]
  if (!field) return undefined
  for (let at = 1; at < field.name.length; at++) {
    const byte = bytes[line + at] ?? 0
    if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== field.name[at]) return undefined
  }
  return field
}

/** Where the CRLF is that no white space follows; `line` at the empty line. */
function endOfField(bytes: Buffer, line: number, end: number): number {
  for (let at = line; at < end; at++) {
    if (bytes[at] !== LF) continue
    const next = bytes[at + 1]
    if (at > line + 1 && at + 1 < end && (next === SPACE || next === TAB)) continue
    return bytes[at - 1] === CR ? at - 1 : line
  }
  return line
}

function readOwnId(bytes: Buffer, start: number, end: number, key: IdHashKey, columns: ThreadColumns): boolean {
  const open = skipSpace(bytes, start, end)
  const close = endOfId(bytes, open, end)
  if (close < 0 || skipSpace(bytes, close + 1, end) !== end) return false
  const { words, at } = columns.ownId
  writeIdHash(key, bytes, open, close + 1, words, at)
  return true
}

/** Adds each id once. */
function readIds(
  bytes: Buffer,
  start: number,
  end: number,
  key: IdHashKey,
  { strong }: ThreadColumns,
  most: number,
): boolean {
  let count = 0
  for (let open = skipSpace(bytes, start, end); open < end; ) {
    const close = endOfId(bytes, open, end)
    if (close < 0 || ++count > most) return false
    const at = strong.reserve(2)
    const { elements } = strong
    writeIdHash(key, bytes, open, close + 1, elements, at)
    for (let other = strong.start; other < at; other += 2) {
      if (elements[at] !== elements[other] || elements[at + 1] !== elements[other + 1]) continue
      strong.length = at
      break
    }
    open = skipSpace(bytes, close + 1, end)
  }
  return count > 0
}

/** The `>` of the id that opens there; -1 where it is not plain, or no id has to be it. */
function endOfId(bytes: Buffer, open: number, end: number): number {
  if (bytes[open] !== LESS || bytes[open + 1] === QUOTE) return -1
  let hasAt = false
  for (let at = open + 1; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === MORE) return hasAt && at - open <= longestId ? at : -1
    if (byte <= SPACE || byte >= 0x7f || byte === LESS) return -1
    if (byte === AT) hasAt = true
  }
  return -1
}

/** `a@b`, `<a@b>`, `Name <a@b>` or `"Name" <a@b>`: whatever the name, no address but the one in brackets is there. */
function readSender(bytes: Buffer, start: number, end: number, { sender }: ThreadColumns): boolean {
  let at = skipSpace(bytes, start, end)
  if (bytes[at] === QUOTE) {
    do at++
    while (at < end && bytes[at] !== QUOTE && isPlain(bytes[at] ?? 0))
    if (bytes[at++] !== QUOTE) return false
    at = skipSpace(bytes, at, end)
    if (bytes[at] !== LESS) return false
  }
  let open = at
  while (open < end && bytes[open] !== LESS && isOfName(bytes[open] ?? 0)) open++
  if (open < end && bytes[open] !== LESS) return false
  const bracketed = open < end
  const first = bracketed ? open + 1 : at
  let last = first
  let ats = 0
  for (; last < end && isOfAddress(bytes[last] ?? 0); last++) if (bytes[last] === AT) ats++
  if (ats !== 1 || bytes[first] === AT || bytes[last - 1] === AT) return false
  if (bracketed && bytes[last] !== MORE) return false
  if (skipSpace(bytes, bracketed ? last + 1 : last, end) !== end) return false
  const to = sender.reserve(last - first)
  const { elements } = sender
  for (let index = 0; index < last - first; index++) {
    const byte = bytes[first + index] ?? 0
    elements[to + index] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
  }
  return true
}

function skipSpace(bytes: Buffer, from: number, end: number): number {
  let at = from
  for (; at < end; at++) {
    const byte = bytes[at]
    if (byte !== SPACE && byte !== TAB && byte !== CR && byte !== LF) break
  }
  return at
}

/** In a quoted name: printable ASCII without escapes. */
function isPlain(byte: number): boolean {
  return byte >= SPACE && byte < 0x7f && byte !== 0x5c && byte !== LESS && byte !== MORE
}

const inName = tableOf(" !#$%&'*+-./0123456789=?^_`{|}~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz@")
const inAddress = tableOf("!#$%&'*+-./0123456789=?^_`{|}~@ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

function isOfName(byte: number): boolean {
  return inName[byte] === 1
}

function isOfAddress(byte: number): boolean {
  return inAddress[byte] === 1
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}
