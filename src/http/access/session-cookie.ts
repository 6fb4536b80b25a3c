import type { IncomingHttpHeaders } from 'node:http'
import { insideOf } from '#/ip-address.ts'

/** The cookies of a browser, and what tells that it sent them for a page of ours. */

/** Of a member's session, and of a single sign-on that has begun. Over TLS `__Host-` stands in front, with which a browser takes a
 *  cookie for the whole of this host and no other, and from no other (RFC 6265bis, section 4.1.3). */
type Cookie = 'mailroom_session' | 'mailroom_single_sign_on'

const isLoopbackAddress = insideOf([
  { address: '127.0.0.0', bits: 8 },
  { address: '::1', bits: 128 },
])

/** Whether the browser has come by TLS: always, unless it is on the same machine and no public URL says otherwise. */
function isOverTls({ host = '' }: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  if (publicUrl?.startsWith('https:')) return true
  const name = host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  return !(name === 'localhost' || isLoopbackAddress(name))
}

/** The origin under which a browser that sends these headers reaches the service. */
export function requestOrigin(headers: IncomingHttpHeaders, publicUrl: string | undefined): string {
  return publicUrl ?? namedOrigin(headers, publicUrl)
}

/** By the host that the request names. */
function namedOrigin(headers: IncomingHttpHeaders, publicUrl: string | undefined): string {
  const scheme = isOverTls(headers, publicUrl) ? 'https:' : 'http:'
  return `${scheme}//${(headers.host ?? '').toLowerCase()}`
}

/** The token in a cookie of a request. Undefined where there is none, or several. */
export function tokenIn(
  cookie: Cookie,
  headers: IncomingHttpHeaders,
  publicUrl: string | undefined,
): string | undefined {
  if (headers.cookie === undefined) return undefined
  const name = isOverTls(headers, publicUrl) ? `__Host-${cookie}` : cookie
  const pairs = headers.cookie.split(';').map((pair) => pair.trim())
  const [token, ...others] = pairs.filter((pair) => pair.startsWith(`${name}=`))
  return others.length > 0 ? undefined : token?.slice(name.length + 1)
}

/** The value of Set-Cookie that gives a browser a token for so many seconds; 0 takes it away. */
export function cookieWith(
  cookie: Cookie,
  headers: IncomingHttpHeaders,
  publicUrl: string | undefined,
  { token, seconds }: { readonly token: string; readonly seconds: number },
): string {
  const [prefix, secure] = isOverTls(headers, publicUrl) ? ['__Host-', '; Secure'] : ['', '']
  return `${prefix}${cookie}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** The token of a member's session. */
export function sessionToken(headers: IncomingHttpHeaders, publicUrl: string | undefined): string | undefined {
  return tokenIn('mailroom_session', headers, publicUrl)
}

/**
 * Whether a browser says that a page of ours sends the request; undefined where nothing is said, as by programs. Pages cannot
 * set these fields (Fetch, section 2.2.2). A browser that sends no Sec-Fetch-Site sends Origin with what is unsafe.
 */
export function isFromOurPage(headers: IncomingHttpHeaders, publicUrl: string | undefined): boolean | undefined {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  if (origin === undefined) return undefined
  if (publicUrl !== undefined && origin === publicUrl) return true
  return origin.toLowerCase() === namedOrigin(headers, publicUrl)
}
