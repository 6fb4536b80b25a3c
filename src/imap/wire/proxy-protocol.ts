import { isIP } from 'node:net'
import { readAddress } from '#/base/network/ip-address.ts'

/** Who a proxy says is connected, and to which of its addresses; undefined where it speaks for itself, as for a health check. */
export interface Proxied {
  readonly ends: { readonly address: string; readonly localAddress: string } | undefined
  /** How many octets the header has. */
  readonly length: number
}

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
const longestText = 107
/** More than any proxy adds to the addresses. */
const longestBinary = 4096

/** Reads a header of the PROXY protocol, version 1 or 2, from what begins a connection; undefined if it has not come whole, 'invalid'
 *  for anything else. */
export function readProxyHeader(octets: Buffer): Proxied | 'invalid' | undefined {
  const compared = Math.min(octets.length, SIGNATURE.length)
  if (octets.subarray(0, compared).equals(SIGNATURE.subarray(0, compared))) return readBinary(octets)
  const end = octets.subarray(0, longestText).indexOf('\r\n')
  if (end >= 0) return readText(octets.toString('latin1', 0, end), end + 2)
  const isBegun = 'PROXY '.startsWith(octets.toString('latin1', 0, 6))
  return isBegun && octets.length < longestText ? undefined : 'invalid'
}

function readText(line: string, length: number): Proxied | 'invalid' {
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return { ends: undefined, length }
  const [, family, from = '', to = ''] = /^PROXY TCP([46]) (\S+) (\S+) \d{1,5} \d{1,5}$/.exec(line) ?? []
  if (isIP(from) !== Number(family) || isIP(to) !== Number(family)) return 'invalid'
  return endsOf(from, to, length)
}

function readBinary(octets: Buffer): Proxied | 'invalid' | undefined {
  if (octets.length < 16) return undefined
  const length = 16 + octets.readUInt16BE(14)
  const [version, family] = [octets[12], octets[13]]
  if ((version !== 0x20 && version !== 0x21) || length > longestBinary) return 'invalid'
  if (octets.length < length) return undefined
  if (version === 0x20) return { ends: undefined, length }
  const addresses = octets.subarray(16, length)
  if (family === 0x11 && addresses.length >= 12) return endsOf(v4(addresses), v4(addresses.subarray(4)), length)
  if (family === 0x21 && addresses.length >= 36) return endsOf(v6(addresses), v6(addresses.subarray(16)), length)
  return 'invalid'
}

function endsOf(from: string, to: string, length: number): Proxied | 'invalid' {
  const [address, localAddress] = [readAddress(from), readAddress(to)]
  return address === undefined || localAddress === undefined ? 'invalid' : { ends: { address, localAddress }, length }
}

function v4(octets: Buffer): string {
  return octets.subarray(0, 4).join('.')
}

function v6(octets: Buffer): string {
  return Array.from({ length: 8 }, (_, at) => octets.readUInt16BE(2 * at).toString(16)).join(':')
}
