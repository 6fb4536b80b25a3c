import { readFileSync } from 'node:fs'
import type { SingleSignOn } from '#/people/identity-provider/single-sign-on.ts'
import { quote, type Reader, Unusable } from './reader.ts'

const issuer = 'MAILROOM_OIDC_ISSUER'
const secret = 'MAILROOM_OIDC_CLIENT_SECRET'

/** Reads the variables of single sign-on. Undefined without an issuer. */
export function readSingleSignOn(read: Reader): SingleSignOn | undefined {
  const settings = {
    issuer: read.value(issuer, parseIssuer),
    clientId: read.value('MAILROOM_OIDC_CLIENT_ID', parseText),
    name: read.value('MAILROOM_OIDC_NAME', parseText),
    scopes: read.value('MAILROOM_OIDC_SCOPES', parseScopes) ?? 'openid email profile',
    addressClaim: read.value('MAILROOM_OIDC_ADDRESS_CLAIM', parseText) ?? 'email',
    groupsClaim: read.value('MAILROOM_OIDC_GROUPS_CLAIM', parseText) ?? 'groups',
    ownerGroup: read.value('MAILROOM_OIDC_OWNER_GROUP', parseText),
    adminGroup: read.value('MAILROOM_OIDC_ADMIN_GROUP', parseText),
    domains: read.value('MAILROOM_OIDC_DOMAINS', parseDomains) ?? new Map(),
  }
  const { issuer: at, clientId, name } = settings
  if (at === undefined || clientId === undefined) return undefined
  return { ...settings, issuer: at, clientId, name: name ?? new URL(at).host }
}

/** The client's secret; undefined for a client without one. */
export function readClientSecret(read: Reader): string | undefined {
  return read.value('MAILROOM_OIDC_CLIENT_SECRET_FILE', readSecretFile) ?? read.value(secret, (text) => text)
}

/** Faults of several variables together. */
export function singleSignOnProblems(read: Reader): string[] {
  const found: string[] = []
  const set = [...read.known].filter((name) => name.startsWith('MAILROOM_OIDC_') && read.isSet(name))
  const [first] = set
  if (first !== undefined && !read.isSet(issuer))
    found.push(`${issuer} is not set although ${first} is: set it to the provider's issuer, or unset both`)
  if (read.isSet(issuer) && !read.isSet('MAILROOM_OIDC_CLIENT_ID'))
    found.push(`MAILROOM_OIDC_CLIENT_ID is not set although ${issuer} is: set it to the id that the provider gave`)
  if (read.isSet(secret) && read.isSet(`${secret}_FILE`))
    found.push(`${secret} and ${secret}_FILE are both set: unset one`)
  return found
}

/** HTTPS, since the provider says who a person is; on this machine also HTTP. */
function parseIssuer(text: string): string {
  const url = !/[\s?#]/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
  if (url && isSafe && url.username + url.password === '') return text
  throw new Unusable('is not an https:// URL: set it to the issuer, such as https://id.example.com/realms/staff')
}

function parseText(text: string): string {
  if (/^[^\p{C}]{1,200}$/u.test(text) && text.trim() === text) return text
  throw new Unusable(`is ${quote(text)}: set it to at most 200 characters in a line, without spaces around them`)
}

function parseScopes(text: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) && text.split(' ').includes('openid'))
    return text
  throw new Unusable(`is ${quote(text)}: set it to scopes separated by spaces, openid among them`)
}

function parseDomains(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(',').map((pair) => {
      const [, domain, organization] = /^([a-z\d-]+(?:\.[a-z\d-]+)+)=(.+)$/i.exec(pair.trim()) ?? []
      if (domain !== undefined && organization !== undefined) return [domain.toLowerCase(), organization.trim()]
      throw new Unusable(
        `holds ${quote(pair)}: set it to domains, each with the name or id of its organization, separated by commas: ` +
          'example.com=Acme,example.org=Acme',
      )
    }),
  )
}

function readSecretFile(path: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text !== '') return text
  } catch {
    throw new Unusable(`is ${quote(path)}, which cannot be read: set it to the file that has the client's secret`)
  }
  throw new Unusable(`is ${quote(path)}, which is empty: set it to the file that has the client's secret`)
}
