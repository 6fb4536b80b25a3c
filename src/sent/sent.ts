/** What may become of a recipient. */
export const sentStates = ['queued', 'deferred', 'delivered', 'bounced', 'complained'] as const

export type SentState = (typeof sentStates)[number]

/** A recipient of a message that was sent. */
export interface SentRecipient {
  /** Null where a Private mailbox sent. */
  readonly address: string | null
  readonly state: SentState
  /** Since when; null of one who waits. */
  readonly at: Date | null
  readonly status: string | null
  readonly reply: string | null
  readonly reason: string | null
  readonly host: string | null
  /** Of one who waits, unless it is being tried. */
  readonly nextAttemptAt: Date | null
}

/** A message that was sent. */
export interface Sent {
  readonly id: string
  /** Null once the mailbox is gone. */
  readonly mailbox: string | null
  readonly sender: string
  readonly queuedAt: Date
  /** `queuedAt` in microseconds. */
  readonly at: number
  readonly recipients: readonly SentRecipient[]
}

/** The longest page of the list. */
export const mostListed = 200
