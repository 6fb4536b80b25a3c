import { quoteLines } from '../../../../../src/out/replies/quote-lines.ts'
import type { Message } from '../../../api/generated.ts'
import { inFull } from '../../../parts/time/time.tsx'
import { htmlSize } from '../../mail/html/html-size.ts'
import { liftStyles } from '../../mail/html/lift-styles.ts'
import { sanitize } from '../../mail/html/sanitize.ts'
import { written } from '../recipients/addresses.ts'
import type { Quoted } from '../writing.ts'
import type { Mode } from './answer.ts'

/** A message as quoted below an answer, or forwarded. Mail programs know the classes, and fold elements with them.
 *  `pictures` are its own, by Content-ID, as `data:` URLs. It answers the Content-IDs of those that are shown, to be copied too. */
export function quotationOf(
  message: Message,
  mode: Mode,
  pictures: ReadonlyMap<string, string>,
): Quoted & { readonly shown: ReadonlySet<string> } {
  const { html, text: plainText } = message
  // Large HTML would hold the page. It is quoted as it is read: as text.
  const { inner, shown } =
    html === null || htmlSize(html) !== 'usual'
      ? { inner: linesAsHtml(plainText ?? (html === null ? '' : message.preview)), shown: new Set<string>() }
      : harmless(html, pictures)
  const text = plainText ?? textIn(inner)
  if (mode === 'forward') {
    const head = headOf(message)
    return {
      html: `<div class="moz-forward-container"><p>${head.map(escaped).join('<br>')}</p>${inner}</div>`,
      shown,
      text: `${head.join('\n')}\n\n${text}`,
    }
  }
  const introduction = `On ${inFull(message.date ?? message.received_at)}, ${written(message.from)} wrote:`
  return {
    html: `<div class="moz-cite-prefix">${escaped(introduction)}</div><blockquote type="cite">${inner}</blockquote>`,
    shown,
    text: `${introduction}\n${quoteLines(text.trimEnd())}`,
  }
}

function headOf(message: Message): string[] {
  const people = (name: string, list: Message['to']) =>
    list.length > 0 ? [`${name}: ${list.map(written).join(', ')}`] : []
  return [
    '---------- Forwarded message ----------',
    `From: ${written(message.from)}`,
    `Date: ${inFull(message.date ?? message.received_at)}`,
    `Subject: ${message.subject}`,
    ...people('To', message.to),
    ...people('Cc', message.cc),
  ]
}

/** Without active and remote elements. Style attributes stay, sheets do not. */
function harmless(html: string, pictures: ReadonlyMap<string, string>) {
  const { body, css } = sanitize(html, pictures)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  for (const rule of sheet.cssRules) {
    if (!(rule instanceof CSSStyleRule)) continue
    const name = /^\[data-style="(\d+)"\]$/.exec(rule.selectorText)?.[1]
    if (name === undefined) continue
    for (const element of body.querySelectorAll<HTMLElement>(`[data-style="${name}"]`))
      element.style.cssText = rule.style.cssText
  }
  for (const element of body.querySelectorAll('[data-style]')) element.removeAttribute('data-style')
  const ids = new Map([...pictures].map(([id, url]) => [url, id]))
  const shown = new Set<string>()
  for (const image of body.querySelectorAll('img[src]')) {
    const id = ids.get(image.getAttribute('src') ?? '')
    if (id === undefined) continue
    image.setAttribute('src', `cid:${id}`)
    shown.add(id)
  }
  return { inner: body.innerHTML, shown }
}

/** The text of HTML, by lines. */
function textIn(html: string): string {
  const { body } = new DOMParser().parseFromString(liftStyles(html).html, 'text/html')
  const lines = 'br, p, div, li, tr, h1, h2, h3, h4, h5, h6, blockquote, pre'
  for (const element of body.querySelectorAll(lines)) element.after('\n')
  const words = body.textContent.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())
  return words
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

export function linesAsHtml(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `<div>${escaped(line) || '<br>'}</div>`)
    .join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
