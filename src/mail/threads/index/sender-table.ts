import { randomFillSync } from 'node:crypto'
import { grown } from './grown.ts'

/** Numbers the senders of a folder and stores their texts outside JavaScript's heap, where each string and its Map entry would
 *  take a hundred bytes. */
export class SenderTable {
  #count = 0
  #texts = new Uint8Array(1024)
  /** Where each text starts, and where the last one ends. */
  #starts = new Uint32Array(64)
  /** Numbers plus one; 0 is free. A power of two, at most three quarters full. */
  #slots = new Uint32Array(64)

  get bytes(): number {
    return this.#texts.byteLength + this.#starts.byteLength + this.#slots.byteLength
  }

  /** The number of the text that lies at `from` in `source`. */
  intern(source: Uint8Array, from: number, length: number): number {
    const slot = this.#slot(source, from, length)
    const held = this.#slots[slot] as number
    if (held > 0) return held - 1
    const number = this.#count++
    const start = this.#starts[number] as number
    this.#texts = grown(this.#texts, start + length)
    this.#starts = grown(this.#starts, number + 2)
    for (let index = 0; index < length; index++) this.#texts[start + index] = source[from + index] as number
    this.#starts[number + 1] = start + length
    this.#slots[slot] = number + 1
    if (this.#count > 0.75 * this.#slots.length) this.#widen()
    return number
  }

  /** Undefined if no sender has that text. */
  find(text: string): number | undefined {
    const source = Buffer.from(text)
    const held = this.#slots[this.#slot(source, 0, source.length)] as number
    return held === 0 ? undefined : held - 1
  }

  text(number: number): string {
    return Buffer.from(this.#texts.buffer).toString('utf8', this.#starts[number], this.#starts[number + 1])
  }

  /** The slot of the text, or the free slot for it. */
  #slot(source: Uint8Array, from: number, length: number): number {
    const mask = this.#slots.length - 1
    let slot = hash(source, from, length) & mask
    for (;;) {
      const held = this.#slots[slot] as number
      if (held === 0 || this.#equals(held - 1, source, from, length)) return slot
      slot = (slot + 1) & mask
    }
  }

  #equals(number: number, source: Uint8Array, from: number, length: number): boolean {
    const start = this.#starts[number] as number
    if ((this.#starts[number + 1] as number) - start !== length) return false
    const texts = this.#texts
    for (let index = 0; index < length; index++) {
      if (texts[start + index] !== source[from + index]) return false
    }
    return true
  }

  #widen(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length)
    for (let number = 0; number < this.#count; number++) {
      const start = this.#starts[number] as number
      this.#slots[this.#slot(this.#texts, start, (this.#starts[number + 1] as number) - start)] = number + 1
    }
  }
}

/** Strangers choose these texts, so nobody must be able to find collisions: the hash has a random odd factor for each place
 *  (multiply-shift, Dietzfelbinger 1996). A path has at most 256 octets (RFC 5321, section 4.5.3.1.3); longer texts reuse
 *  factors. */
const factors = randomFillSync(new Uint32Array(1024))

function hash(source: Uint8Array, from: number, length: number): number {
  let sum = length
  for (let index = 0; index < length; index++) {
    sum = (sum + Math.imul(factors[index & 1023] as number, source[from + index] as number)) | 0
  }
  return sum >>> 7
}
