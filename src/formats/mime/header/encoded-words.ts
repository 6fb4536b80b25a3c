import { decodeBytes, oneLine, untrimmedLine } from '../charset.ts'
import { hexOctet } from '../hex.ts'

/** An encoded word (RFC 2047, section 2), with the language of RFC 2231, section 5. */
interface EncodedWord {
  readonly start: number
  readonly end: number
  readonly charset: string
  readonly isBase64: boolean
  readonly encoded: string
}

/** The beginning of one. */
const OPENING = /=\?([^?\s]{1,60})\?([bBqQ])\?/g

/** Limit for a value. What is behind is left as it is written. */
const MOST_WORDS = 5_000

/** The encoded words of a value, in linear time. Their text may have spaces, which some mailers write, and a Q word a `?`. */
function* wordsIn(value: string): Generator<EncodedWord> {
  const openings = new RegExp(OPENING)
  let words = 0
  for (let match = openings.exec(value); match && words < MOST_WORDS; match = openings.exec(value)) {
    const [opening, label = '', encoding = ''] = match
    const isBase64 = encoding === 'b' || encoding === 'B'
    const from = match.index + opening.length
    const close = isBase64 ? closeOfBase64(value, from) : closeOfQ(value, from)
    if (close < 0 && !isBase64) return
    if (close < 0) continue
    const charset = label.replace(/\*.*$/, '').toLowerCase()
    words++
    yield { start: match.index, end: close + 2, charset, isBase64, encoded: value.slice(from, close) }
    openings.lastIndex = close + 2
  }
}

function closeOfBase64(value: string, from: number): number {
  const close = value.indexOf('?', from)
  return value[close + 1] === '=' ? close : -1
}

/** The first `?=`, unless it is a `?` of the text with an escape behind it: `=?utf-8?q?Why?=3F?=`. */
function closeOfQ(value: string, from: number): number {
  let close = value.indexOf('?=', from)
  while (close >= 0 && /^[0-9A-F]{2}$/.test(value.slice(close + 2, close + 4))) {
    const next = value.indexOf('?=', close + 2)
    if (next < 0 || next - close > LONGEST_REST || /\s|=\?/.test(value.slice(close + 2, next + 1))) break
    close = next
  }
  return close
}

/** Of the text behind a `?` in a word, which RFC 2047 limits to 75 characters. */
const LONGEST_REST = 200

/** Octets above 127 within encoded words as escapes of these: they are in the word's charset, not in the header's. */
export function escapeInWords(octets: string): string {
  if (!octets.includes('=?')) return octets
  let text = ''
  let end = 0
  for (const word of wordsIn(octets)) {
    if (word.isBase64 || !/[\x80-\xff]/.test(word.encoded)) continue
    const from = word.end - 2 - word.encoded.length
    text += octets.slice(end, from) + word.encoded.replace(/[\x80-\xff]/g, escapeOf)
    end = word.end - 2
  }
  return text + octets.slice(end)
}

function escapeOf(octet: string): string {
  return `=${octet.charCodeAt(0).toString(16).toUpperCase()}`
}

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
  for (const word of wordsIn(value)) {
    const between = value.slice(end, word.start)
    const adjacent = end > 0 && between.trim() === ''
    if (!(adjacent && run?.charset === word.charset)) flush()
    if (!adjacent) text += between
    run ??= { charset: word.charset, bytes: [] }
    run.bytes.push(word.isBase64 ? Buffer.from(word.encoded, 'base64') : decodeQ(word.encoded))
    end = word.end
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
