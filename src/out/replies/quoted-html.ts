import { forwardedHeader, introduction, type Quoted, quotable } from './quote.ts'
import type { Mode } from './rules.ts'

/** The text of a message, quoted in HTML. Made from the text, so that no HTML of the message gets into the answer. */
export function quotedHtml(quoted: Quoted, mode: Mode = 'reply'): string {
  if (mode === 'forward')
    return `<br><div>${escaped(forwardedHeader(quoted))}</div><br><div>${escaped(quotable(quoted))}</div>`
  return `<br><div>${escaped(introduction(quoted))}</div><blockquote type="cite">${escaped(quotable(quoted))}</blockquote>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '<br>\n')
}
