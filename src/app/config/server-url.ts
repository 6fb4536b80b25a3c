import { Unusable } from './reader.ts'

/** A kind of server, and the form of its URL. */
interface Kind<Starttls extends string> {
  /** The scheme without implicit TLS; an `s` at its end adds that. */
  readonly scheme: string
  readonly what: string
  readonly example: string
  /** The values of `?starttls=`; empty if the URL has no such option. */
  readonly starttls: readonly Starttls[]
}

interface ServerUrl<Starttls extends string> {
  readonly host: string
  /** Undefined, like all that follow, if the URL does not say. */
  readonly port: number | undefined
  readonly tls: 'implicit' | Starttls | undefined
  readonly user: string | undefined
  readonly password: string | undefined
}

/**
 * Reads `scheme://user:password@host:port?starttls=never` or `schemes://…`.
 * @throws Unusable, without the password in the URL
 */
export function serverUrl<Starttls extends string>(text: string, kind: Kind<Starttls>): ServerUrl<Starttls> {
  const { scheme, what, example } = kind
  // `URL` would silently remove white space and controls.
  const url = !/[\s\0-\x1f]/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url || ![`${scheme}:`, `${scheme}s:`].includes(url.protocol) || !hostname.test(url.hostname))
    throw new Unusable(`is not the URL of ${what}: set it to ${example}`)
  if (!['', '/'].includes(url.pathname) || url.hash !== '')
    throw new Unusable(`has more than a host and a port: set it to ${example}`)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : Number(url.port),
    tls: tlsOf(url, kind),
    user: decoded(url.username, kind),
    password: decoded(url.password, kind),
  }
}

const hostname = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]+\])$/i

function decoded<S extends string>(text: string, { example }: Kind<S>): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain || undefined
  } catch {}
  throw new Unusable(`holds a % that encodes no character of a login: set it to ${example}`)
}

function tlsOf<S extends string>(
  { protocol, searchParams }: URL,
  { scheme, example, starttls }: Kind<S>,
): 'implicit' | S | undefined {
  if (starttls.length === 0 && searchParams.size > 0) throw new Unusable(`takes no parameters: set it to ${example}`)
  if (protocol === `${scheme}s:`) {
    if (searchParams.size === 0) return 'implicit'
    throw new Unusable(`has implicit TLS, and takes no ?starttls: set it to an ${scheme}s:// URL without a ?`)
  }
  if (searchParams.size === 0) return undefined
  const asked = starttls.find((rule) => rule === searchParams.get('starttls'))
  if (asked !== undefined && searchParams.size === 1) return asked
  const rules = `${starttls.slice(0, -1).join(', ')} or ${starttls.at(-1)}`
  throw new Unusable(`takes one parameter only: set it to end in ?starttls=${rules}, or without`)
}
