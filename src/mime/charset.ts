import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import libmime from 'libmime'

/** Names of ASCII. They say nothing about bytes above 127. */
const UNSAID = new Set(['', 'ascii', 'us-ascii', 'ansi_x3.4-1968', 'unknown', 'unknown-8bit', 'x-unknown', 'default'])

/** Decoders by label. Only existing labels, so it stays small. */
const decoders = new Map<string, TextDecoder>()

/** Decodes bytes. `charset` comes from the message. Without a known one, valid UTF-8 is read as that and all else as windows-1252,
 *  so that every byte stays readable. Never throws. */
export function decodeBytes(bytes: Buffer, charset = ''): string {
  const label = charset.trim().toLowerCase()
  if (label === 'utf-8' || label === 'utf8') return bytes.toString('utf8')
  if (UNSAID.has(label)) return decodeUnlabelled(bytes)
  if (label.startsWith('iso-2022-')) return decodeSwitched(bytes, label)
  return decodeLabelled(bytes, label)
}

/** Two adjacent encoded words make a switch to ASCII and back, which is an error for the platform's decoder. */
function decodeSwitched(bytes: Buffer, label: string): string {
  const text = bytes.toString('latin1').replace(/\x1b\([BJ](?=\x1b)/g, '')
  return decodeLabelled(Buffer.from(text, 'latin1'), label)
}

function decodeLabelled(bytes: Buffer, label: string): string {
  try {
    return decoderFor(label).decode(bytes)
  } catch {
    return decodeRare(bytes, label)
  }
}

/** Valid UTF-8 (RFC 6532), else windows-1252, in which every byte is valid. */
export function decodeUnlabelled(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : decoderFor('windows-1252').decode(bytes)
}

function decoderFor(label: string): TextDecoder {
  const known = decoders.get(label)
  if (known) return known
  const decoder = new TextDecoder(label, { ignoreBOM: true })
  decoders.set(label, decoder)
  return decoder
}

/** libmime has charsets that the platform lacks (UTF-7, DOS code pages). It reads an unknown one as UTF-8. */
function decodeRare(bytes: Buffer, label: string): string {
  try {
    const text = libmime.decodeWord(label, 'B', bytes.toString('base64'))
    if (!text.includes('\ufffd')) return text
  } catch {}
  return decodeUnlabelled(bytes)
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

const NOT_PLAIN = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/
const CONTROLS = /[\x00-\x1f\x7f-\x9f]+/g
