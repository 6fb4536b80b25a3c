import { hexOctet } from '../hex.ts'
import { Base64Decoder } from './base64-decoder.ts'
import type { Part } from './part.ts'
import { decodeUuencode, UUENCODE } from './uuencode.ts'

/** Decodes a part's transfer encoding (RFC 2045, section 6). `most` limits the encoded bytes that are read. Unknown encodings are
 *  not decoded. Never throws. */
export function decodePart(raw: Buffer, part: Part, most = Number.POSITIVE_INFINITY): Buffer {
  const end = Math.min(part.end, part.start + most)
  if (UUENCODE.has(part.encoding)) return decodeUuencode(raw.subarray(part.start, end))
  if (isPlainMessage(raw, part)) return raw.subarray(part.start, end)
  if (part.encoding === 'base64') return decodeBase64(raw.subarray(part.start, end))
  if (part.encoding === 'quoted-printable') return decodeQuotedPrintable(raw.subarray(part.start, end))
  return raw.subarray(part.start, end)
}

/** An enclosed message that says base64 and starts with a field of a header: base64 has no colon. RFC 2046, section 5.2.1 allows no
 *  encoding there, and some programs name one that they do not apply. */
function isPlainMessage(raw: Buffer, { type, encoding, start, end }: Part): boolean {
  if (encoding !== 'base64' || !type.startsWith('message/')) return false
  return /^\s*[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(raw.toString('latin1', start, Math.min(end, start + 200)))
}

/** The platform's decoder skips characters outside of the alphabet, and stops at the first padding. */
function decodeBase64(encoded: Buffer): Buffer {
  const text = encoded.toString('latin1')
  const padding = text.indexOf('=')
  if (padding < 0 || !/[A-Za-z0-9+/]/.test(text.slice(padding))) return Buffer.from(text, 'base64')
  const decoder = new Base64Decoder()
  return Buffer.concat([decoder.decode(encoded), decoder.end()])
}

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const TAB = 0x09
const EQUALS = 0x3d

/** RFC 2045, section 6.7. An `=` that starts no escape stays; white space before a line break goes. */
export function decodeQuotedPrintable(encoded: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(encoded.length)
  let length = 0
  /** The end of encoded white space, which stays, whatever follows. */
  let solid = 0
  for (let at = 0; at < encoded.length; at++) {
    const byte = encoded[at] ?? 0
    if (byte === LF) {
      const cr = length > solid && decoded[length - 1] === CR
      length = withoutTrailingSpace(decoded, solid, cr ? length - 1 : length)
      if (cr) decoded[length++] = CR
      decoded[length++] = LF
    } else if (byte !== EQUALS) decoded[length++] = byte
    else {
      const octet = hexOctet(encoded[at + 1], encoded[at + 2])
      const next = octet < 0 ? softBreak(encoded, at + 1) : at + 3
      decoded[length] = octet < 0 ? EQUALS : octet
      if (octet >= 0 || next === 0) length++
      if (next > 0) at = next - 1
      solid = length
    }
  }
  return decoded.subarray(0, length)
}

function withoutTrailingSpace(bytes: Buffer, start: number, end: number): number {
  let at = end
  while (at > start && (bytes[at - 1] === SPACE || bytes[at - 1] === TAB)) at--
  return at
}

/** The place after a line break that an `=` takes away, white space before it allowed; 0 where none stands there. */
function softBreak(encoded: Buffer, from: number): number {
  let at = from
  while (encoded[at] === SPACE || encoded[at] === TAB) at++
  if (encoded[at] === CR) at++
  if (encoded[at] === LF) return at + 1
  return at >= encoded.length ? at : 0
}
