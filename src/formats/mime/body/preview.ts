import { oneLine } from '../charset.ts'
import { htmlToText } from './html-text.ts'
import type { Part } from './part.ts'
import { partText } from './part-text.ts'
import type { Body } from './pieces.ts'
import { firstNewLines } from './quoted/new-text.ts'

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
      .flatMap((part) => firstNewLines(readable(raw, part, most), ENOUGH))
      .map((line) => line.trim())
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
