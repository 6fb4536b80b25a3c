import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '#/errors.ts'

/** For whom a passkey is made: browsers use it under this name alone, and say under which origin they did. */
export interface RelyingParty {
  /** The host's name. A passkey works no more under another one. */
  readonly id: string
  readonly origin: string
}

/**
 * By the public URL. Without one there are passkeys on the same machine alone, under the name `localhost`: elsewhere the name would
 * be whatever a request says. Undefined where browsers have no passkeys: without TLS, or under an IP address.
 */
export function relyingPartyAt(
  { headers, raw }: FastifyRequest,
  publicUrl: string | undefined,
): RelyingParty | undefined {
  const { hostname: id, origin, protocol } = new URL(publicUrl ?? here(headers.host, raw.socket.localPort))
  const isSecure = protocol === 'https:' || id === 'localhost'
  return isSecure && isIP(id) === 0 && !id.startsWith('[') ? { id, origin } : undefined
}

/** @throws Refusal where browsers have no passkeys */
export function relyingPartyOf(request: FastifyRequest, publicUrl: string | undefined): RelyingParty {
  const found = relyingPartyAt(request, publicUrl)
  if (found) return found
  throw new Refusal('invalid_request', 'Browsers have passkeys only over TLS and under a name, or at localhost', {
    fix: 'Set MAILROOM_PUBLIC_URL to an https URL with a name; on the same machine, open localhost in place of 127.0.0.1',
  })
}

/** The port is that of the connection: a program may name any in Host, a page on another port of the machine too. */
function here(host = '', port = 0): string {
  return /^localhost(?::\d+)?$/i.test(host) ? `http://localhost:${port}` : 'http://127.0.0.1'
}
