import { foldWord, isUnspaced, RUN } from '#/base/text/word-fold.ts'

/** A folded word of a text, and its place. */
export interface Word {
  readonly text: string
  /** Counted in words: neighbours are 1 apart. */
  readonly at: number
  readonly start: number
  readonly end: number
  /** One character of a script without spaces: as a word of a query it stands for all words that begin with it. */
  readonly single: boolean
}

/** In code points. Longer words are cut, in messages and in queries. */
export const longestWord = 64

/**
 * The words of a text: runs of letters, digits and marks, without case and accents. Scripts without spaces between words are
 * taken in pairs of characters, each with the next, and the last alone, so that any part of a text is found.
 */
export function* wordsOf(text: string): Generator<Word> {
  let at = 0
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const unspaced = isUnspaced(run)
    const characters = unspaced ? charactersOf(run) : undefined
    if (!characters) {
      const word = fold(run)
      if (word !== '') yield { text: word, at: at++, start: index, end: index + run.length, single: false }
      continue
    }
    for (const [nth, { text, start }] of characters.entries()) {
      const next = characters[nth + 1]
      const end = index + (next ? next.end : run.length)
      yield { text: text + (next?.text ?? ''), at: at++, start: index + start, end, single: next === undefined }
    }
  }
}

/** The words of a query, each with its distance from the first. */
export interface QueryWord {
  readonly text: string
  readonly at: number
  /** Any word that begins so. */
  readonly prefix: boolean
}

/** The words of a phrase. Of characters in pairs the last alone adds nothing. */
export function queryWords(phrase: string): QueryWord[] {
  const words = [...wordsOf(phrase)]
  return words.flatMap(({ text, at, single, start }, index) => {
    const before = words[index - 1]
    const paired = single && before !== undefined && before.end > start
    return paired ? [] : [{ text, at, prefix: single }]
  })
}

/** Without case, accents and differences of width. */
function fold(text: string): string {
  return cut(foldWord(text))
}

function cut(word: string): string {
  return word.length <= longestWord ? word : [...word].slice(0, longestWord).join('')
}

interface Character {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The characters of a run, each with its marks. */
function charactersOf(run: string): Character[] {
  const found: Character[] = []
  for (const { 0: written, index } of run.matchAll(CHARACTER)) {
    const text = fold(written)
    if (text !== '') found.push({ text, start: index, end: index + written.length })
  }
  return found
}

const CHARACTER = /[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]*|[\p{M}\uff9e\uff9f]+/gu
