import { oneLine } from '../charset.ts'
import type { Body } from './content.ts'
import { htmlToText } from './html-text.ts'
import { partText } from './part-text.ts'
import type { Part } from './structure.ts'

/** In code points. */
const LENGTH = 140
/** Encoded bytes to read of a part: few at first, then enough for a long quotation or style sheet at the top. */
const LOOKS = [2 * 1024, 32 * 1024, 256 * 1024]
/** Enough text for a preview even without an attribution line at its end. */
const ENOUGH = 700

const MOST_PARTS = 10

/** The first 140 characters of a message's text (docs/reference/threads.md): white space folded; quoted lines, the line that
 *  introduces them, and HTML left out. Taken from the HTML if the text is empty. */
export function previewOf(raw: Buffer, body: Body): string {
  let preview = ''
  for (const { text, html } of body.pieces.slice(0, MOST_PARTS)) {
    preview += ` ${readText(raw, text) || readText(raw, html)}`
    if (preview.length > ENOUGH) break
  }
  return cut(oneLine(preview.slice(0, 2 * ENOUGH)).replace(/\s+/g, ' '))
}

function readText(raw: Buffer, parts: readonly Part[]): string {
  let text = ''
  for (const most of LOOKS) {
    text = parts
      .slice(0, MOST_PARTS)
      .map((part) => ownWords(readable(raw, part, most)))
      .join(' ')
      .trim()
    if (text.length > ENOUGH || parts.every(({ start, end }) => end - start <= most)) break
  }
  return text
}

function readable(raw: Buffer, part: Part, most: number): string {
  const text = partText(raw, part, most)
  return part.type === 'text/html' ? htmlToText(text, ENOUGH + 1) : text
}

/** The first unquoted lines. */
function ownWords(text: string): string {
  const lines: string[] = []
  let length = 0
  let inQuote = false
  for (let [start, end] = [0, 0]; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start)
    if (end < 0) end = text.length
    const line = text.slice(start, end).trim()
    const quoted = line.startsWith('>')
    if (quoted && !inQuote) dropAttribution(lines)
    // A run of empty lines ends a paragraph, like one.
    if (!quoted && (line !== '' || lines.at(-1))) lines.push(line)
    if (line !== '') inQuote = quoted
    length += quoted ? 0 : line.length
    if (length > ENOUGH) break
  }
  return lines.join(' ')
}

/** `On Monday, Ann wrote:`, in its own paragraph or at the end of one, and over as many as four lines. */
export function dropAttribution(lines: string[]): void {
  if (lines.at(-1) === '') lines.pop()
  if (!/[:：]$/.test(lines.at(-1) ?? '')) return
  const last = lines.slice(-4) // Not more: a paragraph may be long, with a quotation after each of its lines.
  const paragraph = last.slice(last.lastIndexOf('') + 1)
  for (let count = 1; count <= paragraph.length; count++) {
    if (OPENING.test(paragraph.at(-count) ?? '')) {
      lines.length -= count
      return
    }
  }
  const [before = '', wrote = ''] = ['', ...paragraph].slice(-2)
  if (WROTE.test(wrote) || ADDRESS.test(wrote)) lines.pop()
  else if (ADDRESS.test(before + wrote)) lines.length -= 2
}

/** How clients open the line, in the languages that most are set to: `On … wrote:`, `Am … schrieb …:`, `Le … a écrit :`. */
const OPENING = /^(on|am|le|el|em|il|op|den|dne|w dniu)\s/i
const WROTE = /\s(wrote|writes|schrieb|écrit|escribió|scritto)\s?:$/i
/** In any language, as Gmail writes it: `Ann <ann@x.example>:`, and perhaps a few words before the colon. */
const ADDRESS = /[<(][^\s<>()@]+@[^\s<>()@]+[>)].{0,40}[:：]$/

/** Cuts between graphemes: never within an emoji or before an accent. */
function cut(text: string): string {
  if (text.length <= LENGTH) return text
  let end = 0
  for (let count = 0; count < LENGTH && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  if (end >= text.length || text.charCodeAt(end) < 0x80) return text.slice(0, end)
  const character = graphemes.segment(text.slice(0, end + LENGTH)).containing(end)
  return text.slice(0, character?.index || end)
}

const graphemes = new Intl.Segmenter()
