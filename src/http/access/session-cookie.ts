import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '#/base/network/ip-address.ts'

/** The cookies of a browser, and whether it sent them for a page of ours. */

/** For a member's session, and for a pending single sign-on. Over TLS with the prefix `__Host-`: browsers accept and send
 *  such a cookie for this host only (RFC 6265bis, section 4.1.3). */
type Cookie = 'mailroom_session' | 'mailroom_single_sign_on'

/** Whether the browser uses TLS: always, unless it is on the same machine and no public URL says otherwise. */
function isOverTls({ host = '' }: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  if (publicUrl?.startsWith('https:')) return true
  const name = host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  return !(name === 'localhost' || isLoopback(name))
}

/** The origin under which a browser that sends these headers reaches the service. */
export function requestOrigin(headers: IncomingHttpHeaders, publicUrl: string | undefined): string {
  return publicUrl ?? namedOrigin(headers, publicUrl)
}

/** By the host in the request. */
function namedOrigin(headers: IncomingHttpHeaders, publicUrl: string | undefined): string {
  const scheme = isOverTls(headers, publicUrl) ? 'https:' : 'http:'
  return `${scheme}//${(headers.host ?? '').toLowerCase()}`
}

/** The token in a cookie of a request. Undefined if there is none, or several. */
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

/** The value of Set-Cookie that stores a token for so many seconds; 0 deletes it. */
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

/** Whether a browser says that our own page makes the request; undefined without that, as from programs. Pages cannot set
 *  these fields (Fetch, section 2.2.2). A browser without Sec-Fetch-Site sends Origin with unsafe requests. */
export function isFromOurPage(headers: IncomingHttpHeaders, publicUrl: string | undefined): boolean | undefined {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  if (origin === undefined) return undefined
  if (publicUrl !== undefined && origin === publicUrl) return true
  return origin.toLowerCase() === namedOrigin(headers, publicUrl)
}
