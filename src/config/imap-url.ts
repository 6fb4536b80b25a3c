import type { ImapServer } from '#/ports/servers.ts'
import { Unusable } from './reader.ts'
import { serverUrl } from './server-url.ts'

const example = 'imaps://user:password@imap.example.com, with special characters in the password written as %XX'

/**
 * Reads `imap://user:password@host:port?starttls=never` or `imaps://…`. The default port is 143, or 993 for `imaps`.
 * STARTTLS is required by default.
 * @throws Unusable
 */
export function parseImapUrl(text: string): ImapServer {
  const kind = { scheme: 'imap', what: 'an IMAP server', example, starttls: ['required', 'never'] } as const
  const { host, port, tls = 'required', user, password } = serverUrl(text, kind)
  if (user === undefined || password === undefined)
    throw new Unusable(`needs the user and the password of a master user: set it to ${example}`)
  return { host, port: port ?? (tls === 'implicit' ? 993 : 143), tls, user, password }
}
