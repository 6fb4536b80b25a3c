import { decodeBytes } from '../charset.ts'
import { decodeText } from './encoded-words.ts'
import { withoutComments } from './lexical.ts'

const MOST_PARAMETERS = 100

/** A value with parameters: Content-Type, Content-Disposition (RFC 2045, section 5.1). */
export interface Parameterized {
  /** The value before the parameters, in lower case. */
  readonly value: string
  /** By name in lower case, decoded (RFC 2231 and, as mailers write them, encoded words), in one line. */
  readonly parameters: ReadonlyMap<string, string>
}

/** Accepts unquoted values with spaces, missing quotes and doubled semicolons. Never throws. */
export function parseParameters(text: string): Parameterized {
  const value = /^[^\s;(]*/.exec(text)?.[0] ?? ''
  const written = readPairs(text, value.length)
  const parameters = new Map<string, string>()
  const continued = new Map<string, Segment[]>()
  for (const [name, part] of written) {
    const star = name.indexOf('*')
    if (star < 0) {
      if (!parameters.has(name)) parameters.set(name, decodeText(part))
    } else {
      const base = name.slice(0, star)
      const segments = continued.get(base) ?? []
      continued.set(base, segments)
      const [, number = '', encoded = ''] = /^\*(\d{0,4})(\*?)$/.exec(name.slice(star)) ?? []
      const index = number === '' ? WHOLE : Number(number)
      segments.push({ index, text: part, encoded: encoded === '*' || number === '' })
    }
  }
  // The extended form has precedence over the plain one (RFC 6266, section 4.3).
  for (const [name, segments] of continued) parameters.set(name, joinSegments(segments))
  return { value: value.toLowerCase(), parameters }
}

/** The index of a value that is not in segments. */
const WHOLE = -1

interface Segment {
  readonly index: number
  readonly text: string
  readonly encoded: boolean
}

/** The parameters as they are written, without quotes, from this place on: names in lower case, nothing decoded or joined. */
export function readPairs(text: string, start: number): [name: string, value: string][] {
  const pairs: [string, string][] = []
  const pair = /[\s;]*(?:([^\s;=]+)\s*=\s*(?:"([^"\\]*(?:\\[\s\S][^"\\]*)*)"?|((?:\([^()]*\)|[^;])*))|[^\s;]+)/y
  pair.lastIndex = start
  for (let match = pair.exec(text); match && pairs.length < MOST_PARAMETERS; match = pair.exec(text)) {
    const [, name, quoted, plain] = match
    // Only these two: Windows programs send `C:\dir\file` unescaped.
    if (name === undefined) continue
    const key = name.toLowerCase()
    if (quoted === undefined && plain !== undefined) {
      const next = plain.search(NEXT)
      if (next >= 0) pair.lastIndex -= plain.length - next
      pairs.push([key, unquoted(key, next < 0 ? plain : plain.slice(0, next))])
    } else pairs.push([key, quoted?.replace(/\\(["\\])/g, '$1') ?? ''])
  }
  return pairs
}

/** Where the next parameter starts that no semicolon separates. */
const NEXT =
  /\s(?:boundary|charset|name|filename|format|delsp|type|start|protocol|micalg|report-type|method|size)\*?\d{0,2}\*?\s*=/i

/** A comment belongs to no token (RFC 2045, section 5.1), but to the name of a file, whose quotes are missing. */
function unquoted(name: string, value: string): string {
  return /^(?:file)?name\b/.test(name) || !value.includes('(') ? value.trim() : withoutComments(value)
}

/** RFC 2231, section 4.1: the first segment says the charset, and each says for itself whether it is encoded. */
function joinSegments(segments: Segment[]): string {
  const sorted = segments.toSorted((a, b) => a.index - b.index)
  // A whole value beside segments is the same again; of a segment that is there twice the first counts.
  const inOrder =
    sorted[0]?.index === WHOLE ? sorted.slice(0, 1) : sorted.filter(({ index }, at) => index !== sorted[at - 1]?.index)
  let charset = 'utf-8'
  const bytes = inOrder.map(({ text, encoded }, place) => {
    const labelled = place === 0 && encoded ? /^([^']*)'[^']*'/.exec(text) : null
    if (labelled) charset = labelled[1] ?? ''
    const rest = labelled ? text.slice(labelled[0].length) : text
    return encoded ? percentDecode(rest) : Buffer.from(rest)
  })
  return decodeText(decodeBytes(Buffer.concat(bytes), charset))
}

function percentDecode(text: string): Buffer {
  const octets = Buffer.from(text).toString('latin1')
  return Buffer.from(
    octets.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
