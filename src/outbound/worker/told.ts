import type { Told } from '#/events/tell.ts'
import type { EventType, RecipientData, SendingData } from '#/events/types.ts'
import type { Outcome } from '#/ports/relay.ts'
import type { QueuedMessage } from '#/queue/message.ts'

type Became = 'delivered' | 'deferred' | 'bounced'

const sent = { delivered: 'message.delivered', deferred: 'message.deferred', bounced: 'message.bounced' } as const

/** What is told of a message that a mailbox sends. Of an auto-reply, that it has gone; of other messages nothing. */
const types: Partial<Readonly<Record<QueuedMessage['kind'], Partial<Readonly<Record<Became, EventType>>>>>> = {
  sent,
  scheduled: sent,
  reply: { delivered: 'auto_reply.sent' },
}

/** The event of what became of recipients; none where there are none. */
export function became(message: QueuedMessage, what: Became, outcomes: readonly Outcome[]): Told[] {
  const type = types[message.kind]?.[what]
  if (type === undefined || outcomes.length === 0) return []
  return sendingEvent(message, type, { recipients: outcomes.map((outcome) => recipientOf(message, outcome)) })
}

/** An event about a message, unless its mailbox is gone. */
export function sendingEvent(
  { id, organizationId, mailboxId }: Pick<QueuedMessage, 'id' | 'organizationId' | 'mailboxId'>,
  type: EventType,
  more: Omit<SendingData, 'sent'> = {},
): Told[] {
  return mailboxId === null ? [] : [{ organizationId, type, mailboxId, data: { sent: id, ...more } }]
}

/** Of a concealed message nothing that may name its recipient. */
function recipientOf({ concealed }: QueuedMessage, { recipient, result, reply, reason }: Outcome): RecipientData {
  if (concealed) return { address: null }
  return { address: recipient, ...(reply !== null && { reply }), ...(result !== 'delivered' && { reason }) }
}
