import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { insertNewEvents, type NewEvent, newEvents } from '#/base/event-log/append.ts'
import type { EventType, RecipientData, SendingData } from '#/base/event-log/types.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { recordBounces } from '#/out/suppressions/queries.ts'
import { isAddressFailure } from '#/out/suppressions/suppression.ts'
import { type ReplacedId, storeReplacedIds } from './replaced-ids.ts'

/** A message of the outbound queue. */
export interface OutgoingMessage {
  readonly id: string
  readonly organizationId: string
  readonly mailboxId: string | null
  readonly kind: string
  readonly sender: string
  readonly concealed: boolean
  readonly queuedAt: Date
}

/** Events of outcomes, recipients that are settled, and Message-IDs that a relay has replaced. */
export interface OutcomeEvents {
  readonly events: readonly NewEvent[]
  readonly settled?: readonly Settled[]
  readonly replaced?: readonly ReplacedId[]
}

/** A row of `sent_recipients`. */
interface Settled {
  readonly organization_id: string
  readonly message_id: string
  readonly mailbox_id: string | null
  readonly sender: string
  readonly address: string | null
  readonly queued_at: Date
  readonly state: 'delivered' | 'bounced'
  readonly status: string
  readonly reply: string | null
  readonly reason: string | null
  readonly host: string | null
}

type What = 'delivered' | 'deferred' | 'bounced'

const sent = { delivered: 'message.delivered', deferred: 'message.deferred', bounced: 'message.bounced' } as const

/** The types of events by outcome, for messages that a mailbox sends. An auto-reply has an event of its delivery only; other
 *  messages have none. */
const types: Partial<Readonly<Record<string, Partial<Readonly<Record<What, EventType>>>>>> = {
  sent,
  scheduled: sent,
  reply: { delivered: 'auto_reply.sent' },
}

/** The event of outcomes and, if they are final, the rows to store. Empty without outcomes. */
export function outcomeEvents(message: OutgoingMessage, what: What, outcomes: readonly Outcome[]): OutcomeEvents[] {
  const type = types[message.kind]?.[what]
  if (type === undefined || outcomes.length === 0) return []
  const settled =
    what === 'deferred' || message.kind === 'reply' ? [] : outcomes.map((outcome) => settledAs(message, what, outcome))
  const recipients = outcomes.map((outcome) => recipientOf(message, outcome))
  return [{ events: sendingEvent(message, type, { recipients }), settled }]
}

/** An event about a message, unless its mailbox is deleted. */
export function sendingEvent(
  { id, organizationId, mailboxId }: Pick<OutgoingMessage, 'id' | 'organizationId' | 'mailboxId'>,
  type: EventType,
  more: Omit<SendingData, 'sent'> = {},
): NewEvent[] {
  return mailboxId === null ? [] : [{ organizationId, type, mailboxId, data: { sent: id, ...more } }]
}

/** For a concealed message it names no recipient. */
function recipientOf({ concealed }: OutgoingMessage, { recipient, result, reply, reason }: Outcome): RecipientData {
  if (concealed) return { address: null }
  return { address: recipient, ...(reply !== null && { reply }), ...(result !== 'delivered' && { reason }) }
}

function settledAs(message: OutgoingMessage, state: Settled['state'], outcome: Outcome): Settled {
  const { recipient, status, reply, reason, host } = outcome
  const named = { address: recipient, reply, reason: state === 'delivered' ? null : reason, host }
  return {
    organization_id: message.organizationId,
    message_id: message.id,
    mailbox_id: message.mailboxId,
    sender: message.sender,
    queued_at: message.queuedAt,
    ...{ state, status },
    ...(message.concealed ? { address: null, reply: null, reason: null, host: null } : named),
  }
}

/** Counts addresses as bounced whose servers have refused a recipient for good. */
export async function noteRefusals(tx: Tx, message: OutgoingMessage, outcomes: readonly Outcome[]): Promise<void> {
  const { organizationId, mailboxId, concealed } = message
  if (types[message.kind]?.bounced === undefined || concealed) return
  await recordBounces(
    tx,
    outcomes.flatMap(({ recipient: address, result, status, reply }) =>
      // A refusal without a server's reply is our own decision and counts for no address.
      result === 'refused' && reply !== null && isAddressFailure(status, reply)
        ? { organizationId, mailboxId, address, cause: 'bounced', status, reply }
        : [],
    ),
  )
}

/** Stores outcomes of recipients and writes their events, in one statement; in another, which few relays need, replaced ids. */
export async function storeOutcomes(tx: Tx, news: readonly OutcomeEvents[]): Promise<void> {
  await storeReplacedIds(
    tx,
    news.flatMap(({ replaced = [] }) => replaced),
  )
  if (news.every(({ events }) => events.length === 0) && news.every(({ settled = [] }) => settled.length === 0)) return
  const events = news
    .flatMap((one) => one.events)
    .map(({ organizationId, type, mailboxId = null, data }) => {
      return { organization_id: organizationId, type, mailbox_id: mailboxId, data }
    })
  const settled = news.flatMap((one) => one.settled ?? [])
  await sql`
    with ${newEvents.rows} as (
      select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as row
        (organization_id uuid, type text, mailbox_id uuid, data jsonb)
    ), settled as (
      insert into sent_recipients
        (organization_id, message_id, mailbox_id, sender, address, queued_at, state, status, reply, reason, host)
      select organization_id, message_id, mailbox_id, sender, address, queued_at, state, status, reply, reason, host
      from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) as row
        (organization_id uuid, message_id uuid, mailbox_id uuid, sender text, address text, queued_at timestamptz,
          state text, status text, reply text, reason text, host text)
    )
    ${insertNewEvents}`.execute(tx)
}
