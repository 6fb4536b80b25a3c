import type { DkimResult } from './dkim.ts'

/** The results of SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 9989) for a message, as in RFC 8601. */
export interface Verdict {
  readonly spf: SpfVerdict
  readonly dkim: readonly DkimResult[]
  readonly dmarc: DmarcVerdict
  /** What the authors' domains request for a message that is not theirs; `none` if it is. */
  readonly disposition: Exclude<Disposition, 'defer'>
  /** One of our own mailboxes sent it, authenticated by a key: nothing to check. */
  readonly own?: true
  /** For a message that comes back: the Authentication-Results field of its first arrival. */
  readonly found?: string
}

/** A verdict that may still require deferral. */
export type Judgement = Omit<Verdict, 'disposition'> & { readonly disposition: Disposition }

/** What to do with a message by the policies of its authors' domains. `defer`: a temporary error left open whether the message is
 *  theirs, and their policy is not `none`. */
export type Disposition = 'none' | 'quarantine' | 'defer' | 'reject'

/** The result of DMARC (RFC 9989). */
export interface DmarcVerdict {
  readonly result: string
  /** The author's domain that decided. */
  readonly domain: string
  /** The strictest policy of the authors' domains. */
  readonly policy: string
  /** Each author's domain has a valid signature. */
  readonly dkimAligned: boolean
}

/** SPF's result (RFC 7208), for the envelope sender's domain or, if the sender is null, for the name in EHLO. */
export interface SpfVerdict {
  readonly result: string
  readonly domain: string
  readonly identity: 'mailfrom' | 'helo'
}
