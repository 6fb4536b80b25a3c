const LF = 0x0a
const CR = 0x0d
const OPEN = 0x7b
const CLOSE = 0x7d
const PLUS = 0x2b

/** What one response may hold: a piece of a message, or the longest header that is read. More is not what was asked for. */
const mostBytes = 64 << 20

/** Room to begin with; and the most that is kept once all is taken. */
const usualRoom = 16 << 10
const mostRoom = 256 << 10

/** Puts the bytes of a connection together to whole responses: a line with the literals in it (RFC 9051, section 4.3). What
 *  comes is copied behind what is held, and no object is made of a response, since a folder has 100,000 of them. */
export class ResponseSplitter {
  /** Holds the response found last, from `start` to `end`, without its last line break, until the next is asked for. */
  bytes = Buffer.allocUnsafeSlow(usualRoom)
  start = 0
  end = 0
  /** Where in it the next response begins, and all that is held ends. */
  #next = 0
  #length = 0
  /** Where its line begins, or what follows its last literal. */
  #lookFrom = 0

  push(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.bytes.length) this.#makeRoom(chunk.length)
    this.bytes.set(chunk, this.#length)
    this.#length += chunk.length
  }

  /** Goes on to the next response; false where it is not whole yet. Throws for one without measure. */
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

  /** Moves what is held to the front, of larger memory where it has to be. */
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
