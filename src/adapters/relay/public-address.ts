import { BlockList, isIPv4, isIPv6 } from 'node:net'

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
