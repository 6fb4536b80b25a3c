import { slices } from '#/base/event-loop/pieces.ts'
import { Base64Decoder } from './base64-decoder.ts'
import type { Part } from './part.ts'
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

/** Limit for what is kept of a line without an end. */
const LONGEST = 64 * 1024

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
