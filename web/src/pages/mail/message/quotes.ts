export interface Part {
  readonly isQuoted: boolean
  readonly text: string
}

const introduction = /^.{0,200}(wrote|schrieb|écrit|escribió|scrisse|skrev|schreef)\s*:\s*$/i

/** A text in quoted and unquoted parts. The line that introduces a quotation belongs to it. */
export function partsOf(text: string): Part[] {
  const parts: { isQuoted: boolean; lines: string[] }[] = []
  for (const line of text.trimEnd().split('\n')) {
    const last = parts.at(-1)
    const isQuoted = line.startsWith('>') || (last?.isQuoted === true && line.trim() === '')
    if (last && last.isQuoted === isQuoted) last.lines.push(line)
    else parts.push({ isQuoted, lines: isQuoted ? [...introducing(last?.lines), line] : [line] })
  }
  return parts
    .map(({ isQuoted, lines }) => ({ isQuoted, text: lines.join('\n').replace(/^\n+/, '').trimEnd() }))
    .filter(({ text: part }) => part !== '')
}

/** Removes the introduction of a quotation from the end of the text before it. */
function introducing(lines: string[] | undefined): string[] {
  let at = (lines?.length ?? 0) - 1
  while (at >= 0 && lines?.[at]?.trim() === '') at--
  if (!lines || at < 0 || !introduction.test(lines.slice(Math.max(0, at - 1), at + 1).join(' '))) return []
  const isBroken = at > 0 && lines[at - 1]?.trim() !== '' && (lines[at - 2] ?? '').trim() === ''
  return lines.splice(isBroken ? at - 1 : at)
}

/** Of a portion: it is rendered and laid out in one task. */
const most = { blocks: 300, characters: 20_000 }

const longestBlock = 5_000

/** Parts in portions that do not hold the page. A long part is cut between lines. */
export function portionsOf(parts: readonly Part[]): Part[][] {
  const portions: Part[][] = []
  let portion: Part[] = []
  let characters = 0
  for (const { isQuoted, text } of parts)
    for (const block of blocksOf(text)) {
      if (portion.length === most.blocks || characters + block.length > most.characters) {
        portions.push(portion)
        portion = []
        characters = 0
      }
      portion.push({ isQuoted, text: block })
      characters += block.length
    }
  return [...portions, portion]
}

function* blocksOf(text: string): Generator<string> {
  let at = 0
  while (text.length - at > longestBlock) {
    const line = text.lastIndexOf('\n', at + longestBlock)
    const end = line > at ? line : at + longestBlock
    yield text.slice(at, end)
    at = line > at ? end + 1 : end
  }
  yield text.slice(at)
}

export interface Piece {
  readonly text: string
  readonly href?: string
}

/** A text with its addresses, of pages and of mail. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = []
  let end = 0
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"'`{}|\\^]{1,2000}/gi)) {
    // Punctuation behind the address, and a bracket that was opened before it, are not part of it.
    const url = match[0].replace(/[.,;:!?*_~]+$/, '')
    const href = url.endsWith(')') && !url.includes('(') ? url.slice(0, -1) : url
    if (match.index > end) found.push({ text: text.slice(end, match.index) })
    found.push({ text: href, href })
    end = match.index + href.length
  }
  if (end < text.length) found.push({ text: text.slice(end) })
  return found
}
