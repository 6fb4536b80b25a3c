import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { MailSource } from '#/out/relay/servers.ts'
import { broken, ConnectionLost, TlsFailed } from './delivery-failure.ts'
import { type Opening, type Peer, SmtpClient } from './smtp-client/smtp-client.ts'

export const anySource: MailSource = { family: 'any', ipv4: undefined, ipv6: undefined }

/** Opens a session by the protocol and from the address that are set; by both protocols one after the other, if the peer cannot
 *  be reached by the first. Throws `DeliveryFailure`. */
export async function openFrom(source: MailSource, peer: Peer, opening: Opening): Promise<SmtpClient> {
  const { family, ipv4, ipv6 } = source
  // The system itself looks the name up, and tries both protocols without waiting for the first.
  if (family === 'any' && ipv4 === undefined && ipv6 === undefined) return SmtpClient.open(peer, opening)
  const [first, second] = await endsOf(source, peer)
  try {
    return await SmtpClient.open(first, opening)
  } catch (error) {
    const unreachable = error instanceof ConnectionLost && !(error instanceof TlsFailed) && error.reply === null
    if (!second || !unreachable || opening.signal.aborted) throw error
    return SmtpClient.open(second, opening)
  }
}

/** The peer at its first address of each protocol, in the order of the system. */
async function endsOf(source: MailSource, peer: Peer): Promise<[Peer, Peer | undefined]> {
  const { host, address } = peer
  const found = await lookup(address, { all: true }).catch((error: Error) => {
    throw broken(host, error)
  })
  const of = (v6: boolean) => found.find((one) => isIPv6(one.address) === v6)
  const [first, second] = found
    .filter((one) => one === of(isIPv6(one.address)))
    .filter((one) => source.family === 'any' || one.family === source.family)
    .map((one) => ({ ...peer, ...from(source, one.address) }))
  if (!first) throw new ConnectionLost('4.4.1', `${host} has no IPv${source.family} address`)
  return [first, second]
}

/** How to connect to an IP address. */
export function from({ ipv4, ipv6 }: MailSource, address: string): Pick<Peer, 'address' | 'localAddress'> {
  return { address, localAddress: isIPv6(address) ? ipv6 : ipv4 }
}
