import type { Outcome } from '#/out/relay/relay.ts'

/** Providers take mail by IPv6 only from addresses that have a name, with replies in words of their own. */
const words = [
  // RFC 7372: the check of the client's reverse name failed.
  /^[45]\d\d [45]\.7\.25\b/,
  /\bPTR\b|rDNS\b/i,
  /\breverse[- ]?(?:DNS|(?:host|domain)[- ]?name|name|look-?up|mapping|pointer|record|resolution|entry)/i,
  /\bfind your (?:host|domain)[- ]?name\b/i,
  /\bIPv6\b/i,
]

/** Whether the server refused the message or the recipient because of this machine's IPv6 address. It is certain then that it has not
 *  taken the message. */
export function refusesIpv6({ result, reply, ambiguous }: Outcome): boolean {
  return result !== 'delivered' && !ambiguous && reply !== null && words.some((one) => one.test(reply))
}
