import { decodeHTML } from 'entities/decode'

/** Tags that start a new line, and those with an empty line around their content. */
const LINES = new Set(
  'address article aside br center dd div dl dt fieldset footer form header hr li main nav ol pre section table tbody thead tr ul'.split(
    ' ',
  ),
)
const PARAGRAPHS = new Set('blockquote h1 h2 h3 h4 h5 h6 p'.split(' '))
const CELLS = new Set(['td', 'th'])
/** Elements whose content is not shown, and where each ends. */
const HIDDEN = new Map(['script', 'style', 'template', 'title'].map((name) => [name, new RegExp(`</${name}`, 'gi')]))

/** Converts HTML to plain text: without tags, comments, styles and scripts, with decoded entities, folded white space, and `> `
 *  before lines of a blockquote. Stops after `enough` unquoted characters. Takes linear time, whatever is unclosed. */
export function htmlToText(html: string, enough = Number.POSITIVE_INFINITY): string {
  const text = new TextLines()
  let at = 0
  /** A quote in a tag has no end: from then on tags end at their first `>`. */
  let quotesBroken = false
  while (at < html.length && text.unquoted < enough) {
    const open = nextTag(html, at)
    text.add(decodeHTML(html.slice(at, open)))
    const name = tagName(html, open + 1)
    if (name === undefined) break
    const closing = html[open + 1] === '/'
    if (name.startsWith('!--')) at = after(html, '-->', open + 4)
    else {
      const end: number | undefined = quotesBroken ? undefined : tagEnd(html, open)
      quotesBroken ||= end === undefined
      at = end ?? after(html, '>', open)
      const hidden = closing ? undefined : HIDDEN.get(name)
      if (hidden) at = endOfHidden(html, hidden, at)
      else text.tag(name, closing)
    }
  }
  return text.toString()
}

/** The next `<` that starts a tag; the end where none does. */
function nextTag(html: string, from: number): number {
  let open = html.indexOf('<', from)
  while (open >= 0 && tagName(html, open + 1) === undefined) open = html.indexOf('<', open + 1)
  return open < 0 ? html.length : open
}

/** Collects lines. */
class TextLines {
  /** The number of unquoted characters. */
  unquoted = 0
  #text = ''
  #quoteDepth = 0
  #breaks = 0
  #space = false

  add(text: string): void {
    const folded = text.replace(/[ \t\r\n\f]+/g, ' ')
    const words = folded.trim() === '' ? '' : folded.replace(/^ | $/g, '')
    if (words !== '') {
      if (this.#text !== '' && this.#breaks > 0) this.#text += '\n'.repeat(Math.min(2, this.#breaks))
      if (this.#text === '' || this.#breaks > 0) this.#text += '> '.repeat(Math.min(5, this.#quoteDepth))
      else if (this.#space || folded.startsWith(' ')) this.#text += ' '
      this.#breaks = 0
      this.#text += words
      if (this.#quoteDepth === 0) this.unquoted += words.length
    }
    this.#space = folded.endsWith(' ') || (this.#space && words === '')
  }

  tag(name: string, closing: boolean): void {
    if (name === 'br') this.#breaks++
    else if (PARAGRAPHS.has(name)) this.#breaks = 2
    else if (LINES.has(name)) this.#breaks = Math.max(1, this.#breaks)
    else if (CELLS.has(name)) this.#space = true
    if (name === 'blockquote') this.#quoteDepth = Math.max(0, this.#quoteDepth + (closing ? -1 : 1))
  }

  toString(): string {
    return this.#text
  }
}

/** In lower case; undefined if the `<` starts no tag. */
function tagName(html: string, at: number): string | undefined {
  TAG_NAME.lastIndex = at
  return TAG_NAME.exec(html)?.[1]?.toLowerCase()
}
const TAG_NAME = /\/?([a-z][a-z0-9:-]{0,30}|!--|[!?/])/iy

/** The place after the tag's `>` outside of quotes; undefined if there is none. */
function tagEnd(html: string, open: number): number | undefined {
  let quote = 0
  for (let at = open + 1; at < html.length; at++) {
    const code = html.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === 0x3e) return at + 1
    else if ((code === 0x22 || code === 0x27) && html.charCodeAt(at - 1) === 0x3d) quote = code
  }
  return undefined
}

function after(html: string, what: string, from: number): number {
  const found = html.indexOf(what, from)
  return found < 0 ? html.length : found + what.length
}

function endOfHidden(html: string, closing: RegExp, from: number): number {
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}
