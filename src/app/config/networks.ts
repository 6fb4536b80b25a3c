import { type Network, readNetwork } from '#/base/network/ip-address.ts'
import { quote, Unusable } from './reader.ts'

const loopback: readonly Network[] = [
  { address: '127.0.0.0', bits: 8 },
  { address: '::1', bits: 128 },
]

const trustedProxies = {
  way: 'addresses and networks of your reverse proxies, separated by commas: loopback,10.0.0.5,2001:db8::/64',
  everybody: 'everybody, who could then choose an address',
}
const imapProxies = {
  way: 'addresses and networks of your load balancers, separated by commas: loopback,10.0.0.5,2001:db8::/64',
  everybody: 'everybody, who could then choose an address',
}
const webhooks = {
  way: 'addresses and networks of your receivers of webhooks, separated by commas: 10.0.0.5,fd00:1::/64',
  everybody: 'everything, so that members of organizations could reach into your network',
}

/**
 * Reads addresses and networks separated by commas: `loopback, 10.0.0.5, 2001:db8::/64`. An IPv4-mapped one counts as IPv4.
 * @throws Unusable
 */
export function parseTrustedProxies(text: string): readonly Network[] {
  return networksIn(text, trustedProxies)
}

/** Reads them for IMAP. @throws Unusable */
export function parseImapProxies(text: string): readonly Network[] {
  return networksIn(text, imapProxies)
}

/** Reads them for webhooks. @throws Unusable */
export function parseWebhookNetworks(text: string): readonly Network[] {
  return networksIn(text, webhooks)
}

function networksIn(text: string, { way, everybody }: typeof webhooks): readonly Network[] {
  return text.split(',').flatMap((one) => {
    const trimmed = one.trim()
    if (trimmed === 'loopback') return loopback
    const network = readNetwork(trimmed)
    if (!network) throw new Unusable(`holds ${quote(trimmed)}: set it to ${way}`)
    if (network.bits === 0) throw new Unusable(`holds ${quote(trimmed)}, ${everybody}: set it to ${way}`)
    return network
  })
}
