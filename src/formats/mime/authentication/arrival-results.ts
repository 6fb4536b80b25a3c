import { readHeaders } from '../header/headers.ts'

/** What authentication found as a message arrived here, from the field that was put in front of it then. */
export interface ArrivalResults {
  /** The authserv-id of the field (RFC 8601, section 2.5), in lower case: readers of the results compare it. */
  readonly by: string
  readonly spf: string
  /** `pass` if any signature is valid, else the result of the first. */
  readonly dkim: string
  readonly dmarc: string
  /** The domain that is proven to have sent the message: its author's if that is, else one of a signature or of the envelope. */
  readonly domain: string | null
  /** Whether that is the author's domain, or the author's domain vouches for it by DMARC. */
  readonly aligned: boolean
}

/** Longer fields are not ours. */
const mostBytes = 64 << 10
const longestName = 320

/** Null unless the message begins with the three fields of an arrival: Return-Path, Authentication-Results and Received. A sender
 *  can forge these fields, but not in front of ours. Null too for mail between mailboxes of this installation, for which nothing
 *  was checked: its result of DMARC names no author. */
export function arrivalResults(raw: Buffer): ArrivalResults | null {
  const { headers } = readHeaders(raw, 0, Math.min(raw.length, mostBytes), 3)
  const [first, second, third] = headers.fields
  if (first?.start !== 0 || first.name !== 'return-path') return null
  if (second?.name !== 'authentication-results' || third?.name !== 'received') return null
  return readResults((headers.first('authentication-results') ?? '').replaceAll('\0', '').toWellFormed())
}

/** Reads a field as `authenticationResultsField` writes it; null for any other. */
function readResults(value: string): ArrivalResults | null {
  const [by = '', ...clauses] = splitOutsideQuotes(value, ';')
  const checks = clauses.map((clause) => new Map(splitOutsideQuotes(clause, ' \t').map(property)))
  const [spf] = checks.filter((check) => check.has('spf'))
  const dkim = checks.filter((check) => check.has('dkim'))
  const [dmarc] = checks.filter((check) => check.has('dmarc'))
  const author = dmarc?.get('header.from')?.toLowerCase()
  if (!spf || !dkim[0] || !dmarc || (dmarc.get('dmarc') === 'none' && !author)) return null
  const proven = [
    ...dkim.filter((check) => check.get('dkim') === 'pass').map((check) => check.get('header.d')),
    ...(spf.get('spf') === 'pass' ? [spf.get('smtp.mailfrom') || spf.get('smtp.helo')] : []),
  ].flatMap((name) => (name && name.length <= longestName ? [domainOf(name)] : []))
  const aligned = author !== undefined && (dmarc.get('dmarc') === 'pass' || isAuthors(dmarc, author, proven))
  return {
    by: by.trim().toLowerCase(),
    spf: word(spf.get('spf')),
    dkim: dkim.some((check) => check.get('dkim') === 'pass') ? 'pass' : word(dkim[0].get('dkim')),
    dmarc: word(dmarc.get('dmarc')),
    domain: aligned ? author : (proven[0] ?? null),
    aligned,
  }
}

/** Without a policy that could be found, only the very same domain counts. */
function isAuthors(dmarc: ReadonlyMap<string, string>, author: string, proven: readonly string[]): boolean {
  return ['none', 'temperror'].includes(dmarc.get('dmarc') ?? '') && proven.includes(author)
}

function domainOf(name: string): string {
  return name.slice(name.lastIndexOf('@') + 1).toLowerCase()
}

function word(text = ''): string {
  return /^[a-z]{1,20}$/.test(text) ? text : 'none'
}

function property(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 0) return [text, '']
  const value = text.slice(equals + 1)
  const isPlain = !value.includes('"') && !value.includes('\\')
  return [text.slice(0, equals), isPlain ? value : value.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/gs, '$1')]
}

/** The parts between any of the characters, without empty ones. A backslash in quotes takes the next character with it. */
function splitOutsideQuotes(text: string, breaks: string): string[] {
  if (!text.includes('"')) return partsOf(text, breaks)
  const parts: string[] = []
  let [start, quoted] = [0, false]
  for (let at = 0; at <= text.length; at++) {
    const char = text.charAt(at)
    if (quoted && char === '\\') at++
    else if (char === '"') quoted = !quoted
    else if (at === text.length || (!quoted && breaks.includes(char))) {
      if (at > start) parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return parts
}

function partsOf(text: string, [first = '', ...others]: string): string[] {
  const one = others.reduce((before, other) => before.replaceAll(other, first), text)
  return one.split(first).filter((part) => part !== '')
}
