import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Undefined for text that is no address. The library alone also reads octal, hexadecimal and shortened IPv4 addresses. */
function parsed(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.parse(text.replace(/%.*/s, ''))
}

/** `::ffff:192.0.2.1` → `192.0.2.1`. */
export function unmappedAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** An address in its usual form, one that is IPv4-mapped as IPv4; undefined for any other text, and for an address with a
 *  zone (`%eth0`), which says something to its own machine alone. */
export function readAddress(text: string): string | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text).toString()
}

/** The network that limits apply to: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(text: string): string {
  const address = parsed(text)
  if (!(address instanceof ipaddr.IPv6)) return text
  return address.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
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

const global = ipaddr.IPv6.parseCIDR('2000::/3')
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Whether the address is public: global unicast (RFC 4291, section 2.4) outside special-purpose networks (RFC 6890), or such
 *  an IPv4 address behind NAT64 (RFC 6052). No other IPv6 address that embeds an IPv4 address is, nor one with a zone (`%eth0`),
 *  which is link-local. */
export function isPublic(text: string): boolean {
  const address = text.includes('%') ? undefined : parsed(text)
  if (!(address instanceof ipaddr.IPv6)) return address?.range() === 'unicast'
  if (address.match(nat64)) return new ipaddr.IPv4(address.toByteArray().slice(12)).range() === 'unicast'
  return address.match(global) && address.range() === 'unicast'
}
