import type { AllTexts } from '#/formats/mime/body/holds-texts.ts'
import { spelled } from './spelled.ts'

/** Words of a message that its index text lacks, and as many again that it has with others next to them. */
const mostWords = 16_000
const mostBytes = 256 * 1024

/** What separates the words of the body from those of fields. No word is so. */
export const restMark = '/'

export interface Rest {
  /** ` one two  three / four `: words of the body and words of the fields that the index text lacks, or has, but not next to each other with
   *  white space in between. Two spaces say nothing. Empty if there are none. */
  readonly rest: string
  /** Whether index text and rest together have all words of the message, those of more than 64 characters in parts that overlap. */
  readonly whole: boolean
  /** Whether they have all pairs of words with white space in between. */
  readonly ordered: boolean
}

/** `words` is the index text of the message. HTTP's search looks for whole words in new text; IMAP's for parts of any. */
export function restText(words: string, { body, fields, complete }: AllTexts): Rest {
  const lines = words.split('\n').slice(1)
  const rest = new Collected()
  rest.know(lines.slice(-1))
  const inBody = rest.lacking(body)
  rest.know(lines)
  const inFields = rest.lacking(fields)
  const joined = [inBody, ...(inFields === '' ? [] : [restMark, inFields])].filter((text) => text !== '').join(' ')
  const { isWhole, isOrdered } = rest
  return { rest: joined && ` ${joined} `, whole: complete && isWhole, ordered: complete && isOrdered }
}

/** All words of an index text and a rest, as the index has them, without marks. */
export function vocabularyOf(words: string, rest: string): Set<string> {
  const all = new Set(`${words.slice(words.indexOf('\n'))} ${rest}`.split(/[ \t\n]+/))
  all.delete('')
  all.delete(restMark)
  return all
}

class Collected {
  /** Words, and pairs with a space in between. */
  readonly #known = new Set<string>()
  readonly #words = new Room()
  readonly #pairs = new Room()

  get isWhole(): boolean {
    return !this.#words.isFull
  }

  get isOrdered(): boolean {
    return !this.#pairs.isFull && this.isWhole
  }

  know(lines: readonly string[]): void {
    for (const text of lines.flatMap((line) => line.split('  '))) {
      for (const run of text.trim().split('\t')) {
        const words = run.split(' ')
        for (const [at, word] of words.entries()) this.#known.add(word).add(`${words[at - 1]} ${word}`)
      }
    }
  }

  /** What is not known of texts, as far as there is room. It is known then. */
  lacking(texts: readonly string[]): string {
    let found = ''
    for (const text of texts) {
      let before = ''
      /** Whether that was written last. */
      let isWritten = false
      for (const { text: word, gap } of spelled(text)) {
        const pair = `${before} ${word}`
        const isPair = gap === ' ' && !this.#known.has(pair) && this.#pairs.take(word)
        const isTaken = isPair || (!this.#known.has(word) && this.#words.take(word))
        if (isPair) found += isWritten ? ` ${word}` : `  ${pair}`
        else if (isTaken) found += `  ${word}`
        if (isPair) this.#known.add(pair)
        if (isTaken) this.#known.add(word)
        isWritten = isTaken
        before = word
      }
    }
    return found.trim()
  }
}

class Room {
  isFull = false
  #words = 0
  #bytes = 0

  /** Whether there is room for a word. */
  take(word: string): boolean {
    if (++this.#words > mostWords || this.#bytes > mostBytes) this.isFull = true
    this.#bytes += Buffer.byteLength(word)
    return !this.isFull
  }
}
