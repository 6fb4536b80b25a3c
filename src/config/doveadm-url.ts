import type { DoveadmServer } from '#/ports/servers.ts'
import { Unusable } from './reader.ts'
import { serverUrl } from './server-url.ts'

const example = 'https://doveadm:password@imap.example.com:8080, with special characters in the password written as %XX'

/**
 * Reads `http://doveadm:password@host:port` or `https://…`.
 * @throws Unusable
 */
export function parseDoveadmUrl(text: string): DoveadmServer {
  const kind = { scheme: 'http', what: "Dovecot's doveadm", example, starttls: [] } as const
  const { host, port, tls, user, password } = serverUrl(text, kind)
  if (user !== 'doveadm' || password === undefined)
    throw new Unusable(`needs the user doveadm and its password: set it to ${example}`)
  const name = host.includes(':') ? `[${host}]` : host
  const scheme = tls === 'implicit' ? 'https' : 'http'
  return { origin: `${scheme}://${name}${port === undefined ? '' : `:${port}`}`, password }
}
