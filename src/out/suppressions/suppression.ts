/** A suppressed address. */
export interface Suppression {
  readonly id: string
  readonly address: string
  readonly cause: 'bounced' | 'complained'
  readonly status: string | null
  readonly reply: string | null
  readonly suppressed_at: Date
  /** The mailbox whose message bounced last; null once it is deleted. */
  readonly mailbox: string | null
}

/** Why a recipient is refused, without a full stop. */
export const suppressed = 'Nothing is sent to this address, since mail to it bounced twice or was called spam'

/** A bounce or complaint from an address. */
export interface Bounce {
  readonly organizationId: string
  readonly mailboxId: string | null
  readonly address: string
  readonly cause: 'bounced' | 'complained'
  readonly status: string | null
  readonly reply: string | null
}

/** The longest page of the list. */
export const mostListed = 200

/** Whether a refusal says that the address is invalid rather than the message. Such codes of RFC 3463 are those about the
 *  address (X.1), except the sender's, and that of a disabled mailbox. Without a code, such replies are those of RFC 5321
 *  about mailboxes. */
export function isAddressFailure(status: string | null, reply: string): boolean {
  if (/^5\.1\.(?!7$|8$)\d+$/.test(status ?? '') || status === '5.2.1') return true
  return /^5\.[05]\.0$/.test(status ?? '5.0.0') && /^55[013]\b/.test(reply)
}
