import { decodeBytes, oneLine, untrimmedLine } from '../charset.ts'
import { hexOctet } from '../hex.ts'

/** An encoded word (RFC 2047, section 2), with the language of RFC 2231, section 5. Its text may have spaces, which some mailers
 *  write. No part can match a `?`, so matching is linear. */
const WORD = /=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=/g

/** Decodes a header's text: one line, no controls. Adjacent encoded words in one charset are joined before decoding, since many
 *  mailers split a character across two of them. Never throws. */
export function decodeText(value: string): string {
  return oneLine(value.includes('=?') ? decodeWords(value) : value)
}

/** The same with outer spaces that are encoded, which belong to the text. */
export function decodeWholeText(value: string): string {
  return untrimmedLine(value.includes('=?') ? decodeWords(value) : value)
}

function decodeWords(value: string): string {
  let text = ''
  let end = 0
  let run: { charset: string; bytes: Buffer[] } | undefined
  const flush = () => {
    if (run)
      text += decodeBytes(run.bytes.length === 1 && run.bytes[0] ? run.bytes[0] : Buffer.concat(run.bytes), run.charset)
    run = undefined
  }
  for (const match of value.matchAll(WORD)) {
    const [whole, label = '', encoding = '', encoded = ''] = match
    const charset = label.replace(/\*.*$/, '').toLowerCase()
    const between = value.slice(end, match.index)
    const adjacent = end > 0 && between.trim() === ''
    if (!(adjacent && run?.charset === charset)) flush()
    if (!adjacent) text += between
    run ??= { charset, bytes: [] }
    run.bytes.push(encoding === 'b' || encoding === 'B' ? Buffer.from(encoded, 'base64') : decodeQ(encoded))
    end = match.index + whole.length
  }
  flush()
  return text + value.slice(end)
}

/** RFC 2047, section 4.2. */
function decodeQ(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length * 3)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const octet = code === 0x3d ? hexOctet(text.charCodeAt(at + 1), text.charCodeAt(at + 2)) : -1
    if (octet >= 0) {
      bytes[length++] = octet
      at += 2
    } else if (code === 0x5f) bytes[length++] = 0x20
    else if (code < 0x80) bytes[length++] = code
    else length += bytes.write(text[at] ?? '', length, 'utf8')
  }
  return bytes.subarray(0, length)
}
