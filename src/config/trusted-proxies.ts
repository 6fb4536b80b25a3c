import { isIPv4 } from 'node:net'
import { type Network, readAddress } from '#/ip-address.ts'
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
  const [, before = '', given] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = readAddress(before)
  if (address === undefined) throw unusable(text)
  const width = isIPv4(address) ? 32 : 128
  // Of an IPv4-mapped address the first 96 bits only say that it is one.
  const skipped = isIPv4(before) ? 0 : 128 - width
  const bits = given === undefined ? width : Number(given) - skipped
  if (bits === 0)
    throw new Unusable(`holds ${quote(text)}, everybody, who could then choose an address: set it to ${way}`)
  if (bits < 0 || bits > width) throw unusable(text)
  return { address, bits }
}

const way = 'addresses and networks of your reverse proxies, separated by commas: loopback,10.0.0.5,2001:db8::/64'

function unusable(text: string): Unusable {
  return new Unusable(`holds ${quote(text)}: set it to ${way}`)
}
