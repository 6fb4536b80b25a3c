/** A message that is to be sent later, without what it says. */
export interface Scheduled {
  readonly id: string
  /** The mailbox's address, or the alias that it writes as. */
  readonly from: string
  /** As the caller wrote them. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  readonly sendAt: Date
  readonly status: 'pending' | 'sending' | 'failed'
  readonly lastError: string | null
  readonly attachmentCount: number
  readonly scheduledBy: 'api_key' | 'member'
  readonly createdAt: Date
}

/** A message as it is scheduled: composed, but for its Date and its signatures. */
export interface Draft extends Omit<Scheduled, 'status' | 'lastError' | 'createdAt'> {
  readonly organizationId: string
  readonly mailboxId: string
  /** Everyone it goes to, once each, in canonical form. */
  readonly recipients: readonly string[]
  readonly raw: Buffer
}

/** A list is at most this long (docs/reference/scheduled.md). */
export const mostListed = 200
