/** A message that is to be sent later, without its content. */
export interface Scheduled {
  readonly id: string
  /** The mailbox's address or alias that sends. */
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

/** A message composed without its Date and signatures. */
export interface Draft extends Omit<Scheduled, 'status' | 'lastError' | 'createdAt'> {
  readonly organizationId: string
  readonly mailboxId: string
  /** Each once, in canonical form. */
  readonly recipients: readonly string[]
  readonly raw: Buffer
}

/** The longest list (docs/reference/scheduled.md). */
export const mostListed = 200
