/** A set of messages of a selected mailbox, by their places among those that the client knows: a bit for each, from 0. */
export class Places {
  readonly size: number
  readonly #words: Uint32Array

  constructor(size: number, words = new Uint32Array(Math.ceil(size / 32))) {
    this.size = size
    this.#words = words
  }

  static all(size: number): Places {
    const all = new Places(size)
    all.#words.fill(0xffff_ffff)
    const rest = size % 32
    if (rest > 0) all.#words[all.#words.length - 1] = 2 ** rest - 1
    return all
  }

  has(place: number): boolean {
    return (((this.#words[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 1
  }

  add(place: number): void {
    this.#words[place >>> 5] = (this.#words[place >>> 5] ?? 0) | (1 << (place & 31))
  }

  and(other: Places): Places {
    return this.#with(other, (a, b) => a & b)
  }

  or(other: Places): Places {
    return this.#with(other, (a, b) => a | b)
  }

  without(other: Places): Places {
    return this.#with(other, (a, b) => a & ~b)
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0)
  }

  get count(): number {
    let count = 0
    for (let word of this.#words) for (; word !== 0; word &= word - 1) count++
    return count
  }

  /** In ascending order. */
  *[Symbol.iterator](): Generator<number> {
    for (let at = 0; at < this.#words.length; at++) {
      for (let word = this.#words[at] ?? 0; word !== 0; word &= word - 1) yield 32 * at + 31 - Math.clz32(word & -word)
    }
  }

  #with(other: Places, combined: (a: number, b: number) => number): Places {
    const words = new Uint32Array(this.#words.length)
    for (let at = 0; at < words.length; at++) words[at] = combined(this.#words[at] ?? 0, other.#words[at] ?? 0)
    return new Places(this.size, words)
  }
}
