import { Type } from '#/http/schemas/type.ts'

/** The schema of an answer that is octets. */
export function binary(description: string, type: string) {
  return { 200: { description, content: { [type]: { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } } } }
}

/** Types that a browser would run or show as a page of this origin. */
const active =
  /^(text\/(html|xml|css)|.*\/(x-)?(javascript|ecmascript|shockwave-flash)|application\/(xml|xhtml)|.*\+xml)$/

const plain = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/

/** Headers for untrusted bytes, so that browsers only save them: the type is harmless, must not be guessed, and is
 *  sandboxed. */
export function downloadHeaders(filename: string, contentType: string): Record<string, string> {
  const type = contentType.toLowerCase()
  return {
    'Content-Type': plain.test(type) && !active.test(type) ? type : 'application/octet-stream',
    'Content-Disposition': contentDisposition(filename),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}

/** `attachment` with the name twice (RFC 6266, appendix D): in ASCII, and in UTF-8 (RFC 8187) where that differs. */
export function contentDisposition(filename: string): string {
  const name = safeName(filename)
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  if (ascii === name) return `attachment; filename="${name}"`
  const encoded = encodeURIComponent(name).replace(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** A name of at most 200 characters, without a path, controls and bidirectional marks. */
function safeName(filename: string): string {
  const name = filename
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufffd]/gu, '')
    .replace(/[/\\:]/g, '_')
    .trim()
    .replace(/^\.+/, '')
  const chars = [...name]
  if (chars.length <= 200) return name || 'attachment'
  const extension = /\.[^.]{1,16}$/u.exec(name)?.[0] ?? ''
  return chars.slice(0, 200 - [...extension].length).join('') + extension
}
