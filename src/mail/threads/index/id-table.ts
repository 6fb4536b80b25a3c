import { grown } from './grown.ts'

/** Numbers the ids of a folder: each 64-bit hash, as two words, is a node. The hashes are keyed, so that nobody can choose
 *  their slots. Open addressing, linear probing; 14 bytes per id. */
export class IdTable {
  count = 0
  #words: Uint32Array
  /** Nodes plus one; 0 is free. Three slots for every two nodes of the capacity. */
  #slots: Uint32Array

  constructor(expected: number) {
    this.#words = new Uint32Array(2 * (expected + 16))
    this.#slots = new Uint32Array(slotsFor(this.#words))
  }

  get bytes(): number {
    return this.#words.byteLength + this.#slots.byteLength
  }

  /** Grows at once to hold so many more, if they exceed the capacity: a message may have 100,000 ids, and growing by a
   *  quarter at a time takes five times as long as adding them. */
  expect(more: number): void {
    if (2 * more > this.#words.length) this.#grow(this.count + more)
  }

  /** The node of a hash; a new one if there is none. */
  intern(first: number, second: number): number {
    const slot = this.#slot(first, second)
    const held = this.#slots[slot] as number
    if (held > 0) return held - 1
    if (2 * this.count === this.#words.length) {
      this.#grow(this.count + 1)
      return this.intern(first, second)
    }
    const node = this.count++
    this.#words[2 * node] = first
    this.#words[2 * node + 1] = second
    this.#slots[slot] = node + 1
    return node
  }

  find(first: number, second: number): number | undefined {
    const held = this.#slots[this.#slot(first, second)] as number
    return held > 0 ? held - 1 : undefined
  }

  hash(node: number): [first: number, second: number] {
    return [this.#words[2 * node] as number, this.#words[2 * node + 1] as number]
  }

  /** The same as eight bytes. */
  bytesOf(node: number): Buffer {
    const [first, second] = this.hash(node)
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32LE(first, 0)
    bytes.writeUInt32LE(second, 4)
    return bytes
  }

  /** The slot of the hash, or else the free slot for it. */
  #slot(first: number, second: number): number {
    const slots = this.#slots
    const words = this.#words
    // Scaled rather than masked, so that the table can be of any size.
    let slot = Math.floor(first * (slots.length / 2 ** 32))
    for (;;) {
      const held = slots[slot] as number
      if (held === 0 || (words[2 * held - 2] === first && words[2 * held - 1] === second)) return slot
      if (++slot === slots.length) slot = 0
    }
  }

  #grow(needed: number): void {
    this.#words = grown(this.#words, 2 * needed)
    this.#slots = new Uint32Array(slotsFor(this.#words))
    for (let node = 0; node < this.count; node++) {
      this.#slots[this.#slot(this.#words[2 * node] as number, this.#words[2 * node + 1] as number)] = node + 1
    }
  }
}

function slotsFor(words: Uint32Array): number {
  return Math.ceil((words.length / 2) * 1.5)
}
