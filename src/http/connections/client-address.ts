import type { Logger } from 'pino'
import { insideOf, isPublic, type Network, readAddress, unmappedAddress } from '#/base/network/ip-address.ts'
import type { App } from '../app-type.ts'

export interface ClientAddressDependencies {
  /** The reverse proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly Network[]
  readonly log: Logger
}

/** How many proxies a request may have passed. */
const mostHops = 16

/**
 * Gives every request the address of its client: that of the connection, unless that is a trusted proxy's. Warns once of
 * what looks like a proxy that is not configured. Fastify's `trustProxy` does not fit: it accepts any text in the header as
 * an address, and trusts `X-Forwarded-Host` too.
 */
export function findClients(app: App, { trustedProxies, log }: ClientAddressDependencies): void {
  const isTrusted = insideOf(trustedProxies)
  let warned = false
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', (request, _reply, next) => {
    const peer = unmappedAddress(request.raw.socket.remoteAddress ?? '')
    const forwarded = request.raw.headers['x-forwarded-for']?.toString()
    request.clientAddress = clientAddress(peer, forwarded, isTrusted)
    // Anyone can send the header. Advice that names a public address would have its owner trusted.
    if (forwarded !== undefined && !warned && !isTrusted(peer) && !isPublic(peer)) {
      warned = true
      log.warn(
        { client: peer },
        `a request from ${peer} came with X-Forwarded-For, which had no effect: if that is your reverse proxy, add ` +
          `${peer} to MAILROOM_TRUSTED_PROXIES; until then all its clients count as one`,
      )
    }
    next()
  })
}

/**
 * The client's address for a connection from `peer` with an X-Forwarded-For of `forwarded`. Each proxy appends the address
 * it was reached from, so the list is read from its end, as long as a trusted proxy wrote the entry. If an entry is no
 * address, the client is the proxy that wrote it.
 */
export function clientAddress(
  peer: string,
  forwarded: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  if (forwarded === undefined || !isTrusted(peer)) return peer
  const hops = forwarded.split(',').slice(-mostHops)
  let address = peer
  while (isTrusted(address)) {
    const next = hopAddress(hops.pop() ?? '')
    if (next === undefined) break
    address = next
  }
  return address
}

/** Some proxies write a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function hopAddress(entry: string): string | undefined {
  const text = entry.trim()
  const [, v6, v4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return readAddress(v6 ?? v4 ?? text)
}
