const LF = 0x0a
const CR = 0x0d
const OPEN = 0x7b
const CLOSE = 0x7d
const PLUS = 0x2b

/** The largest response: a piece of a message, or the longest header that we read. We never request more. */
const mostBytes = 64 << 20

/** The initial buffer, and the largest that is kept when empty. */
const usualRoom = 16 << 10
const mostRoom = 256 << 10

/** Splits the bytes of a connection into whole responses: lines with their literals (RFC 9051, section 4.3). New bytes are
 *  copied behind the buffered ones. There is no object per response, since a folder has 100,000 of them. */
export class ResponseSplitter {
  /** Contains the last response, from `start` to `end`, without its final line break, until the next one is requested. */
  bytes = Buffer.allocUnsafeSlow(usualRoom)
  start = 0
  end = 0
  /** Where the next response begins, and where the buffered bytes end. */
  #next = 0
  #length = 0
  /** Where its line begins, or the text after its last literal. */
  #lookFrom = 0

  push(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.bytes.length) this.#makeRoom(chunk.length)
    this.bytes.set(chunk, this.#length)
    this.#length += chunk.length
  }

  /** Advances to the next response; false if it is incomplete. Throws if it is too large. */
  next(): boolean {
    while (this.#lookFrom < this.#length) {
      const lineEnd = this.bytes.indexOf(LF, this.#lookFrom)
      if (lineEnd < 0 || lineEnd >= this.#length) break
      const textEnd = this.bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd
      const literal = literalAt(this.bytes, this.#lookFrom, textEnd)
      this.#lookFrom = lineEnd + 1 + (literal ?? 0)
      if (literal !== undefined) continue
      this.start = this.#next
      this.end = textEnd
      this.#next = this.#lookFrom
      return true
    }
    if (this.#next === this.#length) this.#empty()
    const length = Math.max(this.#lookFrom, this.#length) - this.#next
    if (length > mostBytes) throw new Error(`The mail server has ${length} bytes in one response`)
    return false
  }

  #empty(): void {
    if (this.bytes.length > mostRoom) this.bytes = Buffer.allocUnsafeSlow(usualRoom)
    this.#next = this.#length = this.#lookFrom = 0
  }

  /** Moves buffered bytes to the front, into a larger buffer if needed. */
  #makeRoom(more: number): void {
    const held = this.#length - this.#next
    const before = this.bytes
    if (held + more > before.length) this.bytes = Buffer.allocUnsafeSlow(Math.max(held + more, 2 * before.length))
    before.copy(this.bytes, 0, this.#next, this.#length)
    this.#lookFrom -= this.#next
    this.#length = held
    this.#next = 0
  }
}

/** The length of the literal behind a line that ends in `{123}`; the last part of the line begins at `from`. */
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
