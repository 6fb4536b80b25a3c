import { unseen } from './finding.ts'

/** An SPF record as a list of terms (RFC 7208, sections 4.5 and 4.6.1). */
export interface SpfRecord {
  /** The terms before `all`, in order: mechanisms with their qualifiers, and modifiers. */
  readonly terms: readonly string[]
  /** `~all` or the like; undefined if the record has none. */
  readonly all: string | undefined
}

export function isSpf(text: string): boolean {
  return /^v=spf1( |$)/i.test(text)
}

/** Mechanisms after `all` are ignored (RFC 7208, section 5.1). */
export function readSpf(text: string): SpfRecord {
  const terms = text.split(' ').slice(1).filter(Boolean)
  const last = terms.findIndex((term) => isAll.test(term))
  if (last < 0) return { terms, all: undefined }
  const modifiers = terms.slice(last + 1).filter((term) => /^exp=/i.test(term))
  return { terms: [...terms.slice(0, last), ...modifiers], all: terms[last] }
}

/** One record that allows what all of the texts allow, with the given term first, and without their characters that nobody sees.
 *  Undefined if joining their terms does not merge them. */
export function mergedSpf(texts: readonly string[], term: string): string | undefined {
  const records = texts.map((text) => readSpf(text.replace(unseen, '')))
  const terms = new Set([term, ...records.flatMap((record) => record.terms)])
  const redirects = [...terms].filter((one) => /^redirect=/i.test(one))
  if (redirects.length > 0 && records.length > 1) return undefined
  const merged = ['v=spf1', ...terms, ...(redirects.length > 0 ? [] : [softest(records)])].join(' ')
  return merged.length <= longest ? merged : undefined
}

/** The mildest of several ends, so that nothing is refused that was not before. */
function softest(records: readonly SpfRecord[]): string {
  const ends = records.flatMap(({ all }) => (all === undefined ? [] : [all.toLowerCase()]))
  return ['?all', '~all', '-all'].find((end) => ends.includes(end)) ?? '~all'
}

const isAll = /^[+?~-]?all$/i

/** RFC 7208, section 3.4: a response with all TXT records of the name should fit 512 octets. */
const longest = 450
