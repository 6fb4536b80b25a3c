import { normalized } from '#/base/text/unicode.ts'
import { decodeText } from '../header/encoded-words.ts'
import type { Headers } from '../header/headers.ts'
import { canonicalAddress, canonicalDomain, splitAddress } from './address.ts'
import { type AddressList, readAddressList } from './address-list.ts'

/** The authors of a message: all addresses that some reader may show as one, even against RFC 5322. */
export interface Authors {
  /** As written; unusual ones as `local@domain`. */
  readonly addresses: readonly string[]
  /** The domains of these, in lower case and ASCII form. */
  readonly domains: readonly string[]
  /** False if readers may show different authors: there is not one From, it has no address, or an address has an impossible domain
   *  or looks like another. */
  readonly clear: boolean
  /** False if From was not read to its end. */
  readonly complete: boolean
}

/** Limit for the texts around each `@`: two for each of 1,000 authors, as written and decoded. */
const MOST_SHOWN = 4_000
/** Limit for a local part. */
const LONGEST_LOCAL = 320

/** Takes time linear in the length of From. */
export function readAuthors(headers: Headers): Authors {
  const fields = headers.all('from')
  const plain = fields.length === 1 ? plainAuthor(fields[0] ?? '') : undefined
  if (plain) return { ...plain, clear: true, complete: headers.isWhole('from') }
  const lists = fields.map(readAddressList)
  const asWritten = lists.flatMap(addressesOf)
  // Some readers decode first (RFC 2047 says last) and take a name for an address.
  const clearly = asWritten.length > 0 && asWritten.every(isClear)
  const decoded = fields.flatMap((field) => readDecoded(field, clearly))
  const named = [...new Set([...asWritten, ...decoded.flatMap(addressesOf)])]
  // Without an address, readers may show any text with an @.
  const strays =
    named.length > 0 ? lists.flatMap((list) => list.strays) : fields.flatMap((one) => [one, looksLike(one)])
  const few = [...named, ...strays].reduce((sum, text) => sum + text.split('@').length, 0) <= MOST_SHOWN
  const shown = few ? [...named, ...strays].flatMap(addressesIn) : []
  return {
    addresses: [...new Set(few ? [...named, ...strays].flatMap(asBlocked) : named)],
    domains: [...new Set(shown.map((address) => address.slice(address.lastIndexOf('@') + 1)))],
    clear: fields.length === 1 && clearly && named.every(isClear),
    complete: few && headers.isWhole('from') && [...lists, ...decoded].every(({ complete }) => complete),
  }
}

/** The author of a From with one usual address and a name in which no reader finds another: so have nearly all messages. It is what
 *  the rules for all others find too. */
function plainAuthor(field: string): Pick<Authors, 'addresses' | 'domains'> | undefined {
  const address = PLAIN.exec(field)?.[1] ?? ''
  const domain = address.length <= LONGEST_LOCAL ? canonicalDomain(address.slice(address.indexOf('@') + 1)) : undefined
  return domain === undefined ? undefined : { addresses: [address], domains: [domain] }
}

const PLAIN = /^(?:[\w .'-]*|"[^"\\@=<>\x00-\x1f\x7f-\uffff]*") ?<([\w.+-]+@[A-Za-z0-9.-]+)>$/

/** The decoded list, if decoding may show another address. */
function readDecoded(field: string, clearly: boolean): AddressList[] {
  if (!field.includes('=?')) return []
  const decoded = decodeText(field)
  return clearly && decoded.split('@').length === field.split('@').length ? [] : [readAddressList(decoded)]
}

/** Decodes, and replaces a full-width @. */
function looksLike(field: string): string {
  return normalized(decodeText(field), 'NFKC')
}

function addressesOf({ addresses }: AddressList): string[] {
  return addresses.flatMap(({ address }) => address || [])
}

/** Blocks compare an unusual address as it is displayed. */
function asBlocked(text: string): string[] {
  return canonicalAddress(text) === undefined ? [text, ...addressesIn(text)] : [text]
}

/** The text around each `@`: mostly one address. For some readers white space ends a domain, for others not. */
function addressesIn(text: string): string[] {
  const pieces = text.split('@')
  return pieces.slice(1).flatMap((piece, place) => {
    const after = /^[^<>"(),:;[\]\\]*/.exec(piece.trimStart())?.[0] ?? ''
    const domains = new Set([after, after.split(/\s/, 1)[0] ?? ''].flatMap(nearestDomain))
    const before = (pieces[place] ?? '').slice(-LONGEST_LOCAL).replace(/["\s]+$/, '')
    const local = /[^\s<>"(),:;[\]\\]*$/.exec(before)?.[0] ?? ''
    return Array.from(domains, (domain) => `${local}@${domain}`)
  })
}

/** The domain in canonical form. For an invalid one, the domain that it looks like. */
function nearestDomain(written: string): string[] {
  const domain = canonicalDomain(written)
  if (domain !== undefined) return [domain]
  const shown = normalized(written, 'NFKC')
    .replace(INVISIBLE, '')
    .replace(/[.\u3002]+/g, '.')
    .replace(/^\./, '')
  const near = canonicalDomain(shown) ?? /^[\w.-]*[a-z0-9-]/i.exec(shown)?.[0].toLowerCase()
  return near !== undefined && isHost(near) ? [near] : []
}

/** Names of hosts may have underscores. */
function isHost(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name) && !/(^|\.)\d+$/.test(name)
}

const INVISIBLE = /[\s\p{C}\p{Default_Ignorable_Code_Point}]+/gu

/** Whether all readers show the same address: its domain is possible, and nothing changes the direction of the text. */
function isClear(address: string): boolean {
  const { domain = '' } = splitAddress(address) ?? {}
  return (canonicalDomain(domain) !== undefined || isHost(domain.toLowerCase())) && !/\p{Bidi_Control}/u.test(address)
}
