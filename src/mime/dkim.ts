import { Readable } from 'node:stream'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { inTurns } from '#/event-loop/pieces.ts'
import { canonicalDomain } from './address.ts'
import { type Headers, readHeaders } from './headers.ts'

/** What was found of one signature (RFC 6376). */
export interface DkimResult {
  /** Of RFC 8601 2.7.1. */
  readonly result: string
  readonly comment: string
  readonly domain: string
  readonly selector: string
  /** The first octets of the signature, which tell it from the message's others. */
  readonly signature: string
}

/** Answers as node:dns does. */
export type LookUp = (name: string, type: string) => Promise<string[]>

/** More than any honest message bears; each costs a look-up. */
const MOST_SIGNATURES = 10
/** Different hashes of the body that signatures ask for, where nearly all ask for the same one. Each takes 0.1 to 0.6 s for
 *  25 MiB. */
const MOST_HASHES = 3
/** mailauth reads a header octet by octet. */
const LARGEST_HEADER = 256 * 1024

/** What is said of a message's signatures without looking at them; undefined where they are to be verified. */
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

/** What the hash of the body depends on: the tags `a`, `c` and `l` (section 3.5), each as it is written. */
function hashOf(signature: string): string {
  const tags = tagsOf(signature).filter(([name]) => name === 'a' || name === 'c' || name === 'l')
  return tags.sort().join(';').toLowerCase()
}

/** Where the keys of the signatures are, of those that may be verified. */
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
const BODY_CHANGED = 'body hash did not verify'

/** Looks up the keys and verifies all signatures. One that holds, but leaves open what a reader is shown, is against our
 *  policy (RFC 8601, section 2.7.1), as is one by rsa-sha1 (RFC 8301, section 3.1). */
export async function verifySignatures(raw: Buffer, lookUp: LookUp): Promise<DkimResult[]> {
  const options = { resolver: lookUp, rejectRsaSha1: true }
  const { results } = await dkimVerify(Readable.from(inTurns(raw, PIECE)), options)
  const { headers } = readHeaders(raw)
  return results.map(({ status, signingDomain, selector, signature, signingHeaders }) => {
    const open = status.result === 'pass' ? leftOpen(headers, signingHeaders?.keys ?? '', status.underSized) : undefined
    return {
      // A body that was changed is a failure (RFC 8601 2.7.1), which mailauth calls neutral.
      result: open ? 'policy' : status.comment === BODY_CHANGED ? 'fail' : status.result,
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

/** What of a message somebody may have added to it without breaking the signature: a body beyond `l=`, or a second field
 *  in front of the one that is signed (RFC 6376, sections 8.2 and 8.15). `signed` names the fields that are. */
function leftOpen(headers: Headers, signed: string, unsignedOctets = 0): string | undefined {
  if (unsignedOctets > 0) return 'part of the body is not signed'
  const twice = SINGLETONS.filter((name) => headers.count(name) > 1)
  if (twice.length === 0) return undefined
  const names = signed.split(':').map((name) => name.trim().toLowerCase())
  const open = twice.find((name) => names.filter((one) => one === name).length < headers.count(name))
  return open && `${open} is there twice`
}
