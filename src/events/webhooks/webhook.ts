import { isIP } from 'node:net'
import { invalid } from '#/base/errors.ts'
import { properName } from '#/base/text/text.ts'
import type { Allowed } from '#/http/public-http/public-http.ts'

/** Webhooks of an organization. */
export const mostWebhooks = 20
/** The most waiting deliveries of a webhook; with more it reads no further events. */
export const mostWaiting = 1_000
/** How long a replaced secret still signs, in milliseconds. */
export const previousForMs = 24 * 3_600_000

/** The networks that requests may reach, by scheme: TLS or plain HTTP. */
export type AllowedBy = Readonly<Partial<Record<'http:' | 'https:', Allowed>>>

/** What allows other URLs than those at public addresses. */
const byOperator =
  'For a receiver in a network of your own the operator names that network in MAILROOM_WEBHOOK_NETWORKS, which allows http:// there too'

/** The URL of a receiver. The addresses of its name are checked at connection. @throws Refusal */
export function receiverUrl(text: string, allowed: AllowedBy): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalid('url', 'url is not an HTTPS URL', 'Give one such as https://receiver.example/mail')
  const allows = allowed[url.protocol]
  if (!allows) throw invalid('url', 'url must begin with https://', byOperator)
  if (url.username || url.password)
    throw invalid('url', 'url must not hold a user or a password', 'Verify the signature')
  if (url.hash || text.endsWith('#')) throw invalid('url', 'url must not have a fragment')
  const { port } = url
  if (port !== '' && Number(port) < 1_024 && !['80', '443'].includes(port))
    throw invalid('url', 'The port of url must be 80, 443, or above 1023')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) && !allows(host)) throw invalid('url', 'The address in url is not public', byOperator)
  return url.href
}

/** A name for lists. @throws Refusal */
export function webhookName(given: string): string {
  return given === '' ? '' : properName('name', given, 64)
}
