import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import libmime from 'libmime'

/** Charsets whose bytes are ASCII with nothing more said about those above 127. */
const UNSAID = new Set(['', 'ascii', 'us-ascii', 'ansi_x3.4-1968', 'unknown', 'unknown-8bit', 'x-unknown', 'default'])

/** Decoders by label. Only labels that exist get in, so it stays small. */
const decoders = new Map<string, TextDecoder>()

/** Bytes as text. `charset` is as the message names it; where it names none, or one that nobody knows, UTF-8 is taken
 *  where the bytes are valid UTF-8 and windows-1252 otherwise, so that every byte stays readable. Never throws. */
export function decodeBytes(bytes: Buffer, charset = ''): string {
  const label = charset.trim().toLowerCase()
  if (label === 'utf-8' || label === 'utf8') return bytes.toString('utf8')
  if (UNSAID.has(label)) return decodeUnlabelled(bytes)
  if (label.startsWith('iso-2022-')) return decodeSwitched(bytes, label)
  return decodeLabelled(bytes, label)
}

/** A switch to ASCII and at once back is an error to the platform's decoder, and what two encoded words side by side
 *  make. */
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

/** UTF-8 where it is that (RFC 6532), else windows-1252, which every byte is. */
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

/** What the platform does not know (UTF-7, the DOS code pages) libmime may. It takes an unknown charset for UTF-8. */
function decodeRare(bytes: Buffer, label: string): string {
  try {
    const text = libmime.decodeWord(label, 'B', bytes.toString('base64'))
    if (!text.includes('\ufffd')) return text
  } catch {}
  return decodeUnlabelled(bytes)
}

/** Text of one line as it may go into JSON, a log or a database column: no control characters (PostgreSQL holds no
 *  U+0000), no lone surrogates, line breaks and tabs as spaces, trimmed. */
export function oneLine(text: string): string {
  const line = NOT_PLAIN.test(text) ? text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ').replace(CONTROLS, '') : text
  return line.toWellFormed().trim()
}

/** Text of several lines as it may go into JSON or a database column; every line break is LF. Goes through the code
 *  units once, since replacing each match takes a second for 25 MiB of controls. */
export function manyLines(text: string): string {
  if (!/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)) return text.toWellFormed()
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

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const NEL = 0x85

const NOT_PLAIN = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/
const CONTROLS = /[\x00-\x1f\x7f-\x9f]+/g
