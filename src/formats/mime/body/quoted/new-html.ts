import { attributeOf, type Tag, tagsOf } from '../html-tags.ts'
import { quotingClasses } from './html-quotations.ts'

const left = new Set([...quotingClasses, 'gmail_signature', 'gmail_signature_prefix', 'moz-signature'])
/** Outlook's marks at the beginning of the answered message, which extends to the end. */
const lastIds = new Set(['appendonsend', 'divRplyFwdMsg', 'mail-editor-reference-message-container'])
/** The style of the element that has its header, with a line above, in Outlook for Windows. */
const outlookHeader = /^border:\s*none;\s*border-top:\s*solid #(?:e1e1e1|b5c4df) 1\.0pt/i
/** A tag without one of these needs no closer look. */
const telling = /cite|quote|signature|appendonsend|divRplyFwdMsg|reference-message|border-top/
const empty = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr'])

/** HTML without what it quotes and without signatures, as mail programs mark these; all else as it is. Elements that are open where
 *  the quoted message begins stay open. Takes linear time. */
export function newHtml(html: string): string {
  let kept = ''
  let from = 0
  let leftOut: LeftOut | undefined
  for (const tag of tagsOf(html)) {
    const { name, closing, start, end } = tag
    if (leftOut) {
      const is = leftOut.meet(html, tag)
      if (is === 'within') continue
      // The rest of the element is the author's.
      if (is === 'answered') kept += html.slice(leftOut.tag.start, leftOut.tag.end)
      leftOut = undefined
      from = end
    } else if (!closing) {
      const use = useOf(html, tag)
      if (use === 'new') continue
      kept += html.slice(from, start)
      if (use === 'last') return kept
      if (empty.has(name)) from = end
      else leftOut = new LeftOut(html, tag)
    }
  }
  return leftOut ? kept : kept + html.slice(from)
}

/** An element that is left out. */
class LeftOut {
  readonly tag: Tag
  /** Gmail puts the quotation into an element, and so answers that are written between parts of the quotation. */
  readonly #mayBeAnswered: boolean
  #depth = 1
  #quotations = 0

  constructor(html: string, tag: Tag) {
    this.tag = tag
    this.#mayBeAnswered = tag.name !== 'blockquote' && hasClass(html, tag, isGmailQuote)
  }

  /** Whether the next tag is within it, ends it, or ends the first part of a quotation in it. */
  meet(html: string, tag: Tag): 'within' | 'end' | 'answered' {
    const step = tag.closing ? -1 : 1
    if (this.#mayBeAnswered && tag.name === 'blockquote') {
      const begins = !tag.closing && this.#depth === 1 && hasClass(html, tag, isGmailQuote)
      if (this.#quotations === 0 && !begins) return 'within'
      this.#quotations += step
      return this.#quotations === 0 ? 'answered' : 'within'
    }
    if (tag.name === this.tag.name) this.#depth += step
    return this.#depth > 0 ? 'within' : 'end'
  }
}

function isGmailQuote(name: string): boolean {
  return name === 'gmail_quote'
}

/** `last`: it and all behind it is not new. */
function useOf(html: string, { name, start, end }: Tag): 'new' | 'left' | 'last' {
  const tag = html.slice(start, end)
  if (!telling.test(tag)) return 'new'
  if (lastIds.has(attributeOf(tag, 'id')) || (name === 'div' && outlookHeader.test(attributeOf(tag, 'style'))))
    return 'last'
  if (name === 'blockquote' && attributeOf(tag, 'type').toLowerCase() === 'cite') return 'left'
  return hasClass(html, { start, end }, (one) => left.has(one)) ? 'left' : 'new'
}

function hasClass(html: string, { start, end }: Pick<Tag, 'start' | 'end'>, is: (name: string) => boolean): boolean {
  return attributeOf(html.slice(start, end), 'class').split(/\s+/).some(is)
}
