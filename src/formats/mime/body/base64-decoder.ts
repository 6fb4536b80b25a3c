const nothing = Buffer.alloc(0)

/** Limit for a line behind padding. */
const LONGEST = 64 * 1024

/** Decodes base64 (RFC 2045, section 6.8) piece by piece. Skips what is not of the alphabet. Behind padding come the next chunk, since some
 *  mailers pad each, or a mailing list's plain footer, which is left out: lines are of a chunk while they are of the alphabet alone, in groups
 *  of four. */
export class Base64Decoder {
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

  /** What is left once the last piece came. */
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
      if (one.length > LONGEST || !/^[A-Za-z0-9+/=]*$/.test(line) || line.length % 4 > 0) this.#isOver = true
      if (this.#isOver) break
      for (const chunk of line.split(/=+/)) chunks.push(Buffer.from(chunk, 'base64'))
    }
    if (this.#rest.length > LONGEST) this.#isOver = true
    return Buffer.concat(chunks)
  }
}
