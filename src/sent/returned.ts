import { query } from '#/db/query.ts'
import type { Tx } from '#/db/schema.ts'
import { insertNewEvents } from '#/events/append.ts'
import type { RecipientData } from '#/events/types.ts'
import type { Message } from '#/mime/message.ts'
import { readReport } from '#/mime/report/delivery-report.ts'
import type { Reported } from '#/mime/report/reported.ts'
import { noteCameBack } from '#/suppressions/queries.ts'
import { type CameBack, isAddressFailure } from '#/suppressions/suppression.ts'
import type { BounceAddresses, IdRange } from './bounce-address.ts'

/** What a report says of a message that was sent here. */
export interface ReturnedReport {
  readonly about: IdRange
  /** Whom it names; none where it does not say. */
  readonly recipients: readonly Pick<Reported, 'names' | 'status' | 'diagnostic' | 'server'>[]
  readonly becomes: 'bounced' | 'complained'
}

/** Who gets a message that arrives. */
interface Recipient {
  readonly organizationId: string
  readonly recipient: string
}

/** What a recipient complains of: the rest is no complaint. */
const complaints = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list'])

/**
 * What a message that arrives reports of messages that were sent here. Who knows a message's bounce address has it, or has passed it
 * on, so the report must come to that address; a complaint, which comes to an address that was agreed on, must name it. Nothing else
 * is looked at of other mail.
 */
export function returnedReports(
  addresses: BounceAddresses,
  message: Message,
  recipients: readonly Recipient[],
): ReturnedReport[] {
  const to = recipients.flatMap(({ organizationId, recipient }) => addresses.read(organizationId, recipient) ?? [])
  const complains = /^\s*multipart\/report\b.*\bfeedback-report\b/is.test(message.headers.first('content-type') ?? '')
  const report = to.length > 0 || complains ? readReport(message) : undefined
  if (report === undefined) return []
  if (report.kind === 'delivery') {
    const failed = report.recipients.filter(({ action }) => action === 'failed')
    return failed.length === 0 ? [] : to.map((about) => ({ about, recipients: failed, becomes: 'bounced' }))
  }
  if (!complaints.has(report.type)) return []
  const organizations = [...new Set(recipients.map(({ organizationId }) => organizationId))]
  const named = report.senders.flatMap((sender) => organizations.flatMap((id) => addresses.read(id, sender) ?? []))
  const about = new Map([...to, ...named].map((one) => [one.from, one]))
  const recipient = { names: report.names, status: null, diagnostic: null, server: null }
  return Array.from(about.values(), (one) => ({ about: one, recipients: [recipient], becomes: 'complained' }))
}

/** A recipient as the report finds it. */
interface Kept {
  readonly id: number
  readonly message_id: string
  readonly mailbox_id: string | null
  readonly address: string | null
  readonly state: 'delivered' | 'bounced' | 'complained'
  /** Some recipients of the message wait in the queue. */
  readonly waits: boolean
}

interface Change {
  readonly id: number
  readonly address: string | null
  readonly status: string | null
  readonly reply: string | null
  readonly host: string | null
  readonly reason: string
}

/**
 * Whom a report changes: those whom it names; of a message to one recipient that one, whatever the report calls it. What has bounced
 * may still be complained of, and nothing else is changed twice.
 */
function changedBy({ recipients, becomes }: Omit<ReturnedReport, 'about'>, kept: readonly Kept[]): Change[] {
  const open = kept.filter(({ state }) => state === 'delivered' || (state === 'bounced' && becomes === 'complained'))
  const alone = isAlone(kept)
  return open.flatMap(({ id, address }) => {
    const named = recipients.find(({ names }) => address !== null && names.includes(address))
    const said = named ?? (alone ? recipients[0] : undefined)
    if (!said) return []
    const reason = becomes === 'complained' ? 'The recipient called it spam' : 'It was accepted, and returned later'
    return [{ id, address, status: said.status, reply: said.diagnostic, host: said.server, reason }]
  })
}

/** Whether a message has one recipient. Its bounce address is known to no other. */
function isAlone(kept: readonly Kept[]): boolean {
  return kept.length === 1 && kept[0]?.waits === false
}

/** Of a message to several recipients any of them could have written the report, so it has nobody suppressed. */
function cameBack(about: Pick<CameBack, 'organizationId' | 'mailboxId' | 'cause'>) {
  return ({ address, status, reply }: Change): CameBack[] => {
    const counts = address !== null && (about.cause === 'complained' || isAddressFailure(status, reply ?? ''))
    return counts ? [{ ...about, address, status, reply }] : []
  }
}

/** Stores what a report says, and writes its events. */
export async function noteReturned(tx: Tx, report: ReturnedReport): Promise<void> {
  const { organizationId, from, to } = report.about
  const kept = await query<Kept>(tx)`
    select id, message_id, mailbox_id, address, state,
      exists (select from outbound_recipients where message_id = sent.message_id) as waits
    from sent_recipients sent
    where organization_id = ${organizationId} and message_id between ${from}::uuid and ${to}::uuid
    order by id for update`
  const changes = changedBy(report, kept)
  const [first] = kept
  if (!first || changes.length === 0) return
  const { message_id: messageId, mailbox_id: mailboxId } = first
  const recipients = changes.map(({ address, reply, reason }): RecipientData => {
    return { address, ...(reply !== null && { reply }), reason }
  })
  const bounced = report.becomes === 'bounced'
  await query(tx)`
    with changed as (
      update sent_recipients sent
      set state = ${report.becomes}, at = clock_timestamp(), reason = one.reason,
        -- That the message was accepted is no answer any more once it has come back.
        status = coalesce(one.status, case when ${bounced}::boolean then '5.0.0' else sent.status end),
        reply = coalesce(one.reply, case when not ${bounced} then sent.reply end),
        host = coalesce(one.host, case when not ${bounced} then sent.host end)
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as one
        (id bigint, status text, reply text, host text, reason text)
      where sent.organization_id = ${organizationId} and sent.message_id = ${messageId} and sent.id = one.id
    ), new_events as (
      select ${organizationId}::uuid as organization_id, ${`message.${report.becomes}`}::text as type,
        ${mailboxId}::uuid as mailbox_id, ${JSON.stringify({ sent: messageId, recipients })}::jsonb as data
      where ${mailboxId}::uuid is not null
    )
    ${insertNewEvents}`
  // After the change: what is delivered since the last bounce begins the count anew.
  if (isAlone(kept))
    await noteCameBack(tx, changes.flatMap(cameBack({ organizationId, mailboxId, cause: report.becomes })))
}
