import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '#/base/errors.ts'

/** The relying party of passkeys. Browsers use a passkey under this name only, and report the origin. */
export interface RelyingParty {
  /** The host name. Under another one passkeys no longer work. */
  readonly id: string
  readonly origin: string
}

/** Determined by the public URL. Without one there are passkeys on the same machine only, under the name `localhost`:
 *  otherwise a request would choose the name. Undefined if browsers have no passkeys: without TLS, or under an IP
 *  address. */
export function relyingPartyAt(
  { headers, raw }: FastifyRequest,
  publicUrl: string | undefined,
): RelyingParty | undefined {
  const { hostname: id, origin, protocol } = new URL(publicUrl ?? here(headers.host, raw.socket.localPort))
  const isSecure = protocol === 'https:' || id === 'localhost'
  return isSecure && isIP(id) === 0 && !id.startsWith('[') ? { id, origin } : undefined
}

/** @throws Refusal if browsers have no passkeys */
export function relyingPartyOf(request: FastifyRequest, publicUrl: string | undefined): RelyingParty {
  const found = relyingPartyAt(request, publicUrl)
  if (found) return found
  throw new Refusal('invalid_request', 'Browsers have passkeys only over TLS and under a name, or at localhost', {
    fix: 'Set MAILROOM_PUBLIC_URL to an https URL with a name; on the same machine, open localhost in place of 127.0.0.1',
  })
}

/** With the port of the connection: a program may send any in Host, as may a page on another port of the machine. */
function here(host = '', port = 0): string {
  return /^localhost(?::\d+)?$/i.test(host) ? `http://localhost:${port}` : 'http://127.0.0.1'
}
