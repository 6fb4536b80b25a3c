import { canonicalAddress, canonicalDomain, splitAddress } from './address.ts'

/**
 * The stored form of a pattern, `local@domain` or `@domain`: lower case, the domain in its ASCII form (IDNA), so that
 * equal texts are equal patterns. Undefined if it is neither. It accepts more than we would send to, since blocks concern
 * who sends to us: `a..b@docomo.ne.jp` exists.
 */
export function parsePattern(given: string): string | undefined {
  const text = given.trim()
  if (text.startsWith('@')) {
    const domain = hostOf(text.slice(1))
    return domain && `@${domain}`
  }
  const address = canonicalAddress(text)
  const { local = '', domain = '' } = splitAddress(address ?? '') ?? {}
  if (!(plainLocal.test(local) || quotedLocal.test(local)) || !hostOf(domain)) return undefined
  return address && Buffer.byteLength(address) <= 254 ? address : undefined
}

/** The patterns that match one of these addresses: each address itself and its exact domain. None matches what is no
 *  address. */
export function patternsMatching(addresses: Iterable<string>): string[] {
  const patterns = new Set<string>()
  for (const text of addresses) {
    const address = canonicalAddress(text)
    if (address === undefined) continue
    patterns.add(address).add(address.slice(address.lastIndexOf('@')))
  }
  return [...patterns]
}

/** No white space, controls, invisible or lone surrogate, quotes or brackets; no `*`, which someone would mean as a
 *  wildcard. */
const plainLocal = /^[^\s\p{C}()<>[\],;:\\"@*]+$/u
/** `"a b"`: in the form that `canonicalAddress` gives to a local part which must be quoted (RFC 5321, section 4.1.2). */
const quotedLocal = /^"(?:[^\p{C}\\"*]|\\[\\"])+"$/u

function hostOf(text: string): string | undefined {
  const domain = canonicalDomain(text)
  return domain?.includes('.') ? domain : undefined
}
