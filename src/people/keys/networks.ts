import { isIPv4 } from 'node:net'
import { invalid } from '#/base/errors.ts'
import { insideOf, readNetwork } from '#/base/network/ip-address.ts'

/** `192.0.2.0/24` or `2001:db8::/32` in one form; an address is a network of one. @throws Refusal */
export function canonicalNetwork(given: string, field = 'networks'): string {
  const network = readNetwork(given)
  if (!network) {
    throw invalid(field, `"${given}" is no network: give addresses and networks as in 192.0.2.7,2001:db8::/32`)
  }
  if (bitsOf(network.address).includes('1', network.bits)) {
    const fix = 'Write the first address of the network, or the address alone'
    throw invalid(field, `"${given}" could be the network or the address`, fix)
  }
  return `${network.address}/${network.bits}`
}

/** Whether a client's address is in one of the networks. */
export function insideNetworks(networks: readonly string[]): (address: string) => boolean {
  return insideOf(networks.flatMap((network) => readNetwork(network) ?? []))
}

/** As binary digits. */
function bitsOf(address: string): string {
  if (isIPv4(address))
    return address
      .split('.')
      .map((octet) => digits(Number(octet), 8))
      .join('')
  // Node writes some addresses with an IPv4 address at their end; a URL has hexadecimal groups alone.
  const { hostname } = new URL(`http://[${address}]`)
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map((group) => digits(Number.parseInt(group, 16), 16)).join('')
}

function digits(number: number, count: number): string {
  return number.toString(2).padStart(count, '0')
}
