import { foldCase } from '#/base/text/text.ts'
import { normalized } from '#/base/text/unicode.ts'

/** How searches compare texts: by words for the index of HTTP's search, by parts of a text for IMAP's. Both fold the same way, so that
 *  a word which one finds is found by the other. */

/** A run of letters, digits and marks, without case, accents and differences of width. */
export function foldWord(run: string): string {
  if (PLAIN.test(run)) return run.toLowerCase()
  const bare = decomposed(foldCase(decomposed(run)))
  const lettered = bare.replace(LETTERS, (letter) => letters[letter] ?? letter).replace(OTHERS, '')
  return normalized(lettered, 'NFC')
}

/** A text with each of its runs folded, and a space for all white space in a row. What stands between runs is kept. */
export function foldText(text: string): string {
  const folded = ASCII.test(text) ? text.toLowerCase() : text.replace(RUN, foldWord)
  return folded.replace(/\s+/g, ' ')
}

/** Whether a word is of a script without spaces. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

/** Without accents. A fraction stays one character: taken apart, ½ would be 12. */
function decomposed(text: string): string {
  return text.replace(WHOLE, (part) => normalized(part, 'NFKD').replace(ACCENTS, ''))
}

const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const letter = String.raw`[\p{L}\p{N}\p{M}]`
/** Of one kind of script. A mark belongs to what is before it. Halfwidth voicing marks are letters. */
export const RUN = new RegExp(
  String.raw`(?:(?=${letter})[${unspaced}])(?:(?=${letter})[${unspaced}\p{Mn}])*|(?:(?=${letter})[^${unspaced}])+`,
  'gu',
)
const UNSPACED = new RegExp(`^[${unspaced}]`, 'u')
const ASCII = /^[\0-\x7f]*$/
const PLAIN = /^[a-zA-Z0-9]*$/
const WHOLE = /[^¼-¾⅐-⅟↉]+/g
const ACCENTS = /[\u0300-\u036f]/g
const OTHERS = /[^\p{L}\p{N}\p{M}]+/gu
/** Letters with a stroke or joined, which Unicode does not take apart. */
const letters: Readonly<Record<string, string>> = {
  ...{ æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ł: 'l', ŧ: 't', þ: 'th' },
}
const LETTERS = /[æœøđðħıłŧþ]/g
