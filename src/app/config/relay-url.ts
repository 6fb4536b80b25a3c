import type { RelayServer } from '#/out/relay/servers.ts'
import { Unusable } from './reader.ts'
import { serverUrl } from './server-url.ts'

const example = 'smtp://user:password@mail.example.com:587, with special characters in the password written as %XX'

/**
 * Reads `smtp://user:password@host:port?starttls=required` or `smtps://…`. The default port is 465 for `smtps`, 587 with a
 * login, else 25. STARTTLS is required with a login, so that no password is sent in the clear; else used if offered.
 * @throws Unusable
 */
export function parseRelayUrl(text: string): RelayServer {
  const kind = { scheme: 'smtp', what: 'a mail relay', example, starttls: ['required', 'offered', 'never'] } as const
  const { host, port, tls, user, password } = serverUrl(text, kind)
  if ((user === undefined) !== (password === undefined))
    throw new Unusable(`needs both a user and a password, or neither: set it to ${example}`)
  const login = user !== undefined && password !== undefined ? { user, password } : undefined
  if (login && tls === 'offered')
    throw new Unusable(
      'would send its password in the clear if the server offers no TLS: set it to end in ?starttls=required, or in ' +
        '?starttls=never for a relay on this machine',
    )
  const usualPort = tls === 'implicit' ? 465 : login ? 587 : 25
  return { host, port: port ?? usualPort, tls: tls ?? (login ? 'required' : 'offered'), login }
}
