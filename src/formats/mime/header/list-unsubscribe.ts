import type { Headers } from './headers.ts'

/** The ways to leave a list, by the header (RFC 2369, section 3.2; RFC 8058). */
export interface ListUnsubscribe {
  /** Web addresses, `https` or `http`. */
  readonly urls: string[]
  /** `mailto:` addresses. */
  readonly mailto: string[]
  /** A POST to the first `https` address leaves at once. The message's own claim. */
  readonly one_click: boolean
}

/** Addresses in all, and the characters of one. */
const most = 10
const longest = 2_000

/** Null if the header has no usable address. */
export function listUnsubscribe(headers: Headers): ListUnsubscribe | null {
  const value = headers.last('list-unsubscribe')?.slice(0, 2 * most * longest)
  const found = [...(value ?? '').matchAll(/<([^<>]*)>/g)]
    .slice(0, most)
    .flatMap(([, text = '']) => addressOf(text) ?? [])
  if (found.length === 0) return null
  const post = headers.last('list-unsubscribe-post') ?? ''
  const urls = found.filter(({ protocol }) => protocol !== 'mailto:')
  return {
    urls: urls.map(({ href }) => href),
    mailto: found.filter(({ protocol }) => protocol === 'mailto:').map(({ href }) => href),
    one_click:
      post.length <= 100 &&
      /^list-unsubscribe=one-click$/i.test(post) &&
      urls.some(({ protocol }) => protocol === 'https:'),
  }
}

/** White space within an address is none of it (RFC 2369, section 2). Other schemes are left out: a click may run them. */
function addressOf(text: string): URL | undefined {
  const address = text.replace(/\s/g, '')
  const url = address.length <= longest ? URL.parse(address) : null
  return url && ['https:', 'http:', 'mailto:'].includes(url.protocol) && url.href.length <= 3 * longest
    ? url
    : undefined
}
