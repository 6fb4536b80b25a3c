import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

/** `::ffff:192.0.2.1` → `192.0.2.1`. */
export function unmappedAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** An address in its usual form, one that is IPv4-mapped as IPv4; undefined for any other text, and for an address with a
 *  zone (`%eth0`), which says something to its own machine alone. */
export function readAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  if (!isIPv6(text) || text.includes('%')) return undefined
  return unmappedAddress(new SocketAddress({ address: text, family: 'ipv6' }).address)
}

/** The network that limits apply to: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).join(':')
}

/** The addresses whose first `bits` are those of `address`. */
export interface Network {
  readonly address: string
  readonly bits: number
}

/** `192.0.2.0/24`, or an address for itself alone. An IPv4-mapped one counts as IPv4. Undefined for any other text. */
export function readNetwork(text: string): Network | undefined {
  const [, before = '', given] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = readAddress(before)
  if (address === undefined) return undefined
  const width = isIPv4(address) ? 32 : 128
  // Of an IPv4-mapped address the first 96 bits only say that it is one.
  const skipped = isIPv4(before) ? 0 : 128 - width
  const bits = given === undefined ? width : Number(given) - skipped
  return bits < 0 || bits > width ? undefined : { address, bits }
}

/** Whether an address is in one of the networks. */
export function insideOf(networks: readonly Network[]): (address: string) => boolean {
  const list = new BlockList()
  for (const { address, bits } of networks) list.addSubnet(address, bits, familyOf(address))
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}

/** Whether an address is this machine itself. */
export const isLoopback = insideOf([
  { address: '127.0.0.0', bits: 8 },
  { address: '::1', bits: 128 },
])

/** Special-purpose networks (RFC 6890). */
const special = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(network, bits)
  special.addSubnet(`64:ff9b::${network}`, 96 + bits, 'ipv6')
}
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 embeds an IPv4 address, which may be private.
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(network, bits, 'ipv6')

/** Global unicast (RFC 4291, section 2.4), and IPv4 addresses behind NAT64 (RFC 6052). */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')
global.addSubnet('64:ff9b::', 96, 'ipv6')

/** Whether the address is public: not loopback, private, link-local, multicast or reserved, nor an IPv6 address that embeds
 *  such an IPv4 address. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !special.check(address)
  // A zone (`%eth0`) makes it link-local.
  if (!isIPv6(address) || address.includes('%')) return false
  return global.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
