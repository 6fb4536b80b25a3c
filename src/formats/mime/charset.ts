import { isAscii, isUtf8 } from 'node:buffer'
import { decodeJapanese, decodeSwitched, switchesToJapanese } from './charset/switched.ts'
import { decodeRare, decodeStandard, standardName } from './charset/tables.ts'
import { hasWideMark, utf16Name } from './charset/wide.ts'

/** Names of ASCII. They say nothing about bytes above 127. */
const UNSAID = new Set(['', 'ascii', 'us-ascii', 'ansi_x3.4-1968', 'unknown', 'unknown-8bit', 'x-unknown', 'default'])

/** Decodes bytes. `charset` comes from the message. Without a known one, valid UTF-8 is read as that and all else as windows-1252,
 *  so that every byte stays readable. A byte-order mark is no part of the text. Never throws. */
export function decodeBytes(bytes: Buffer, charset = ''): string {
  const text = decodeMarked(bytes, charset.trim().toLowerCase())
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** A mark tells more than the charset (Encoding Standard, section 6). */
function decodeMarked(bytes: Buffer, label: string): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf && isUtf8Text(bytes)) return bytes.toString('utf8')
  const name = UNSAID.has(label) ? '' : standardName(label)
  if (name === '' || name === 'utf-8' || name === 'windows-1252') return decodeUsual(bytes, name)
  if (name === 'utf-16le' || name === 'utf-16be') return decodeStandard(bytes, utf16Name(bytes, label))
  if (name === 'iso-2022-jp') return decodeJapanese(bytes)
  if (name !== undefined) return decodeStandard(bytes, name)
  const rare = decodeSwitched(bytes, label) ?? decodeRare(bytes, label)
  return rare === undefined || rare.includes('\ufffd') ? decodeUsual(bytes, '') : rare
}

/** These names are also given to what is something else: octets show it better. */
function decodeUsual(bytes: Buffer, name: '' | 'utf-8' | 'windows-1252'): string {
  if (switchesToJapanese(bytes)) return decodeJapanese(bytes)
  if (name !== 'windows-1252' && hasWideMark(bytes)) return decodeStandard(bytes, utf16Name(bytes, ''))
  return name === 'utf-8' ? bytes.toString('utf8') : decodeUnlabelled(bytes)
}

/** Valid UTF-8 (RFC 6532), else windows-1252, in which every byte is valid. */
export function decodeUnlabelled(bytes: Buffer): string {
  return isUtf8Text(bytes) ? bytes.toString('utf8') : decodeStandard(bytes, 'windows-1252')
}

/** Of a text that is read in part the last character may not be whole. */
function isUtf8Text(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--
  const whole = bytes.subarray(0, lead)
  return (bytes[lead] ?? 0) >= 0xc2 && isUtf8(whole) && !isAscii(whole)
}

/** `untrimmedLine`, without outer spaces. */
export function oneLine(text: string): string {
  return untrimmedLine(text).trim()
}

/** Makes text fit for JSON, a log or a database column, as one line: no control characters (PostgreSQL allows no U+0000), no lone
 *  surrogates, line breaks and tabs as spaces. Empty if nothing but spaces is left. */
export function untrimmedLine(text: string): string {
  const line = NOT_PLAIN.test(text) ? text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ').replace(CONTROLS, '') : text
  return line.trim() === '' ? '' : line.toWellFormed()
}

/** Makes text fit for JSON or a database column, with LF for every line break. One pass over the code units: replacing each match
 *  takes a second for 25 MiB of controls. */
export function manyLines(text: string): string {
  if (!/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)) return text.toWellFormed()
  if (text.length <= SHORT && !/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/.test(text)) {
    return text.replaceAll('\r\n', '\n').toWellFormed()
  }
  const bytes = Buffer.from(text, 'utf16le')
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
  let length = 0
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] ?? 0
    if (unit === CR ? units[at + 1] !== LF : unit === NEL) units[length++] = LF
    else if (unit === TAB || unit === LF || (unit >= 0x20 && (unit < 0x7f || unit > 0x9f))) units[length++] = unit
  }
  return bytes.toString('utf16le', 0, length * 2).toWellFormed()
}

/** Characters in which replacing line breaks one by one is the quicker way, however many there are. */
const SHORT = 64 * 1024

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const NEL = 0x85

/** Makes text fit for a header field that is written here: no controls and no line separators; a space for each run of them. */
export function withoutControls(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
}

const NOT_PLAIN = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/
const CONTROLS = /[\x00-\x1f\x7f-\x9f]+/g
