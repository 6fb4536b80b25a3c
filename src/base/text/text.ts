import { invalid } from '#/base/errors.ts'
import { normalized } from '#/base/text/unicode.ts'

/**
 * Folds case: two texts that differ in case only become equal. Unicode's full case folding by way of JavaScript's case
 * tables: ß, ẞ and SS are `ss`, K (the Kelvin sign) is `k`, ſ is `s`, every sigma is σ. Wider than Unicode's in one
 * place: the Turkish dotless and dotted i are both `i`, since mail does not say what language it is in.
 * Normalise before, and again after: folding can take composed characters apart.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase()
  if (ascii.test(lower)) return lower
  return lower.toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i')
}

/**
 * A name that people will read in lists: trimmed, in NFC, 1 to `most` code points. Refused are controls, lone
 * surrogates, line separators and bidi controls (which make a name read as another), and names that show nothing.
 */
export function properName(field: string, given: string, most: number): string {
  if (!given.isWellFormed()) throw invalid(field, `${field} contains an unpaired surrogate`)
  const name = normalized(given.trim(), 'NFC')
  if (unfit.test(name)) throw invalid(field, `${field} must not contain control or bidirectional formatting characters`)
  if (!visible.test(name)) throw invalid(field, `${field} must contain a visible character`)
  if (codePoints(name) > most) throw invalid(field, `${field} can be at most ${most} characters long`)
  return name
}

/** A name as the DNS compares names: in lower case, without a final dot. */
export function dnsName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Whether a DNS name is that domain or below it. Both are as `dnsName` gives them. */
export function isInDomain(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`)
}

export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** The text without what PostgreSQL cannot store: U+0000 and lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

export function isUuid(text: string): boolean {
  return uuid.test(text)
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const ascii = /^[\0-\x7f]*$/
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
/** U+2800 is a letter without dots: as blank as a space, and no property says so. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u
