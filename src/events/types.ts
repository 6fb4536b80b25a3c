/** The types of events (docs/reference/events.md). */
export const eventTypes = [
  'message.received',
  'message.refused',
  'message.changed',
  'message.deleted',
  'message.queued',
  'message.delivered',
  'message.deferred',
  'message.bounced',
  'message.complained',
  'scheduled.created',
  'scheduled.sent',
  'scheduled.failed',
  'scheduled.cancelled',
  'approval.created',
  'approval.changed',
  'auto_reply.sent',
  'label.created',
  'label.changed',
  'label.deleted',
  'filter.created',
  'filter.changed',
  'filter.deleted',
  'block.created',
  'block.deleted',
  'mailbox.created',
  'mailbox.changed',
  'mailbox.deleted',
  'forwarding.paused',
  'webhook.paused',
  'quota.reached',
] as const

export type EventType = (typeof eventTypes)[number]

/** Tells the pages of members that settings have changed of which no event tells. Nobody else is told. */
export const settingsChanged = 'settings.changed'

/** What a message event says of a message. What the message says is read from the message itself. */
export interface MessageData {
  readonly folder: string
  /** Null where the mail server did not tell. */
  readonly uid: number | null
  readonly moved_from?: { readonly folder: string; readonly uid: number }
  readonly unread?: boolean
  readonly starred?: boolean
  readonly added_labels?: string[]
  readonly removed_labels?: string[]
  /** All that it has, where nobody knows what it had before. */
  readonly labels?: string[]
}

/** What is told of a message that leaves. */
export interface SendingData {
  /** The id that sending answered. */
  readonly sent: string
  /** Whom it is about. */
  readonly recipients?: RecipientData[]
  /** Why it has failed. */
  readonly reason?: string
}

export interface RecipientData {
  /** Null where a Private mailbox sends. */
  readonly address: string | null
  /** What the next server said. */
  readonly reply?: string
  readonly reason?: string
}

/** Mail that was refused. */
export interface RefusalData {
  /** The envelope sender, empty for the null one; null where it is for a Private mailbox. */
  readonly sender: string | null
  readonly recipient: string
  readonly because: 'unknown' | 'blocked' | 'dmarc'
}

/** How much of a limit of the plan is used. */
export interface QuotaData {
  readonly quota: 'storage' | 'sending'
  readonly percent: number
  readonly used: number
  readonly limit: number
}

/** A label, filter, block, mailbox or approval. */
export interface ItemData {
  readonly id: string | null
  /** As it was then. Of an approval its status. */
  readonly name: string
}
