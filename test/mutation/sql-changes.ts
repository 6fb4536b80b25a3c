import type { Change } from './mutants.ts'

const swaps: Readonly<Record<string, string>> = {
  '<=': '<',
  '<': '<=',
  '>=': '>',
  '>': '>=',
  '<>': '=',
  ' + ': ' - ',
  ' - ': ' + ',
  ' and ': ' or ',
  'is null': 'is not null',
  'is not null': 'is null',
  'not exists': 'exists',
  'not in': 'in',
  true: 'false',
  false: 'true',
  least: 'greatest',
  greatest: 'least',
  min: 'max',
  max: 'min',
  desc: '',
  'limit 1': '',
  'nulls last': '',
  'nulls first': '',
  'skip locked': '',
  'for update': '',
  'for no key update': '',
}

/** Symbols stand alone: `<` is no part of `<=` or `<>`, nor `>` of `->`, `->>`, `=>` or `>=`. Words are whole words. */
const swappable = new RegExp(
  Object.keys(swaps)
    .sort((a, b) => b.length - a.length)
    .map((text) => (/^[<>=]+$/.test(text) ? `(?<![-<>=@|])${text}(?![<>=@])` : words(text)))
    .join('|'),
  'g',
)

/** Where a condition ends, outside all parentheses. */
const boundary =
  /\b(?:and|or|then|when|end|group by|order by|having|limit|for update|for no key update|union|returning|(?:left |cross )?join|on conflict|window)\b|[`,]/y

/** Changes of a statement: comparisons, locks, limits, and each condition left out once. `text` is what stands between
 *  backticks, `at` its offset in the file. */
export function sqlChanges(text: string, at: number): Change[] {
  const plain = masked(text)
  const swapped = Array.from(plain.matchAll(swappable), ({ 0: found, index }) =>
    change(text, at, index, index + found.length, swaps[found] ?? ''),
  )
  const conditions = Array.from(plain.matchAll(/\b(and|or|where)\s/g)).flatMap(({ 0: found, 1: word, index }) => {
    if (word === 'and' && /\bbetween\s+\S+\s*$/.test(plain.slice(0, index))) return []
    const end = conditionEnd(plain, index + found.length)
    return [change(text, at, index, end, word === 'where' ? 'where true ' : '')]
  })
  const literals = Array.from(plain.matchAll(/'([^']+)'/g), ({ 0: found, index }) =>
    change(text, at, index, index + found.length, otherLiteral(found)),
  )
  return [...swapped, ...conditions, ...literals]
}

/** An interval passes at once, a text is another. */
function otherLiteral(literal: string): string {
  return /^'\d+ \w+'$/.test(literal) ? literal.replace(/\d+/, '0') : "''"
}

function change(text: string, at: number, start: number, end: number, to: string): Change {
  // Shown with the lines that it is in.
  const from = text.lastIndexOf('\n', start) + 1
  const until = text.indexOf('\n', end) < 0 ? text.length : text.indexOf('\n', end)
  return { start: at + start, end: at + end, to, shown: { start: at + from, end: at + until } }
}

function conditionEnd(plain: string, from: number): number {
  let depth = 0
  for (let at = from; at < plain.length; at++) {
    boundary.lastIndex = at
    if (depth === 0 && at > from && boundary.test(plain)) return at
    if (plain[at] === '(') depth++
    if (plain[at] === ')' && --depth < 0) return at
  }
  return plain.length
}

function words(text: string): string {
  const [left, right] = [/^\w/.test(text) ? '\\b' : '', /\w$/.test(text) ? '\\b' : '']
  return left + text.replace(/[+]/g, '\\$&') + right
}

/** The same length, with what stands in `${…}` out of the way. */
function masked(text: string): string {
  let depth = 0
  return Array.from({ length: text.length }, (_, at) => {
    const char = text[at] ?? ''
    if (char === '{' && (depth > 0 || text[at - 1] === '$')) depth++
    const inside = depth > 0 || text.startsWith('${', at)
    if (depth > 0 && char === '}') depth--
    return inside ? '$' : char
  }).join('')
}
