import { Readable } from 'node:stream'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { inTurns } from '#/bytes.ts'
import type { Headers } from './headers.ts'

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
  const tags = signature.split(';').map((tag) => tag.replace(/\s/g, '').toLowerCase())
  return ['a=', 'c=', 'l='].map((name) => tags.find((tag) => tag.startsWith(name)) ?? '').join()
}

/** Octets that are hashed in one turn of the event loop: half a millisecond for each hash. mailauth itself lets nobody
 *  else have a turn. */
const PIECE = 16 * 1024
const BODY_CHANGED = 'body hash did not verify'

/** Looks up the keys and verifies all signatures. */
export async function verifySignatures(raw: Buffer, lookUp: LookUp): Promise<DkimResult[]> {
  const { results } = await dkimVerify(Readable.from(inTurns(raw, PIECE)), { resolver: lookUp })
  return results.map(({ status, signingDomain, selector, signature }) => ({
    // A body that was changed is a failure (RFC 8601 2.7.1), which mailauth calls neutral.
    result: status.comment === BODY_CHANGED ? 'fail' : status.result,
    comment: status.comment ?? '',
    domain: signingDomain ?? '',
    selector: selector ?? '',
    signature: (signature ?? '').replace(/\s/g, '').slice(0, 8),
  }))
}
