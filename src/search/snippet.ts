import type { Searchable } from '#/mime/body/searchable.ts'
import type { SearchTree } from '#/ports/search.ts'
import { searchedFields } from './matches.ts'
import { findWords, type Wanted, type Word, wantedWords, wordsOf } from './words.ts'

/** The place of a message that a query found. */
export interface Match {
  readonly field: (typeof searchedFields)[number]
  readonly text: string
}

/** Characters before and after the words, and of the words: one may have thousands of accents. */
const around = 60
const longest = 200

/** The first match of a term of the query; null if no term has words, or the match is beyond what was read. */
export function matchIn(tree: SearchTree, searchable: Searchable): Match | null {
  for (const { field, text: phrase } of texts(tree)) {
    const wanted = wantedWords(phrase)
    for (const one of field === 'any' ? searchedFields : [field]) {
      for (const text of searchable[one]) {
        const place = placeIn(text, wanted)
        if (place) return { field: one, text: cut(text, place.start, Math.min(place.end, place.start + longest)) }
      }
    }
  }
  return null
}

/** The first place of the wanted words in sequence. The text is read no further. */
function placeIn(text: string, wanted: readonly Wanted[]): { start: number; end: number } | undefined {
  const length = 1 + (wanted.at(-1)?.at ?? 0) - (wanted[0]?.at ?? 0)
  const last: Word[] = []
  for (const word of wordsOf(text)) {
    last.push(word)
    if (last.length > length) last.shift()
    if (last.length === length && findWords(last, wanted) === 0) return { start: last[0]?.start ?? 0, end: word.end }
  }
  return undefined
}

/** The terms about words that a message has because it was found, or may have. */
function texts(tree: SearchTree): Extract<SearchTree, { kind: 'text' }>[] {
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
