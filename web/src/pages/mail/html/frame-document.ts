import { quotingClasses } from '../../../../../src/formats/mime/body/quoted/html-quotations.ts'
import type { Sanitized, Sheets } from './sanitize.ts'

/** Elements that quote the previous message, as mail programs mark them. */
const quotations = ['blockquote[type="cite"]', '#appendonsend', ...quotingClasses.map((name) => `.${name}`)].join(', ')

export interface FrameDocument {
  readonly html: string
  /** The same without its quotation; undefined if there is none, or nothing else. */
  readonly unquoted: string | undefined
  readonly isAllQuoted: boolean
}

/** The document of a message's frame, or of a part of the message. It has no script; its styles apply by the nonce of the page, whose
 *  content security policy the frame inherits and narrows: it loads nothing at all. */
export function frameDocument(
  { body, sheets, css }: Pick<Sanitized & Sheets, 'body' | 'sheets' | 'css'>,
  nonce: string,
  isPlain = isWithoutColours(`${sheets}${css}`, body.innerHTML),
): FrameDocument {
  const make = (content: HTMLElement) => wholeDocument(content.outerHTML, `${sheets}\n${css}`, { nonce, isPlain })
  const html = make(body)
  const quoted = body.querySelectorAll(quotations)
  if (quoted.length === 0) return { html, unquoted: undefined, isAllQuoted: false }
  const rest = body.cloneNode(true) as HTMLElement
  for (const element of rest.querySelectorAll(quotations)) element.remove()
  const isAllQuoted = rest.textContent.trim() === '' && rest.querySelector('img[src]') === null
  return { html, unquoted: isAllQuoted ? undefined : make(rest), isAllQuoted }
}

/** Whether a message leaves colours to its reader. */
export function isWithoutColours(css: string, html: string): boolean {
  return !/color|background/i.test(css) && !/\b(?:bg)?color=/i.test(html)
}

function wholeDocument(body: string, css: string, { nonce, isPlain }: { nonce: string; isPlain: boolean }): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:`
  return `<!doctype html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta http-equiv="x-dns-prefetch-control" content="off">
<style nonce="${nonce}">${isPlain ? plainLook : ownLook}${common}</style><style nonce="${nonce}">${css}</style></head>${body}</html>`
}

/** A message without colours of its own uses the reader's scheme; others were made for white paper. */
const plainLook = `:root{color-scheme:light dark;color:light-dark(#1d1d1b,#e9e8e5);background:light-dark(#fff,#1d1f21)}
a{color:light-dark(#0c6b66,#5cc5bd)}`
const ownLook = ':root{color-scheme:light;color:#1d1d1b;background:#fff}'
const common = `@layer base,message;@layer base{body{margin:0;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
img{max-width:100%}blockquote{margin-inline:.5em 0;padding-inline-start:.75em;border-inline-start:3px solid #8886}
pre{white-space:pre-wrap}}`
