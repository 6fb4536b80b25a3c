import type { Searchable } from '#/formats/mime/body/searchable.ts'
import type { SearchTree } from '#/mail/search-index/query.ts'
import { type Phrase, type PhraseMatch, PhraseSearch } from './phrases.ts'

/** The place of a message that a query found. */
export type Match = Pick<PhraseMatch, 'field' | 'text'>

/** Characters before and after the words, and of the words: one may have thousands of accents. */
const around = 60
const longest = 200

/** Shows where the messages that a query found have its words. */
export class Snippets {
  readonly #phrases: readonly Phrase[]
  readonly #search: PhraseSearch

  constructor(tree: SearchTree) {
    this.#phrases = texts(tree)
    this.#search = new PhraseSearch(this.#phrases)
  }

  /** The first match of the first term that has one; null if no term has words, or the match is beyond what was read. */
  matchIn(searchable: Searchable): Match | null {
    const [first] = this.#phrases
    if (!first) return null
    const found = this.#search.in(searchable, (places) => places.has(first))
    const place = this.#phrases.map((phrase) => found.get(phrase)).find((one) => one !== undefined)
    if (!place) return null
    const { field, text, start, end } = place
    return { field, text: cut(text, start, Math.min(end, start + longest)) }
  }
}

/** The terms about words that a message has because it was found, or may have. */
function texts(tree: SearchTree): Phrase[] {
  if (tree.kind === 'all' || tree.kind === 'either') return tree.of.flatMap(texts)
  return tree.kind === 'text' ? [tree] : []
}

/** One line, cut at spaces if there are any. */
function cut(text: string, start: number, end: number): string {
  const from = Math.max(0, start - around)
  const to = Math.min(text.length, end + around)
  const before = from > 0 ? `…${text.slice(from, start).replace(/^\S*\s/, '')}` : text.slice(0, start)
  const after = to < text.length ? `${text.slice(end, to).replace(/\s\S*$/, '')}…` : text.slice(end)
  return `${before}${text.slice(start, end)}${after}`
    .replace(/\p{Cs}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
