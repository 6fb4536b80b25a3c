import { foldWord } from '#/base/text/word-fold.ts'
import type { AllTexts } from '#/formats/mime/body/holds-texts.ts'
import { longestWord, wordsOf } from './words.ts'

/** Different words of a message that its index text lacks. */
const mostWords = 16_000
const mostBytes = 256 * 1024

/** What separates the words of the body from those of fields. No word is so. */
export const restMark = '/'

export interface Rest {
  /** ` one two / three `: words of the body that the index text does not have of it, and words of fields that it does not have at all; each
   *  once. Empty if there are none. */
  readonly rest: string
  /** Whether index text and rest together have all words of the message, those of more than 64 characters in parts that overlap. */
  readonly whole: boolean
}

/** `words` is the index text of the message. HTTP's search looks for whole words in new text; IMAP's for parts of any. */
export function restText(words: string, { body, fields, complete }: AllTexts): Rest {
  const lines = words.split('\n').slice(1)
  const known = new Set(lines.at(-1)?.split(' '))
  const inBody = new Set<string>()
  const rest = new Collected()
  for (const text of body)
    for (const word of partsIn(text)) if (!known.has(word) && rest.take(word, inBody)) inBody.add(word)
  const inFields = new Set<string>()
  for (const line of lines) for (const word of line.split(' ')) known.add(word)
  for (const text of fields)
    for (const word of partsIn(text)) if (!known.has(word) && rest.take(word, inFields)) inFields.add(word)
  const texts = [[...inBody].join(' '), ...(inFields.size > 0 ? [restMark, [...inFields].join(' ')] : [])]
  const joined = texts.filter((text) => text !== '').join(' ')
  return { rest: joined && ` ${joined} `, whole: complete && !rest.isFull }
}

/** All words of an index text and a rest, as the index has them, without marks. */
export function vocabularyOf(words: string, rest: string): Set<string> {
  const all = new Set(`${words.slice(words.indexOf('\n'))} ${rest}`.split(/[ \n]+/))
  all.delete('')
  all.delete(restMark)
  return all
}

class Collected {
  isFull = false
  #words = 0
  #bytes = 0

  /** Whether there is room for a word, which is new. */
  take(word: string, held: ReadonlySet<string>): boolean {
    if (held.has(word)) return false
    if (++this.#words > mostWords || this.#bytes > mostBytes) this.isFull = true
    this.#bytes += Buffer.byteLength(word)
    return !this.isFull
  }
}

/** The words of a text. A word that the index cuts is there in parts as well, each of which begins in the middle of the one before, so that
 *  half as long a text is within one of them. */
function* partsIn(text: string): Generator<string> {
  for (const { text: word, start, end } of wordsOf(text)) {
    yield word
    if (end - start <= longestWord || word.length < longestWord) continue
    const characters = [...foldWord(text.slice(start, end))]
    for (let at = longestWord / 2; at + longestWord / 2 < characters.length; at += longestWord / 2) {
      yield characters.slice(at, at + longestWord).join('')
    }
  }
}
