import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { invalid } from '#/base/errors.ts'
import { normalized } from '#/base/text/unicode.ts'
import { canonicalDomain } from '#/formats/mime/address/address.ts'
import { readsAsItIs } from './unicode-safety.ts'

/** The domain of the try-out: reserved (RFC 2606), so no mail can leave by accident. */
export const tryoutDomain = 'tryout.test'

/**
 * A domain that an organization may enrol, in the form in which domains are stored and compared: A-labels (UTS 46, not
 * transitional), lower case, no final dot. Capitals, full-width letters and the Kelvin sign lead to the same name.
 * @throws Refusal `invalid_request` on `domain` for a public suffix, an address, a single label, a name that the DNS
 *   can't hold (RFC 1035, section 2.3.4), and, unless `allowReserved`, a top-level domain that is set apart
 */
export function domainName(given: string, { allowReserved }: { allowReserved: boolean }): string {
  const domain = asciiForm(given)
  if (domain === undefined) throw refusedForm(given)
  if (!domain.includes('.'))
    throw refused(`${domain} is a single label`, 'Give a domain with a dot, such as example.com')
  if (domain.length > longestDomain)
    throw refused(
      `The domain has ${domain.length} characters in ASCII form, ${longestDomain} are the most`,
      'Enrol a shorter name: its records are below it, and a DNS name has at most 253',
    )
  const topLevel = domain.slice(domain.lastIndexOf('.') + 1)
  if (reservedTopLevels.has(topLevel) && !allowReserved)
    throw refused(`.${topLevel} is reserved: no mail reaches it`, 'Enrol a domain that is registered in the DNS')
  if (isPublicSuffix(domain))
    throw refused(
      `${domain} is a public suffix: organizations register domains below it`,
      `Enrol a domain below it, such as example.${domain}`,
    )
  return domain
}

/** The Unicode form, if it cannot be mistaken for another name; else the ASCII form. */
export function unicodeName(domain: string): string {
  const unicode = domainToUnicode(domain)
  return unicode !== '' && unicode.split('.').every(readsAsItIs) ? unicode : domain
}

/** The registered domain of a name: `example.co.uk` for `mail.example.co.uk`; the name itself if unknown. DNS providers take
 *  names relative to it. A DMARC policy is looked for up to it (RFC 9989, section 4.10). */
export function registeredDomain(domain: string): string {
  return parse(domain, suffixList).domain ?? domain
}

/** A name has at most 253 octets (RFC 1035, section 2.3.4). The longest record below a domain is a DKIM key's, which needs 44: a
 *  selector of 32, `._domainkey` and a dot. An address needs less (RFC 5321, section 4.5.3.1.3). */
const longestDomain = 209

/** Reserved by RFC 2606, RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476 and, for `internal`, by ICANN. */
const reservedTopLevels = new Set([
  'test',
  'example',
  'invalid',
  'localhost',
  'local',
  'onion',
  'alt',
  'internal',
  'arpa',
])

/** Private suffixes count: the owner of a name below `github.io` must not get the name itself. */
const suffixList = { allowPrivateDomains: true, validateHostname: false } as const

function isPublicSuffix(domain: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(domain, suffixList)
  return publicSuffix === domain && (isIcann === true || isPrivate === true)
}

/** Undefined for a name that no host may have (RFC 1123, section 2.1). */
function asciiForm(given: string): string | undefined {
  if (given.length > 1_000 || !given.isWellFormed()) return undefined
  const domain = canonicalDomain(given)
  return domain?.split('.').every(isGenuine) ? domain : undefined
}

/** A label that starts with `xn--` must be the encoding of a Unicode label (RFC 5890, section 2.3.2.1). */
function isGenuine(label: string): boolean {
  if (!label.startsWith('xn--')) return true
  const unicode = domainToUnicode(label)
  return unicode !== label && unicode !== '' && domainToASCII(unicode) === label
}

/** What is wrong with an invalid name, if that is clear. */
function refusedForm(given: string) {
  const shown = given.length > 80 ? `${given.slice(0, 80)}…` : given
  if (/^\d[\d.]*$|^\[?[\da-f:.]*:[\da-f:.]*\]?$/i.test(normalized(given, 'NFKC')))
    return refused(`${shown} is an IP address`, 'Give the domain itself, such as example.com')
  if (/^[a-z]+:\/\//i.test(given)) return refused('This is a URL', 'Give the domain alone, such as example.com')
  if (given.includes('@')) return refused('This is an e-mail address', 'Give only what follows the @')
  if (/[_\uff3f]/.test(given))
    return refused('A mail domain cannot have an underscore', 'Give the domain itself, not the name of a record in it')
  return refused(
    `${JSON.stringify(shown)} is not a domain name`,
    'Labels of letters, digits and inner hyphens, at most 63 octets each and 253 in all in ASCII form',
  )
}

function refused(message: string, fix: string) {
  return invalid('domain', message, fix)
}
