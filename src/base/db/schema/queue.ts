import type { Generated } from 'kysely'

export interface QueueTables {
  outbound_messages: OutboundMessages
  outbound_pieces: OutboundPieces
  outbound_recipients: OutboundRecipients
  scheduled_usage: ScheduledUsage
}

/** The state of a message; docs/mail-out.md draws the states. */
export type MessageState = 'uncomposed' | 'queued' | 'scheduled' | 'sending' | 'copy_pending' | 'failed'

interface OutboundMessages {
  id: string
  organization_id: string
  mailbox_id: string | null
  kind: 'sent' | 'scheduled' | 'notice' | 'relayed' | 'returned' | 'reply'
  state: Generated<MessageState>
  sender: string
  smtp_utf8: boolean
  eight_bit: boolean
  size_bytes: number
  concealed: Generated<boolean>
  verdict: Generated<Buffer | null>
  source: Generated<Buffer | null>
  created_at: Date
  queued_at: Date
  send_at: Date | null
  allowance_due: Generated<number>
  fields: Buffer | null
  attachment_count: number | null
  scheduled_by: 'api_key' | 'member' | null
  scheduled_by_member: string | null
  scheduled_by_key: Generated<string | null>
  last_error: string | null
  failed_at: Date | null
  answer_marks: Generated<string[] | null>
  answered_at: Generated<Date | null>
  copy_due_at: Date | null
}

interface OutboundPieces {
  message_id: string
  number: number
  bytes: Buffer
}

interface OutboundRecipients {
  id: Generated<number>
  message_id: string
  organization_id: string
  recipient: string
  route: string
  state: Generated<'held' | 'waiting' | 'suspect' | 'sending'>
  due_at: Date
  leased_until: Date | null
  lease_epoch: Generated<number>
  end_of_data_sent: Generated<boolean>
  attempts: Generated<number>
  cut_short: Generated<number>
  doubted_at: Date | null
  told_at: Date | null
  reply: string | null
  reason: string | null
  host: string | null
}

interface ScheduledUsage {
  organization_id: string
  messages: number
  bytes: number
}
