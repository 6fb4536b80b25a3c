import { slices } from '#/event-loop/pieces.ts'
import type { Part } from './structure.ts'
import { decodeQuotedPrintable } from './transfer-encoding.ts'

/** Decodes a transfer encoding (RFC 2045, section 6) piece by piece, with little in memory. */
export interface TransferDecoder {
  decode(piece: Buffer): Buffer
  /** What is left once the last piece came. */
  end(): Buffer
}

const nothing = Buffer.alloc(0)

/** Undefined for an encoding that nobody knows. */
export function transferDecoder(encoding: string): TransferDecoder | undefined {
  switch (encoding.toLowerCase()) {
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return { decode: (piece) => piece, end: () => nothing }
    case 'base64':
      return new Base64Decoder()
    case 'quoted-printable':
      return new QuotedPrintableDecoder()
    default:
      return undefined
  }
}

/** How long the part is, decoded; null for an unknown encoding. */
export function decodedLength(raw: Buffer, { encoding, start, end }: Part): number | null {
  const decoder = transferDecoder(encoding)
  if (!decoder) return null
  let length = 0
  for (const piece of slices(raw.subarray(start, end))) length += decoder.decode(piece).length
  return length + decoder.end().length
}

/** Limit for a line behind padding, and for what is kept of a line without an end. */
const LONGEST = 64 * 1024

/** Skips what is not of the alphabet. Behind padding come the next chunk, since some mailers pad each, or a mailing list's plain
 *  footer, which is left out: lines are of a chunk while they are of the alphabet alone, in groups of four. */
class Base64Decoder implements TransferDecoder {
  #rest = ''
  #isPadded = false
  #isOver = false

  decode(piece: Buffer): Buffer {
    if (this.#isOver) return nothing
    const text = this.#rest + piece.toString('latin1')
    if (this.#isPadded) return this.#lines(text)
    const padding = text.indexOf('=')
    const clean = (padding < 0 ? text : text.slice(0, padding)).replace(/[^A-Za-z0-9+/_-]+/g, '')
    if (padding < 0) {
      const whole = clean.length - (clean.length % 4)
      this.#rest = clean.slice(whole)
      return Buffer.from(clean.slice(0, whole), 'base64')
    }
    this.#isPadded = true
    const behind = text.slice(padding).replace(/^=+/, '')
    return Buffer.concat([Buffer.from(clean, 'base64'), this.#lines(behind)])
  }

  end(): Buffer {
    if (this.#isOver) return nothing
    const last = this.#isPadded ? this.#lines(`${this.#rest}\n`) : Buffer.from(this.#rest, 'base64')
    this.#isOver = true
    return last
  }

  #lines(text: string): Buffer {
    const lines = text.split('\n')
    this.#rest = lines.pop() ?? ''
    const chunks: Buffer[] = []
    for (const one of lines) {
      const line = one.trim().replace(/^=+/, '')
      if (!/^[A-Za-z0-9+/=]*$/.test(line) || line.length % 4 > 0) this.#isOver = true
      if (this.#isOver) break
      for (const chunk of line.split(/=+/)) chunks.push(Buffer.from(chunk, 'base64'))
    }
    if (this.#rest.length > LONGEST) this.#isOver = true
    return Buffer.concat(chunks)
  }
}

/** Line by line: white space before a line break goes. */
class QuotedPrintableDecoder implements TransferDecoder {
  #rest = nothing

  decode(piece: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    let whole = bytes.lastIndexOf(0x0a) + 1
    if (bytes.length - whole > LONGEST) whole = safeEnd(bytes, whole)
    this.#rest = Buffer.from(bytes.subarray(whole))
    return decodeQuotedPrintable(bytes.subarray(0, whole))
  }

  end(): Buffer {
    const last = decodeQuotedPrintable(this.#rest)
    this.#rest = nothing
    return last
  }
}

/** Where a line can be cut: not within an escape, nor within white space, unless there is nothing else. */
function safeEnd(bytes: Buffer, from: number): number {
  let end = bytes.length
  while (end > from && (bytes[end - 1] ?? 0) <= 0x20) end--
  if (bytes[end - 1] === 0x3d) end--
  else if (bytes[end - 2] === 0x3d) end -= 2
  return end > from ? end : bytes.length
}
