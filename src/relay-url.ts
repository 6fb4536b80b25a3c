/** The relay that an installation's mail goes through. */
export interface RelayServer {
  readonly host: string
  readonly port: number
  /** `implicit` from the start, `required` and `offered` by STARTTLS. Certificates are verified but with `offered`. */
  readonly tls: 'implicit' | 'required' | 'offered' | 'never'
  readonly login: { readonly user: string; readonly password: string } | undefined
}

/** What is wrong with the URL, without the password that it may hold; follows its variable's name in a sentence. */
export class UnusableRelayUrl extends Error {}

/**
 * Reads `smtp://user:password@host:port?starttls=required` or `smtps://…`. Unless told otherwise the port is 587 with a
 * login, else 25, with `smtps` 465; and STARTTLS is required with a login, so that no password goes in the clear, else
 * used where it is offered.
 * @throws UnusableRelayUrl
 */
export function parseRelayUrl(text: string): RelayServer {
  // What URL would silently leave out was not meant.
  const url = !/[\s\0-\x1f]/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !hostname.test(url.hostname))
    throw new UnusableRelayUrl(`is not the URL of a mail relay: set it to ${example}`)
  if (!['', '/'].includes(url.pathname) || url.hash !== '')
    throw new UnusableRelayUrl(`has more than a host and a port: set it to ${example}`)
  const implicit = url.protocol === 'smtps:'
  const login = loginIn(url)
  const port = url.port === '' ? (implicit ? 465 : login ? 587 : 25) : Number(url.port)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tls: tlsOf(url, login !== undefined), login }
}

const example = 'smtp://user:password@mail.example.com:587, with special characters in the password written as %XX'
const hostname = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]+\])$/i

function loginIn({ username, password }: URL): RelayServer['login'] {
  if (username === '' && password === '') return undefined
  const login = { user: decoded(username), password: decoded(password) }
  if (login.user === '' || login.password === '' || /\0/.test(login.user + login.password))
    throw new UnusableRelayUrl(`needs both a user and a password, or neither: set it to ${example}`)
  return login
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UnusableRelayUrl(`holds a % that stands for no character: set it to ${example}`)
  }
}

function tlsOf({ protocol, searchParams }: URL, login: boolean): RelayServer['tls'] {
  const asked = searchParams.get('starttls')
  if (protocol === 'smtps:') {
    if (searchParams.size > 0)
      throw new UnusableRelayUrl('is TLS from the start: set it to an smtps:// URL without a ?')
    return 'implicit'
  }
  if (searchParams.size > (asked === null ? 0 : 1) || !(asked === null || isRule(asked)))
    throw new UnusableRelayUrl('knows one parameter: set it to end in ?starttls=required, offered or never, or without')
  if (asked === 'offered' && login)
    throw new UnusableRelayUrl(
      'would send its password in the clear where nobody offers TLS: set it to end in ?starttls=required, or in ' +
        '?starttls=never for a relay on this machine',
    )
  return asked ?? (login ? 'required' : 'offered')
}

function isRule(text: string): text is 'required' | 'offered' | 'never' {
  return text === 'required' || text === 'offered' || text === 'never'
}
