const LF = 0x0a
const CR = 0x0d
const OPEN = 0x7b
const CLOSE = 0x7d
const PLUS = 0x2b

/** What one response may hold: a piece of a message, or the longest header that is read. More is not what was asked for. */
const mostBytes = 64 << 20

/** Puts the bytes of a connection together to whole responses: a line with the literals in it (RFC 9051, section 4.3). A
 *  response that came in one chunk is not copied, one that did not is copied once. */
export class ResponseSplitter {
  #held: Buffer[] = []
  #length = 0
  /** Below so many bytes held there is nothing new to find. */
  #needed = 0
  /** Where the line begins, or what follows its last literal. */
  #lookFrom = 0

  /** The responses that the chunk completes, without their last line break. Throws for one without measure. */
  push(chunk: Buffer): Buffer[] {
    this.#held.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#needed) return []
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held, this.#length)
    const responses: Buffer[] = []
    let start = 0
    let at = this.#lookFrom
    while (at <= bytes.length) {
      const lineEnd = bytes.indexOf(LF, at)
      if (lineEnd < 0) break
      const textEnd = bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd
      const literal = literalAt(bytes, at, textEnd)
      if (literal !== undefined) at = lineEnd + 1 + literal
      else {
        responses.push(bytes.subarray(start, textEnd))
        start = at = lineEnd + 1
      }
    }
    this.#hold(bytes.subarray(start), at - start)
    return responses
  }

  #hold(rest: Buffer, lookFrom: number): void {
    const length = Math.max(lookFrom, rest.length)
    if (length > mostBytes) throw new Error(`The mail server has ${length} bytes in one response`)
    this.#held = rest.length > 0 ? [rest] : []
    this.#length = rest.length
    this.#lookFrom = lookFrom
    this.#needed = length + 1
  }
}

/** The length of the literal that follows a line which ends in `{123}`; the line's last stretch begins at `from`. */
export function literalAt(bytes: Buffer, from: number, end: number): number | undefined {
  if (bytes[end - 1] !== CLOSE) return undefined
  let at = end - 2
  if (bytes[at] === PLUS) at--
  let length = 0
  for (let unit = 1; at > from && bytes[at] !== OPEN; at--, unit *= 10) {
    const digit = (bytes[at] ?? 0) - 0x30
    if (digit < 0 || digit > 9 || unit > 1e9) return undefined
    length += digit * unit
  }
  return bytes[at] === OPEN && bytes[at + 1] !== CLOSE ? length : undefined
}
