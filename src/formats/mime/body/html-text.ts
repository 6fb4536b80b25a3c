import { decodeHTML } from 'entities/decode'
import { tagsOf } from './html-tags.ts'

/** Tags that start a new line, and those with an empty line around their content. */
const LINES = new Set(
  'address article aside br center dd div dl dt fieldset footer form header hr li main nav ol pre section table tbody thead tr ul'.split(
    ' ',
  ),
)
const PARAGRAPHS = new Set('blockquote h1 h2 h3 h4 h5 h6 p'.split(' '))
const CELLS = new Set(['td', 'th'])
/** Converts HTML to plain text: without tags, comments, styles and scripts, with decoded entities, folded white space except in
 *  preformatted text, and `> ` before lines of a blockquote. Stops after `enough` unquoted characters. Takes linear time, whatever is unclosed. */
export function htmlToText(html: string, enough = Number.POSITIVE_INFINITY): string {
  const text = new TextLines()
  let at = 0
  for (const { name, closing, start, end } of tagsOf(html)) {
    text.add(decodeHTML(html.slice(at, start)))
    text.tag(name, closing)
    at = end
    if (text.unquoted >= enough) return text.toString()
  }
  text.add(decodeHTML(html.slice(at)))
  return text.toString()
}

/** Collects lines. */
class TextLines {
  /** The number of unquoted characters. */
  unquoted = 0
  #text = ''
  #quoteDepth = 0
  #breaks = 0
  #space = false
  #preformatted = 0
  /** Preformatted text begins. */
  #begins = false

  add(text: string): void {
    if (this.#preformatted > 0) this.#addLines(text)
    else this.#addFolded(text)
  }

  tag(name: string, closing: boolean): void {
    if (name === 'br') this.#breaks++
    else if (PARAGRAPHS.has(name)) this.#breaks = 2
    else if (LINES.has(name)) this.#breaks = Math.max(1, this.#breaks)
    else if (CELLS.has(name)) this.#space = true
    const step = closing ? -1 : 1
    if (name === 'blockquote') this.#quoteDepth = Math.max(0, this.#quoteDepth + step)
    if (name !== 'pre') return
    this.#preformatted = Math.max(0, this.#preformatted + step)
    this.#begins = !closing
    this.#space = false
  }

  toString(): string {
    return this.#text
  }

  #addFolded(text: string): void {
    const folded = text.replace(/[ \t\r\n\f]+/g, ' ')
    const words = folded.trim() === '' ? '' : folded.replace(/^ | $/g, '')
    if (words !== '') this.#put(words, this.#space || folded.startsWith(' ') ? ' ' : '')
    this.#space = folded.endsWith(' ') || (this.#space && words === '')
  }

  /** As they are, but for the line break with which they may begin. */
  #addLines(text: string): void {
    const lines = text.replace(/\r\n?/g, '\n').split('\n')
    if (this.#begins && lines.length > 1 && lines[0] === '') lines.shift()
    this.#begins = false
    for (const [place, line] of lines.entries()) {
      if (place > 0) this.#breaks++
      if (line !== '') this.#put(line, '')
    }
  }

  #put(words: string, between: string): void {
    if (this.#text !== '' && this.#breaks > 0) this.#text += '\n'.repeat(Math.min(2, this.#breaks))
    if (this.#text === '' || this.#breaks > 0) this.#text += '> '.repeat(Math.min(5, this.#quoteDepth))
    else this.#text += between
    this.#breaks = 0
    this.#text += words
    if (this.#quoteDepth === 0) this.unquoted += words.length
  }
}
