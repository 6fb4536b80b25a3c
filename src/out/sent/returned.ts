import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { insertNewEvents, newEvents } from '#/base/event-log/append.ts'
import type { RecipientData } from '#/base/event-log/types.ts'
import type { Message } from '#/formats/mime/message.ts'
import { readReport } from '#/formats/mime/report/delivery-report.ts'
import type { Reported } from '#/formats/mime/report/reported.ts'
import { recordBounces } from '#/out/suppressions/queries.ts'
import { type Bounce, isAddressFailure } from '#/out/suppressions/suppression.ts'
import type { BounceAddresses, IdRange } from './bounce-address.ts'

/** A report on a message that was sent here. */
export interface ReturnedReport {
  readonly about: IdRange
  /** The recipients that it names; empty if it names none. */
  readonly recipients: readonly Pick<Reported, 'names' | 'status' | 'diagnostic' | 'server'>[]
  readonly becomes: 'bounced' | 'complained'
}

/** A recipient of an arriving message. */
interface Recipient {
  readonly organizationId: string
  readonly recipient: string
}

/** Feedback types that are complaints; others are not. */
const complaints = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list'])

/** The reports in an arriving message on messages that were sent here. A message's bounce address is known only to those who
 *  have received or forwarded it, so a report must come to that address. A complaint comes to an agreed address and must
 *  name the bounce address. Other mail is not examined. */
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

/** A recipient before the report. */
interface Kept {
  readonly id: number
  readonly message_id: string
  readonly mailbox_id: string | null
  readonly address: string | null
  readonly state: 'delivered' | 'bounced' | 'complained'
  /** Whether recipients of the message are in the queue. */
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

/** The recipients that a report changes: those that it names. For a message to one recipient it is that one, whatever the
 *  report calls it. A bounced recipient can still complain; otherwise none is changed twice. */
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

/** Whether a message has one recipient, who alone knows its bounce address. */
function isAlone(kept: readonly Kept[]): boolean {
  return kept.length === 1 && kept[0]?.waits === false
}

/** Any of several recipients could have written the report, so then no address is suppressed. */
function cameBack(about: Pick<Bounce, 'organizationId' | 'mailboxId' | 'cause'>) {
  return ({ address, status, reply }: Change): Bounce[] => {
    const counts = address !== null && (about.cause === 'complained' || isAddressFailure(status, reply ?? ''))
    return counts ? [{ ...about, address, status, reply }] : []
  }
}

/** Stores the outcome of a report and writes its events. */
export async function noteReturned(tx: Tx, report: ReturnedReport): Promise<void> {
  const { organizationId, from, to } = report.about
  const { rows: kept } = await sql<Kept>`
    select id, message_id, mailbox_id, address, state,
      exists (select from outbound_recipients where message_id = sent.message_id) as waits
    from sent_recipients sent
    where organization_id = ${organizationId} and message_id between ${from}::uuid and ${to}::uuid
    order by id for update`.execute(tx)
  const changes = changedBy(report, kept)
  const [first] = kept
  if (!first || changes.length === 0) return
  const { message_id: messageId, mailbox_id: mailboxId } = first
  const recipients = changes.map(({ address, reply, reason }): RecipientData => {
    return { address, ...(reply !== null && { reply }), reason }
  })
  const bounced = report.becomes === 'bounced'
  await sql`
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
    ), ${newEvents.rows} as (
      select ${organizationId}::uuid as organization_id, ${`message.${report.becomes}`}::text as type,
        ${mailboxId}::uuid as mailbox_id, ${JSON.stringify({ sent: messageId, recipients })}::jsonb as data
      where ${mailboxId}::uuid is not null
    )
    ${insertNewEvents}`.execute(tx)
  // After the change: a delivery since the last bounce resets the count.
  if (isAlone(kept))
    await recordBounces(tx, changes.flatMap(cameBack({ organizationId, mailboxId, cause: report.becomes })))
}
