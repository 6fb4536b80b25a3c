import { openings, verbs } from './words.ts'

/** Introductions are broken over at most four lines: a paragraph may be long, with a quotation after each of its lines. */
const mostLines = 4
const longestLine = 400

/** Marks of direction and order of octets, which some programs put around words. */
const invisible = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** A line without white space and invisible marks around its words. */
export function plainLine(line: string): string {
  return line.replace(invisible, '').trim()
}

/** The number of lines at the end of the last paragraph that introduce a quotation below them: `On Monday, Ann wrote:`, or a line in any
 *  language that names an address and when. Zero if none does. */
export function introductionAbove(paragraph: readonly string[]): number {
  const lines = lastLines(paragraph)
  const last = lines.at(-1) ?? ''
  if (!isEndOfIntroduction(last)) return 0
  for (let count = 1; count <= lines.length && !isSentence(lines, count); count++) {
    const text = joined(lines, count)
    const [named, timed, said] = [ADDRESS.test(text), TIME.test(text), VERB.test(text)]
    if (OPENING.test(text) && (named || timed || said)) return opening(lines, count) || count
    if (named && (timed || said)) return opening(lines, count) || count
  }
  return VERB_AT_END.test(last) || (VERB.test(last) && TIME.test(last)) || ADDRESS_AT_END.test(last) ? 1 : 0
}

/** The same for a quotation whose lines are not marked, so that it must say when, and who or that he wrote. */
export function introductionOfUnmarked(paragraph: readonly string[]): number {
  const lines = lastLines(paragraph)
  if (!isEndOfIntroduction(lines.at(-1) ?? '')) return 0
  for (let count = 1; count <= lines.length && !isSentence(lines, count); count++) {
    const text = joined(lines, count)
    const [named, opens] = [ADDRESS.test(text), OPENING.test(text)]
    const said = VERB.test(text) && (/[:：-]$/.test(text) ? named || opens : named && opens)
    if (TIME.test(text) && (said || DATED.test(text))) return opening(lines, count) || count
  }
  return 0
}

/** Whether `>` begins a line only because an address was broken before it. */
export function endsAddress(before: string, line: string): boolean {
  if (before === '' || before.length > longestLine || !/^>[^>]{0,60}[:：]$/.test(line)) return false
  const open = before.lastIndexOf('<')
  return open >= 0 && before.includes('@', open) && !before.includes('>', open)
}

function lastLines(paragraph: readonly string[]): string[] {
  const lines = paragraph.slice(-mostLines).map(plainLine)
  const long = lines.findLastIndex((line) => line === '' || line.length > longestLine)
  return lines.slice(long + 1)
}

/** In one line; where an address was broken, it has no space. */
function joined(lines: readonly string[], count: number): string {
  return lines
    .slice(-count)
    .join(' ')
    .replace(/([<(]) | (?=[>)])/g, '$1')
}

/** Whether an introduction may end with this line: with a colon, dashes, or an address and a verb. */
export function isEndOfIntroduction(text: string): boolean {
  const line = text.length === 0 ? '' : plainLine(text.slice(-40))
  return line !== '' && /[:：]$|\s-{3,}$|[>)\]]\s\p{L}+(?: \p{L}+)?$/u.test(line)
}

/** Whether the line so many before the end, above others, ends a sentence: then it belongs to no introduction, unless it begins one and
 *  ends in the point of a date. */
function isSentence(lines: readonly string[], count: number): boolean {
  const line = lines.at(-count) ?? ''
  return count > 1 && /[.!?]$/.test(line) && !(OPENING.test(line) && /\d/.test(line))
}

/** Where an introduction that is whole from some line on begins, if it begins above: by the nearest opening, or by one further up that
 *  says a date. */
function opening(lines: readonly string[], whole: number): number {
  let found = 0
  for (let count = whole + 1; count <= lines.length && !isSentence(lines, count); count++) {
    const line = lines.at(-count) ?? ''
    if (OPENING.test(line) && (found === 0 || /\d/.test(line))) found = count
  }
  return found
}

/** In languages that put no space before. */
const verbsWithin = '写道|寫道|작성|のメッセージ|เขียน'
const either = (all: readonly string[]) => all.map((one) => one.replaceAll(/[.()]/g, '\\$&')).join('|')
const OPENING = new RegExp(`^(?:-{2,}\\s*)?(?:${either(openings)})[\\s\\d]`, 'i')
const VERB = new RegExp(`(?<!\\p{L})(?:${either(verbs)})(?!\\p{L})|${verbsWithin}`, 'iu')
const VERB_AT_END = new RegExp(`(?:(?<!\\p{L})(?:${either(verbs)})|${verbsWithin})(?:\\(a\\)|/la)?\\s?[:：]$`, 'iu')
const ADDRESS = /[<([][^\s<>()[\]@]+@[^\s<>()[\]@]+[>)\]]/
const ADDRESS_AT_END = /[<(][^\s<>()@]+@[^\s<>()@]+[>)].{0,40}[:：]$/
/** A time of day, or a year. */
const TIME = /\d{1,2}[:.]\d\d(?!\d)|\d{1,2}h\d\d|(?<!\d)(?:19|20)\d\d(?!\d)|\d[時点시]/
/** A date, then who: as Gmail writes it in languages in which it uses no verb. */
const DATED = /^(?:(?:\p{L}{1,12}[.,]{0,2}\s)?\d|בתאריך\s).*<[^\s<>@]+@[^\s<>@]+>\s?[:：]$/u
