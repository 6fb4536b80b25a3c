import { forwardedField } from '../../../../../src/formats/mime/header/forwarded-field.ts'
import type { Draft } from '../../../api/generated.ts'
import { liftedPieces, liftStyles } from '../../mail/html/lift-styles.ts'
import { carried } from '../attachments/carry.ts'
import { bare } from '../recipients/addresses.ts'
import { blank, type Quoted, type Writing } from '../writing.ts'

/** A draft of the service as a message in the composer, with its files on this device. `senders` may send it. */
export async function writingOf(draft: Draft, senders: readonly string[]): Promise<Writing> {
  const { id, version, mailbox, message, to, cc, bcc, subject, text, html, in_reply_to, references, attachments } =
    draft
  const forwards = draft.headers[forwardedField]
  const from = senders.find((one) => one.toLowerCase() === bare(draft.from).toLowerCase()) ?? mailbox
  const { rest, quoted } = html === null ? { rest: '' } : parted(html)
  const whole = (text ?? '').trimEnd()
  const [own, quotedText] = quoted ? split(whole, quoted.start) : [whole, '']
  const writing = { ...blank(from), to, cc, bcc, subject, isRich: html !== null, html: rest, text: own }
  const files = await Promise.all(attachments.map((one) => carried(writing.key, message, one)))
  return {
    ...writing,
    ...{ files, draft: { id, message, version, files }, isSaved: true },
    ...(html !== null && liftedPieces(html).comments.length > 0 && { hasUnseen: true }),
    ...(rest !== '' && { isFormattedElsewhere: hasMore(rest) }),
    ...(quoted && { quoted: { html: quoted.html, text: quotedText } }),
    ...(in_reply_to[0] !== undefined && { inReplyTo: in_reply_to[0], references }),
    ...(typeof forwards === 'string' && { forwards }),
  }
}

/** Elements and styles that the editor drops (`editor/schema.ts`). */
const unknownToEditor = [
  'table, h1, h2, h3, h4, h5, h6, hr, pre, font, center, sub, sup, s, strike, del, small, big, dl, svg, video',
  'img:not([src^="cid:"]), [align], [bgcolor], [data-own-style]',
].join()

function hasMore(html: string): boolean {
  return new DOMParser().parseFromString(liftStyles(html).html, 'text/html').querySelector(unknownToEditor) !== null
}

/** Splits the quotation off the end of a draft, as the composer added it. */
function parted(html: string): { rest: string; quoted?: { html: string; start: string } } {
  const { body } = new DOMParser().parseFromString(liftStyles(html).html, 'text/html')
  for (const element of body.querySelectorAll('[data-own-style]')) {
    const style = element.getAttribute('data-own-style') ?? ''
    element.removeAttribute('data-own-style')
    if (element instanceof HTMLElement) element.style.cssText = style
  }
  const first = body.querySelector(
    ':scope > .moz-cite-prefix:nth-last-child(2), :scope > .moz-forward-container:last-child',
  )
  if (!first) return { rest: body.innerHTML }
  const start =
    (first.className === 'moz-cite-prefix' ? first : first.querySelector('p'))?.firstChild?.textContent ?? ''
  const parts = first.nextElementSibling ? [first, first.nextElementSibling] : [first]
  const quoted = parts.map((part) => part.outerHTML).join('')
  const blankLine = first.previousElementSibling
  for (const part of parts) part.remove()
  if (blankLine?.textContent === '' && blankLine.children.length === 1) blankLine.remove()
  return { rest: body.innerHTML, quoted: { html: quoted, start } }
}

/** The text, and its quotation from the line that begins so. */
function split(text: string, start: string): [string, Quoted['text']] {
  const at = start === '' ? -1 : text.lastIndexOf(start.trim())
  return at < 0 ? [text, ''] : [text.slice(0, at).trimEnd(), text.slice(at)]
}
