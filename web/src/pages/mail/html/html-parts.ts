/** Limits of a part: sanitizing, laying out and painting it must not hold the page. */
const most = { weight: 3_000, characters: 100_000 }

/** A tag weighs one, and one more for so many tables that it is in, since each is laid out within the one around it, and for so many
 *  others of more than mail usually has around it. */
const tablesPerWeight = 8
const usuallyOpen = 60
const openPerWeight = 40

/** A tag weighs more where a message's styles have more selectors: each is looked up for in each element. */
const selectorsPerWeight = 500

/** Letters of other scripts than Latin, Chinese, Japanese and Korean, and marks, take a browser some times as long to lay out. */
const slowLetters = /[^\0-\u02ff\u2010-\u2027\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]/g
const timesSlower = 5

/** Longer texts are cut, so that parts are about as long as they may be. */
const longestText = 10_000

/** Longer tags are opened again without their attributes. */
const longest = 1_000

/** The most tags that a part reopens from the one before. */
const mostOpen = 30

const empty = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'param',
  'source',
  'wbr',
])

/** The elements that an opening tag closes, and the element that limits this. */
const endedBy: Readonly<Record<string, { readonly ends: readonly string[]; readonly within: readonly string[] }>> = {
  p: { ends: ['p'], within: ['div', 'td', 'th', 'li', 'blockquote'] },
  li: { ends: ['li'], within: ['ul', 'ol'] },
  dt: { ends: ['dt', 'dd'], within: ['dl'] },
  dd: { ends: ['dt', 'dd'], within: ['dl'] },
  td: { ends: ['td', 'th'], within: ['table'] },
  th: { ends: ['td', 'th'], within: ['table'] },
  tr: { ends: ['tr'], within: ['table'] },
  tbody: { ends: ['thead', 'tbody', 'tfoot'], within: ['table'] },
  tfoot: { ends: ['thead', 'tbody', 'tfoot'], within: ['table'] },
}

/** Tags that nothing is opened by. */
const aside = new Set(['html', 'head', 'title', 'meta', 'link', 'script', 'noscript'])

/** Deeper nesting is ignored, as browsers do. */
const deepest = 500

interface Tag {
  readonly name: string
  readonly written: string
}

/** Cuts HTML, given as tags and the texts between them, into parts that are shown one below the other. What is open where it
 *  is cut, such as a table, is opened again. It does not sanitize: each part is as untrusted as the whole. */
export function htmlParts(pieces: readonly string[], selectors = 0): string[] {
  const usual = Math.max(1, selectors / selectorsPerWeight)
  const parts: string[] = []
  const open: Tag[] = []
  let part: string[] = []
  let weight = 0
  let characters = 0
  const add = (piece: string, itsWeight: number) => {
    if (part.length > 0 && (weight + itsWeight > most.weight || characters + lengthOf(piece) > most.characters)) {
      parts.push(part.join(''))
      part = open.slice(0, mostOpen).map(({ written }) => written)
      weight = part.length * usual
      characters = 0
    }
    part.push(piece)
    weight += itsWeight
    characters += lengthOf(piece)
  }
  for (const piece of pieces) {
    const [, end, name = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(piece)?.map((one) => one.toLowerCase()) ?? []
    if (name === '') for (const text of inLengths(piece)) add(text, 0)
    else {
      const tables = open.reduce((sum, one) => sum + Number(one.name === 'table'), 0)
      add(piece, usual + tables / tablesPerWeight + Math.max(0, open.length - usuallyOpen) / openPerWeight)
      if (end === '/') close(open, name)
      else if (!empty.has(name) && !aside.has(name)) {
        endOthers(open, name)
        if (open.length < deepest) open.push({ name, written: piece.length > longest ? `<${name}>` : piece })
      }
    }
  }
  parts.push(part.join(''))
  return parts
}

function lengthOf(piece: string): number {
  const slow = piece.startsWith('<') ? 0 : (piece.match(slowLetters)?.length ?? 0)
  return piece.length + slow * (timesSlower - 1)
}

/** Nothing but its own end tag ends a table. */
function close(open: Tag[], name: string): void {
  const at = open.findLastIndex((one) => one.name === name)
  const table = open.findLastIndex((one) => one.name === 'table')
  if (at >= table && at >= 0) open.length = at
}

function endOthers(open: Tag[], name: string): void {
  const rule = endedBy[name]
  if (!rule) return
  const within = open.findLastIndex((one) => rule.within.includes(one.name))
  const at = open.findIndex((one, index) => index > within && rule.ends.includes(one.name))
  if (at >= 0) open.length = at
}

/** Text in pieces that fit a part, cut between words if possible. */
function* inLengths(text: string): Generator<string> {
  let at = 0
  while (text.length - at > longestText) {
    const space = text.lastIndexOf(' ', at + longestText)
    const end = space > at ? space : at + longestText
    yield text.slice(at, end)
    at = end
  }
  yield text.slice(at)
}
