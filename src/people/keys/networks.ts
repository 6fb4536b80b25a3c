import ipaddr from 'ipaddr.js'
import { invalid } from '#/base/errors.ts'
import { insideOf, readNetwork } from '#/base/network/ip-address.ts'

/** `192.0.2.0/24` or `2001:db8::/32` in one form; an address is a network of one. @throws Refusal */
export function canonicalNetwork(given: string, field = 'networks'): string {
  const network = readNetwork(given)
  if (!network) {
    throw invalid(field, `"${given}" is no network: give addresses and networks as in 192.0.2.7,2001:db8::/32`)
  }
  const written = `${network.address}/${network.bits}`
  const family = network.address.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4
  if (family.networkAddressFromCIDR(written).toString() !== network.address) {
    const fix = 'Write the first address of the network, or the address alone'
    throw invalid(field, `"${given}" could be the network or the address`, fix)
  }
  return written
}

/** Whether a client's address is in one of the networks. */
export function insideNetworks(networks: readonly string[]): (address: string) => boolean {
  return insideOf(networks.flatMap((network) => readNetwork(network) ?? []))
}
