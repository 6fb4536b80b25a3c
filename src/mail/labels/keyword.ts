import { hash } from 'node:crypto'
import { normalized } from '#/base/text/unicode.ts'
import { programTag } from './program-tags.ts'

/** Keywords with a meaning in mail programs. A label never gets one, only one with a suffix. */
const reserved = new Set(
  'junk nonjunk notjunk forwarded mdnsent seen answered flagged deleted draft recent old phishing'.split(' '),
)

const longest = 40

/** Whether it has a meaning in mail programs (RFC 5788: those that begin with `$`) other than that of a label, so that no label can have it. */
export function isReserved(keyword: string): boolean {
  return (keyword.startsWith('$') && !programTag(keyword)) || reserved.has(keyword)
}

/** The IMAP keyword of a new label: determined by the name, and not in use. `used` has the keywords of all labels of the
 *  organization and its members, living and deleted (docs/reference/labels.md, "Keywords"). */
export function keywordFor(name: string, used: ReadonlySet<string>): string {
  const derived = deriveKeyword(name)
  if (!reserved.has(derived) && !used.has(derived)) return derived
  for (let suffix = 2; ; suffix += 1) {
    const keyword = `${derived}-${suffix}`
    if (!used.has(keyword)) return keyword
  }
}

/** Atom characters only, whatever the name (RFC 9051, section 9): `Crème brûlée 2026` is `creme-brulee-2026`. */
export function deriveKeyword(name: string): string {
  const keyword = normalized(name, 'NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longest)
    .replace(/-$/, '')
  return keyword || `label-${fingerprint(name)}`
}

/** For a name without a Latin letter or digit. */
function fingerprint(name: string): string {
  return hash('sha256', normalized(name, 'NFC').toLowerCase(), 'hex').slice(0, 8)
}
