/** The states of a recipient. */
export const sentStates = ['queued', 'deferred', 'delivered', 'bounced', 'complained'] as const

export type SentState = (typeof sentStates)[number]

/** A recipient of a message that was sent. */
export interface SentRecipient {
  /** Null if a Private mailbox sent the message. */
  readonly address: string | null
  readonly state: SentState
  /** The time of the state; null while the recipient is in the queue. */
  readonly at: Date | null
  readonly status: string | null
  readonly reply: string | null
  readonly reason: string | null
  readonly host: string | null
  /** The next attempt of a recipient in the queue; null while it is being sent. */
  readonly nextAttemptAt: Date | null
}

/** A message that was sent. */
export interface Sent {
  readonly id: string
  /** Null once the mailbox is deleted. */
  readonly mailbox: string | null
  readonly sender: string
  readonly queuedAt: Date
  /** `queuedAt` in microseconds. */
  readonly at: number
  readonly recipients: readonly SentRecipient[]
}

/** The longest page of the list. */
export const mostListed = 200
