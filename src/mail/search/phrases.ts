import type { Searchable } from '#/formats/mime/body/searchable.ts'
import type { SearchTree } from '#/mail/search-index/query.ts'
import { type QueryWord, queryWords, wordsOf } from '#/mail/search-index/words.ts'

/** A term of a query about words that follow each other. */
export type Phrase = Extract<SearchTree, { kind: 'text' }>

/** In the order in which the place of a match is shown. */
export const searchedFields = ['text', 'subject', 'filename', 'from', 'to', 'cc'] as const
type Field = (typeof searchedFields)[number]

/** The first place of a phrase. */
export interface PhraseMatch {
  readonly field: Field
  readonly text: string
  readonly start: number
  readonly end: number
}

interface Reading {
  readonly field: Field
  readonly text: string
  /** Words. */
  readonly most: number
  readonly enough: (found: ReadonlyMap<Phrase, PhraseMatch>) => boolean
}

/** Of a message's text, and of its other fields together: as many as are indexed of it. */
const mostWords = 16_000

/**
 * Looks for all phrases of a query in one pass over a message, with a bit for each word of a phrase (Shift-And; Baeza-Yates and
 * Gonnet, 1992). A query has at most 1,000 characters, so a word of the message costs at most 32 operations, whatever both say.
 * Comparing the phrase at each word would cost 500.
 */
export class PhraseSearch {
  readonly #phrases: readonly { readonly phrase: Phrase; readonly length: number; readonly last: number }[]
  readonly #size: number
  /** The first words of all phrases. */
  readonly #first: Bits
  /** Places in a phrase where any word may be. */
  readonly #any: Bits
  readonly #exact = new Map<string, Bits>()
  readonly #prefixes = new Map<string, Bits>()
  /** In code units. */
  readonly #prefixLengths: readonly number[]

  constructor(phrases: readonly Phrase[]) {
    let bits = 0
    const placed = phrases.map((phrase) => {
      const wanted = queryWords(phrase.text)
      const first = bits
      const offset = wanted[0]?.at ?? 0
      bits += 1 + (wanted.at(-1)?.at ?? 0) - offset
      return { phrase, wanted, first, offset, last: bits - 1 }
    })
    this.#size = Math.max(1, Math.ceil(bits / 32))
    this.#first = this.#bits()
    this.#any = this.#bits().fill(-1)
    for (const { wanted, first, offset } of placed) {
      set(this.#first, first)
      for (const word of wanted) this.#place(word, first + word.at - offset)
    }
    this.#prefixLengths = [...new Set([...this.#prefixes.keys()].map(({ length }) => length))]
    for (const bit of [...this.#exact.values(), ...this.#prefixes.values()]) or(bit, this.#any)
    this.#phrases = placed.map(({ phrase, first, last }) => ({ phrase, length: 1 + last - first, last }))
  }

  /** The first place of each phrase that the message has, until `enough` are found. */
  in(searchable: Searchable, enough: (found: ReadonlyMap<Phrase, PhraseMatch>) => boolean): Map<Phrase, PhraseMatch> {
    const found = new Map<Phrase, PhraseMatch>()
    let left = mostWords
    for (const field of searchedFields) {
      for (const text of searchable[field]) {
        left -= this.#inText({ field, text, most: left, enough }, found)
        if (left <= 0 || enough(found)) break
      }
      if (enough(found)) break
      if (field === 'text') left = mostWords
    }
    return found
  }

  /** @returns the number of words that were read */
  #inText({ field, text, most, enough }: Reading, found: Map<Phrase, PhraseMatch>): number {
    const sought = new Map(
      this.#phrases
        .filter(({ phrase }) => !found.has(phrase) && (phrase.field === 'any' || phrase.field === field))
        .map((one) => [one.last, one]),
    )
    if (sought.size === 0) return 0
    const open = this.#bits()
    for (const bit of sought.keys()) set(open, bit)
    const state = this.#bits()
    const starts: number[] = []
    for (const { text: word, start, end } of wordsOf(text)) {
      if (starts.length === most) break
      starts.push(start)
      for (const bit of this.#advance(state, this.#bitsOf(word), open)) {
        const one = sought.get(bit)
        if (!one) continue
        found.set(one.phrase, { field, text, start: starts.at(-one.length) ?? 0, end })
        clear(open, bit)
        if (sought.delete(bit) && (sought.size === 0 || enough(found))) return starts.length
      }
    }
    return starts.length
  }

  /** Moves each phrase under way by a word. @returns the bits among `open` that are reached */
  #advance(state: Bits, fitting: Bits, open: Bits): number[] {
    let carry = 0
    let reached: number[] | undefined
    for (let at = 0; at < this.#size; at++) {
      const before = state[at] ?? 0
      const now = ((before << 1) | carry | (this.#first[at] ?? 0)) & (fitting[at] ?? 0)
      carry = before >>> 31
      state[at] = now
      for (let hit = now & (open[at] ?? 0); hit !== 0; hit &= hit - 1) {
        reached ??= []
        reached.push(32 * at + 31 - Math.clz32(hit & -hit))
      }
    }
    return reached ?? none
  }

  /** Where the word fits. */
  #bitsOf(word: string): Bits {
    const exact = this.#exact.get(word)
    let all = exact ?? this.#any
    for (const length of this.#prefixLengths) {
      const begun = this.#prefixes.get(word.slice(0, length))
      if (!begun) continue
      all = or(this.#bits(), all)
      or(all, begun)
    }
    return all
  }

  #place({ text, prefix }: QueryWord, bit: number): void {
    const bits = prefix ? this.#prefixes : this.#exact
    const there = bits.get(text) ?? this.#bits()
    bits.set(text, there)
    set(there, bit)
    clear(this.#any, bit)
  }

  #bits(): Bits {
    return new Int32Array(this.#size)
  }
}

type Bits = Int32Array
const none: number[] = []

function set(bits: Bits, bit: number): void {
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31))
}

function clear(bits: Bits, bit: number): void {
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) & ~(1 << (bit & 31))
}

function or(bits: Bits, others: Bits): Bits {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) | (others[at] ?? 0)
  return bits
}
