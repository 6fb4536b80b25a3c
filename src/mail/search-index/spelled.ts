import { foldWord } from '#/base/text/word-fold.ts'
import { longestWord, wordsOf } from './words.ts'

/** What texts of the index have between two words: a space where the message has white space and nothing else, this where it has anything
 *  else, or nothing. */
export const mark = '\t'

/** A word of a text as the index has it, with what is between it and the one before. */
export interface Spelled {
  readonly text: string
  /** Empty if there is none before, or if both are parts of one. */
  readonly gap: ' ' | typeof mark | ''
  /** A further part of a word that the index cuts. */
  readonly isPart: boolean
}

/** The words of a text. A word that the index cuts is followed by parts of it, each of which begins in the middle of the one before, so that
 *  half as long a text is within one of them, and the last has its end. */
export function* spelled(text: string): Generator<Spelled> {
  let ended = -1
  for (const { text: word, start, end } of wordsOf(text)) {
    yield { text: word, gap: ended < 0 ? '' : WHITE.test(text.slice(ended, start)) ? ' ' : mark, isPart: false }
    ended = end
    if (word.length < longestWord) continue
    const characters = [...foldWord(text.slice(start, end))]
    for (let at = longestWord / 2; at + longestWord / 2 < characters.length; at += longestWord / 2) {
      yield { text: characters.slice(at, at + longestWord).join(''), gap: '', isPart: true }
    }
  }
}

/** Without the further parts: nothing is next to the end of a word that is cut. */
export function* spelledWords(text: string): Generator<Spelled> {
  let isCut = false
  for (const one of spelled(text)) {
    if (!one.isPart) yield isCut ? { ...one, gap: mark } : one
    isCut = one.isPart
  }
}

const WHITE = /^\s+$/

/** Follows some of the words of a message through all that are in it, and tells what is between them there. Of some it may find another
 *  place, but what it says is next to each other is so. */
export class Course {
  readonly #words: Spelled[]
  /** By word, last first. */
  readonly #places = new Map<string, number[]>()
  #at = -1
  #isLost = true

  constructor(texts: readonly string[]) {
    this.#words = texts.flatMap((text) => [...spelledWords(text)])
    for (let at = this.#words.length - 1; at >= 0; at--) {
      const text = this.#words[at]?.text ?? ''
      const places = this.#places.get(text)
      if (places) places.push(at)
      else this.#places.set(text, [at])
    }
  }

  /** Between a word and the one that was asked for before. */
  gapBefore(word: string): ' ' | typeof mark {
    const next = this.#at + 1
    const place = this.#words[next]?.text === word ? next : this.#placeFrom(next, word)
    const gap = place === next && !this.#isLost ? this.#words[next]?.gap : mark
    this.#isLost = place === undefined
    this.#at = place ?? this.#at
    return gap || mark
  }

  #placeFrom(first: number, word: string): number | undefined {
    const places = this.#places.get(word) ?? []
    while ((places.at(-1) ?? first) < first) places.pop()
    return places.at(-1)
  }
}
