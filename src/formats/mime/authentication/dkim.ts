import { Readable } from 'node:stream'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { inTurns } from '#/base/event-loop/pieces.ts'
import { canonicalDomain } from '../address/address.ts'
import { type Headers, readHeaders } from '../header/headers.ts'

/** The result for one signature (RFC 6376). */
export interface DkimResult {
  /** Of RFC 8601, section 2.7.1. */
  readonly result: string
  readonly comment: string
  readonly domain: string
  readonly selector: string
  /** The first octets of the signature, which identify it in the message. */
  readonly signature: string
}

/** Answers as node:dns does. */
export type LookUp = (name: string, type: string) => Promise<string[]>

/** More than honest messages have. Each costs a query. */
const MOST_SIGNATURES = 10
/** Limit for different hashes of the body. Nearly all signatures use the same one; each takes 0.1 to 0.6 s for 25 MiB. */
const MOST_HASHES = 3
/** mailauth reads a header octet by octet. */
const LARGEST_HEADER = 256 * 1024

/** Results for signatures over the limits, without verification; undefined if they are to be verified. */
export function unverified(raw: Buffer, headers: Headers): DkimResult[] | undefined {
  const signatures = headers.count('dkim-signature')
  if (signatures === 0) return []
  if (signatures > MOST_SIGNATURES) return neutral('too many signatures')
  const end = raw.indexOf('\r\n\r\n')
  if (end < 0 || end > LARGEST_HEADER) return neutral('header too large')
  if (new Set(headers.all('dkim-signature').map(hashOf)).size > MOST_HASHES) return neutral('too many hashes')
  return undefined
}

function neutral(comment: string): DkimResult[] {
  return [{ result: 'neutral', comment, domain: '', selector: '', signature: '' }]
}

/** The tags on which the hash of the body depends: `a`, `c` and `l` (section 3.5), as written. */
function hashOf(signature: string): string {
  const tags = tagsOf(signature).filter(([name]) => name === 'a' || name === 'c' || name === 'l')
  return tags.sort().join(';').toLowerCase()
}

/** The DNS names of the keys of verifiable signatures. */
export function keyNames(headers: Headers): string[] {
  if (headers.count('dkim-signature') > MOST_SIGNATURES) return []
  return headers.all('dkim-signature').flatMap((signature) => {
    const tags = new Map(tagsOf(signature))
    const [selector, domain] = [tags.get('s'), canonicalDomain(tags.get('d') ?? '')]
    return selector && domain ? `${selector}._domainkey.${domain}` : []
  })
}

function tagsOf(signature: string): [name: string, value: string][] {
  return signature.split(';').map((tag) => {
    const [name = '', ...value] = tag.replace(/\s/g, '').split('=')
    return [name.toLowerCase(), value.join('=')]
  })
}

/** Octets that are hashed in one turn of the event loop: half a millisecond for each hash. mailauth itself
 *  does not yield. */
const PIECE = 16 * 1024

/** Queries the keys and verifies all signatures. A valid one that does not fix what a reader sees is `policy` (RFC 8601, section
 *  2.7.1), and so is one by rsa-sha1 (RFC 8301, section 3.1). */
export async function verifySignatures(raw: Buffer, lookUp: LookUp): Promise<DkimResult[]> {
  const options = { resolver: lookUp, strict: true }
  const { results } = await dkimVerify(Readable.from(inTurns(raw, PIECE)), options)
  const { headers } = readHeaders(raw)
  return results.map(({ status, signingDomain, selector, signature, signingHeaders }) => {
    const open = status.result === 'pass' ? leftOpen(headers, signingHeaders?.keys ?? '', status.underSized) : undefined
    return {
      result: open ? 'policy' : status.result,
      comment: open ?? status.comment ?? '',
      domain: signingDomain ?? '',
      selector: selector ?? '',
      signature: (signature ?? '').replace(/\s/g, '').slice(0, 8),
    }
  })
}

/** Fields that a header has once (RFC 5322, section 3.6; RFC 2045, section 3). */
const SINGLETONS = [
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'subject', 'date', 'message-id', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'content-disposition'],
]

/** What could have been added to the message without breaking the signature: a body beyond `l=`, or a second field before the
 *  signed one (RFC 6376, sections 8.2 and 8.15). `signed` has the names of signed fields. */
function leftOpen(headers: Headers, signed: string, unsignedOctets = 0): string | undefined {
  if (unsignedOctets > 0) return 'part of the body is not signed'
  const twice = SINGLETONS.filter((name) => headers.count(name) > 1)
  if (twice.length === 0) return undefined
  const names = signed.split(':').map((name) => name.trim().toLowerCase())
  const open = twice.find((name) => names.filter((one) => one === name).length < headers.count(name))
  return open && `${open} is there twice`
}
