/** An address that nothing is sent to. */
export interface Suppression {
  readonly id: string
  readonly address: string
  readonly cause: 'bounced' | 'complained'
  readonly status: string | null
  readonly reply: string | null
  readonly suppressed_at: Date
  /** Whose message came back last; null once the mailbox is gone. */
  readonly mailbox: string | null
}

/** Why a recipient is refused, without a full stop. */
export const suppressed = 'Nothing is sent to this address, since mail to it bounced twice or was called spam'

/** Mail that came back from an address. */
export interface CameBack {
  readonly organizationId: string
  readonly mailboxId: string | null
  readonly address: string
  readonly cause: 'bounced' | 'complained'
  readonly status: string | null
  readonly reply: string | null
}

/** The longest page of the list. */
export const mostListed = 200

/**
 * Whether a refusal says that an address is no good, and not that a message is: of the codes of RFC 3463 those of the address (X.1),
 * but for the sender's, and a disabled mailbox; without such a code, replies that RFC 5321 has for mailboxes.
 */
export function isAddressFailure(status: string | null, reply: string): boolean {
  if (/^5\.1\.(?!7$|8$)\d+$/.test(status ?? '') || status === '5.2.1') return true
  return /^5\.[05]\.0$/.test(status ?? '5.0.0') && /^55[013]\b/.test(reply)
}
