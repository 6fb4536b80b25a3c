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
  readonly status: 'pending' | 'sending' | 'failed' | 'cancelled'
  readonly lastError: string | null
  readonly attachmentCount: number
  /** Whether an answer cancels it. */
  readonly unlessReplied: boolean
  readonly scheduledBy: 'api_key' | 'member'
  /** Null for a key, and for a member who was removed. */
  readonly scheduledByMember: { readonly id: string; readonly email: string } | null
  /** Null for a member, and if unknown. */
  readonly scheduledByKey: { readonly id: string; readonly name: string } | null
  readonly createdAt: Date
}

/** A message composed without its Date and signatures. */
export interface NewScheduled
  extends Omit<
    Scheduled,
    'status' | 'unlessReplied' | 'lastError' | 'createdAt' | 'scheduledBy' | 'scheduledByMember' | 'scheduledByKey'
  > {
  readonly organizationId: string
  readonly mailboxId: string
  readonly by: 'api_key' | 'member'
  /** The id of the key or member that schedules it. */
  readonly byId: string
  /** Each once, in canonical form. */
  readonly recipients: readonly string[]
  readonly raw: Buffer
  /** The marks of the Message-IDs by which an answer cancels it; null if none does. */
  readonly answerMarks: readonly string[] | null
}

/** The longest list (docs/reference/scheduled.md). */
export const mostListed = 200
