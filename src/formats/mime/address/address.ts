import { normalized } from '#/base/text/unicode.ts'

/** Without imports of Node, since the web app uses it too (src/out/replies/rules.ts). */

/** One mailbox as a header names it. */
export interface Address {
  /** Decoded; empty if there is none. */
  readonly name: string
  /** As written, without angle brackets; empty if the header has a name only. */
  readonly address: string
}

/** The canonical form, by which addresses are compared and found: lower case, local part in NFC and quoted only if necessary,
 *  domain in ASCII (IDNA). Undefined without a local part or a possible domain. */
export function canonicalAddress(text: string): string | undefined {
  const parts = splitAddress(text.trim())
  if (!parts) return undefined
  const domain = canonicalDomain(parts.domain)
  return domain && `${unquotedLocal(parts.local.toLowerCase())}@${domain}`
}

/** Removes needless quotes: `"ann"@…` and `"a\nn"@…` are `ann@…` (RFC 5321, section 4.1.2). */
export function unquoted(address: string): string {
  const { local, domain } = splitAddress(address) ?? {}
  return local?.includes('"') ? `${unquotedLocal(local)}@${domain}` : address
}

/** In NFC. If a part must be quoted the whole is, with as few backslashes as possible. */
function unquotedLocal(local: string): string {
  if (!local.includes('"') || !WORDS.test(local)) return normalized(local, 'NFC')
  const text = normalized(
    local.replace(QUOTED_PART, (_, inner: string) => inner.replace(/\\([\s\S])/g, '$1')),
    'NFC',
  )
  return ATOMS.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}

const QUOTED_PART = /"((?:[^"\\]|\\[\s\S])*)"/g
/** Quoted strings, and what stands between them (the obsolete local part of RFC 5322, section 4.4). */
const WORDS = /^(?:"(?:[^"\\]|\\[\s\S])*"|[^"\\])+$/

/** A domain in lower case and ASCII form (UTS 46), without a final dot. Undefined if it is invalid. */
export function canonicalDomain(text: string): string | undefined {
  const domain = text.replace(/[.\u3002\uff0e\uff61]$/, '')
  if (domain.length > 253) return undefined
  // The platform reads a host as in a URL: `1.2.3` as an IPv4 address, and `%41` decoded.
  const ascii = LDH.test(domain) ? domain.toLowerCase() : NEVER_IN_DOMAIN.test(domain) ? '' : toAscii(domain)
  return ascii.length <= 253 && LDH.test(ascii) && !/(^|\.)\d+$/.test(ascii) ? ascii : undefined
}

function toAscii(domain: string): string {
  const url = `http://${domain}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}

const LDH = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i
const NEVER_IN_DOMAIN = /[\x00-\x20\x7f%/:?#@[\]\\<>^|"'(),;]/

/** Splits at the last `@`, since a quoted local part may have one. Undefined if either side is empty. */
export function splitAddress(address: string): { local: string; domain: string } | undefined {
  const at = address.lastIndexOf('@')
  if (at < 1 || at === address.length - 1) return undefined
  return { local: address.slice(0, at), domain: address.slice(at + 1) }
}

/** `ann+news` → `ann`: the local part that a plus address reaches. */
export function stripTag(local: string): string {
  const plus = local.startsWith('"') ? -1 : local.indexOf('+')
  return plus < 1 ? local : local.slice(0, plus)
}

/** One key for all spellings of an address, tags included. */
export function untagged(address: string): string {
  const parts = splitAddress(canonicalAddress(address) ?? address.toLowerCase())
  return parts ? `${stripTag(parts.local)}@${parts.domain}` : address
}

/** Whether this is an address that mail can be sent to: a dot-atom or quoted local part of at most 64 octets (RFC 5321,
 *  section 4.5.3.1.1), UTF-8 allowed (RFC 6531), and a domain of two labels or more, 254 octets in all. */
export function isAddress(text: string): boolean {
  const parts = splitAddress(text)
  if (!parts || !text.isWellFormed() || !(DOT_ATOM.test(parts.local) || QUOTED.test(parts.local))) return false
  const domain = canonicalDomain(parts.domain)
  if (!domain?.includes('.') || parts.domain.endsWith('.')) return false
  const octets = new TextEncoder().encode(parts.local).length
  return octets <= 64 && octets + 1 + domain.length <= 254
}

const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u00a0-\\u{10ffff}-]"
/** With dots anywhere: `a..b@docomo.ne.jp` exists. */
const ATOMS = new RegExp(`^(?:${ATEXT}|\\.)+$`, 'u')
const DOT_ATOM = new RegExp(`^${ATEXT}+(\\.${ATEXT}+)*$`, 'u')
const QUOTED = /^"([^\x00-\x1f\x7f-\x9f"\\]|\\[\x20-\x7e])*"$/

/** Reads an address of an API caller: `a@b`, `Name <a@b>` or `"Name, with specials" <a@b>`. Undefined for anything else, such as
 *  a control character. */
export function parseMailbox(text: string): Address | undefined {
  if (text.length > 998 || /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(text) || !text.isWellFormed()) return undefined
  const trimmed = text.trim()
  if (!trimmed.endsWith('>')) return isAddress(trimmed) ? { name: '', address: trimmed } : undefined
  const open = trimmed.lastIndexOf('<')
  const address = trimmed.slice(open + 1, -1)
  const name = phrase(trimmed.slice(0, Math.max(0, open)).trim())
  return open >= 0 && name !== undefined && isAddress(address) ? { name, address } : undefined
}

/** A display name, quoted or not. An unquoted one must not read as several mailboxes. */
function phrase(text: string): string | undefined {
  if (QUOTED.test(text)) return text.slice(1, -1).replace(/\\(.)/g, '$1').trim()
  return /[<>",;@\\]/.test(text) ? undefined : text
}

/** Whether a local part looks like that of a sender which a forwarder has rewritten, here or elsewhere (SRS). */
export function isRewritten(local: string): boolean {
  return /^(?:srs[01][=+-]|srs=)/i.test(local)
}

/** An address with its name, as a search looks through it. */
export function addressText({ name, address }: Address): string {
  return name === '' ? address : `${name} <${address}>`
}
