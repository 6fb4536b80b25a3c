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
  'scheduled.changed',
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

/** The field that has the data of an event, by its type or the first word of that. */
const subjects = {
  'message.refused': 'refusal',
  'message.queued': 'sending',
  'message.delivered': 'sending',
  'message.deferred': 'sending',
  'message.bounced': 'sending',
  'message.complained': 'sending',
  message: 'message',
  scheduled: 'sending',
  auto_reply: 'sending',
  quota: 'quota',
} as const

export type Subject = (typeof subjects)[keyof typeof subjects] | 'item'

export function subjectOf(type: EventType): Subject {
  const found: Readonly<Record<string, Subject>> = subjects
  return found[type] ?? found[type.split('.')[0] ?? ''] ?? 'item'
}

/** The types whose events have that field. */
export function typesWith(subject: Subject): EventType[] {
  return eventTypes.filter((type) => subjectOf(type) === subject)
}

/** Informs the web app of members that settings, or the folders of a mailbox, have changed without an event of their own. No
 *  other reader gets it. */
export const settingsChanged = 'settings.changed'

/** The data of an event about a message. Contents are read from the message itself. */
export interface MessageData {
  /** Its number (src/base/text/message-id.ts). */
  readonly id: number
  readonly folder: string
  readonly uid: number
  /** With another id for a draft that replaces an earlier one. */
  readonly moved_from?: { readonly id: number; readonly folder: string; readonly uid: number }
  readonly unread?: boolean
  readonly starred?: boolean
  readonly answered?: boolean
  readonly forwarded?: boolean
  readonly added_labels?: string[]
  readonly removed_labels?: string[]
}

/** The data of an event about sent mail. */
export interface SendingData {
  /** The id that the request to send answered. */
  readonly sent: string
  /** The recipients that the event concerns. */
  readonly recipients?: RecipientData[]
  /** Why it failed. */
  readonly reason?: string
}

export interface RecipientData {
  /** Null if a Private mailbox sends. */
  readonly address: string | null
  /** The reply of the next server. */
  readonly reply?: string
  readonly reason?: string
}

/** The data of an event about refused mail. */
export interface RefusalData {
  /** The envelope sender, empty for the null sender; null for a Private mailbox. */
  readonly sender: string | null
  readonly recipient: string
  readonly because: 'unknown' | 'blocked' | 'dmarc'
}

/** The data of an event about a limit of the plan. */
export interface QuotaData {
  readonly quota: 'storage' | 'sending'
  readonly percent: number
  readonly used: number
  readonly limit: number
}

/** The data of an event about a label, filter, block, mailbox or approval. */
export interface ItemData {
  readonly id: string | null
  /** The name at that time; for an approval its status. */
  readonly name: string
}
