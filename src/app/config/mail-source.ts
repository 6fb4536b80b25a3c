import { isIPv4, isIPv6 } from 'node:net'
import type { MailSource } from '#/out/relay/servers.ts'
import { quote, type Reader, Unusable } from './reader.ts'

const addressesName = 'MAILROOM_OUTBOUND_ADDRESSES'
const familyName = 'MAILROOM_OUTBOUND_FAMILY'

/** Where addresses of one family alone are named, mail leaves by that one: by the other the system would choose the address. */
export function readMailSource(read: Reader): MailSource {
  const { ipv4, ipv6 } = read.value(addressesName, parseAddresses) ?? { ipv4: undefined, ipv6: undefined }
  const named = ipv4 !== undefined && ipv6 === undefined ? 4 : ipv6 !== undefined && ipv4 === undefined ? 6 : 'any'
  return { family: read.value(familyName, parseFamily) ?? named, ipv4, ipv6 }
}

/** Addresses of which none would be used. */
export function mailSourceProblems({ family, ipv4, ipv6 }: MailSource): string[] {
  const [own, other] = family === 4 ? [ipv4, ipv6] : [ipv6, ipv4]
  if (family === 'any' || own !== undefined || other === undefined) return []
  return [
    `${addressesName} has no IPv${family} address although ${familyName} is ${family}: add one, or unset one of the two`,
  ]
}

function parseAddresses(text: string): Pick<MailSource, 'ipv4' | 'ipv6'> {
  const addresses = text.split(',').map((one) => one.trim())
  const isV6 = (address: string) => isIPv6(address) && !address.includes('%')
  const wrong = addresses.find((address) => !isIPv4(address) && !isV6(address))
  const way = 'set it to an IPv4 address and an IPv6 address of this machine, separated by a comma, or to one of them'
  if (wrong !== undefined) throw new Unusable(`holds ${quote(wrong)}: ${way}, such as 192.0.2.1,2001:db8::1`)
  const [ipv4, ...moreV4] = addresses.filter(isIPv4)
  const [ipv6, ...moreV6] = addresses.filter(isV6)
  if (moreV4.length + moreV6.length > 0) throw new Unusable(`holds two addresses of one family: ${way}`)
  return { ipv4, ipv6 }
}

function parseFamily(text: string): MailSource['family'] {
  if (text === 'any') return 'any'
  if (text === '4' || text === '6') return text === '4' ? 4 : 6
  throw new Unusable(`is ${quote(text)}: set it to 4 or 6, for IPv4 or IPv6 alone, or to any`)
}
