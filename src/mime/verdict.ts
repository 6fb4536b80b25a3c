import type { DkimResult } from './dkim.ts'

/** What SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 9989) say of a message. Results are those of RFC 8601. */
export interface Verdict {
  readonly spf: SpfVerdict
  readonly dkim: readonly DkimResult[]
  readonly dmarc: DmarcVerdict
  /** What the authors' domains ask to be done with a message of which they know nothing; `none` where they do. */
  readonly disposition: Exclude<Disposition, 'defer'>
  /** One of our own mailboxes sent it: a key has said who it is from, and there is nothing to check. */
  readonly own?: true
  /** What was found when the message first came in, as an Authentication-Results field, where it comes in again. */
  readonly found?: string
}

/** The same before it is known what becomes of a message of which not all could be found out. */
export type Judgement = Omit<Verdict, 'disposition'> & { readonly disposition: Disposition }

/** What is to be done with a message, by what its authors' domains ask for. `defer`: it could not be found out whether the
 *  message is theirs, and they ask for more than to be told. */
export type Disposition = 'none' | 'quarantine' | 'defer' | 'reject'

/** What DMARC (RFC 9989) says of a message. */
export interface DmarcVerdict {
  readonly result: string
  /** The author's domain that decided. */
  readonly domain: string
  /** The strictest that an author's domain asks for. */
  readonly policy: string
  /** A signature of each author's domain holds, whoever handed the message in. */
  readonly dkimAligned: boolean
}

/** SPF's result (RFC 7208), for the envelope sender's domain or, where the sender is null, for the name in EHLO. */
export interface SpfVerdict {
  readonly result: string
  readonly domain: string
  readonly identity: 'mailfrom' | 'helo'
}
