import { type Network, readNetwork } from '#/ip-address.ts'
import { quote, Unusable } from './reader.ts'

const loopback: readonly Network[] = [
  { address: '127.0.0.0', bits: 8 },
  { address: '::1', bits: 128 },
]

/**
 * Reads addresses and networks separated by commas: `loopback, 10.0.0.5, 2001:db8::/64`. An IPv4-mapped one counts as IPv4.
 * @throws Unusable
 */
export function parseTrustedProxies(text: string): readonly Network[] {
  return text.split(',').flatMap((one) => (one.trim() === 'loopback' ? loopback : networkIn(one.trim())))
}

function networkIn(text: string): Network {
  const network = readNetwork(text)
  if (!network) throw unusable(text)
  if (network.bits === 0)
    throw new Unusable(`holds ${quote(text)}, everybody, who could then choose an address: set it to ${way}`)
  return network
}

const way = 'addresses and networks of your reverse proxies, separated by commas: loopback,10.0.0.5,2001:db8::/64'

function unusable(text: string): Unusable {
  return new Unusable(`holds ${quote(text)}: set it to ${way}`)
}
