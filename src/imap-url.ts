/** An IMAP server, and the user that may act for every mailbox on it. */
export interface ImapServer {
  readonly host: string
  readonly port: number
  /** `implicit` from the start, `required` by STARTTLS. Certificates are verified. */
  readonly tls: 'implicit' | 'required' | 'never'
  readonly user: string
  readonly password: string
}

/** What is wrong with the URL, without the password that it holds; follows its variable's name in a sentence. */
export class UnusableImapUrl extends Error {}

/**
 * Reads `imap://user:password@host:port?starttls=never` or `imaps://…`. Unless told otherwise the port is 143, with `imaps`
 * 993, and STARTTLS is required.
 * @throws UnusableImapUrl
 */
export function parseImapUrl(text: string): ImapServer {
  // What URL would silently leave out was not meant.
  const url = !/[\s\0-\x1f]/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['imap:', 'imaps:'].includes(url.protocol) || !hostname.test(url.hostname))
    throw new UnusableImapUrl(`is not the URL of an IMAP server: set it to ${example}`)
  if (!['', '/'].includes(url.pathname) || url.hash !== '')
    throw new UnusableImapUrl(`has more than a host and a port: set it to ${example}`)
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === '' || password === '' || /\0/.test(user + password))
    throw new UnusableImapUrl(`needs the user and the password of a master user: set it to ${example}`)
  const tls = tlsOf(url)
  const port = url.port === '' ? (tls === 'implicit' ? 993 : 143) : Number(url.port)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tls, user, password }
}

const example = 'imaps://user:password@imap.example.com, with special characters in the password written as %XX'
const hostname = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]+\])$/i

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UnusableImapUrl(`holds a % that stands for no character: set it to ${example}`)
  }
}

function tlsOf({ protocol, searchParams }: URL): ImapServer['tls'] {
  const asked = searchParams.get('starttls')
  if (protocol === 'imaps:') {
    if (searchParams.size > 0) throw new UnusableImapUrl('is TLS from the start: set it to an imaps:// URL without a ?')
    return 'implicit'
  }
  if (searchParams.size > (asked === null ? 0 : 1) || !(asked === null || asked === 'required' || asked === 'never'))
    throw new UnusableImapUrl('knows one parameter: set it to end in ?starttls=required or never, or without')
  return asked ?? 'required'
}
