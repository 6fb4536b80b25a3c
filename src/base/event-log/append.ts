import { type RawBuilder, sql } from 'kysely'
import { type Relation, relation } from '#/base/db/relation.ts'
import type { Tx } from '#/base/db/schema.ts'
import type { EventType, ItemData, MessageData, QuotaData, RefusalData, SendingData, settingsChanged } from './types.ts'

/** Who caused an event: an `Actor` of the audit trail, or another mail program, of which no more is known. */
export interface By {
  readonly kind: 'key' | 'operator' | 'member' | 'service' | 'single_sign_on' | 'mail_program'
  readonly id: string | null
  readonly name: string
}

/** An event that is to be written to the log. */
export interface NewEvent {
  readonly organizationId: string
  readonly type: EventType | typeof settingsChanged
  /** The mailbox that it concerns. Who does not see the mailbox does not see the event. */
  readonly mailboxId?: string | null
  readonly data: MessageData | SendingData | RefusalData | QuotaData | ItemData
}

const nobody: By = { kind: 'service', id: null, name: '' }

const columns = ['organization_id', 'type', 'mailbox_id', 'data'] as const

/** Of a statement that writes more than events: the events. */
export const newEvents = relation('new_events', ...columns)

/** Of a statement that stores mail: the events of what it stores, each with its actor. */
export const receivedEvents = relation('received', ...columns, 'actor_kind', 'actor_id', 'actor_name')

/** Of a statement that counts use (quota-reached.ts): the events of limits that it reaches. */
export const reachedEvents = relation('reached', ...columns)

/** Writes events. The comment lets readers know of the commit (src/base/db/connections/prepared.ts). Positions are those of the transaction. */
function insertFrom(events: Relation<(typeof columns)[number]>, actor: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`/* announced */
    insert into events (position, organization_id, type, mailbox_id, actor_kind, actor_id, actor_name, data)
    select pg_current_xact_id()::text::bigint + coalesce((select base from event_log where only_row), 0),
      ${events.organization_id}, ${events.type}, ${events.mailbox_id}, ${actor}, ${events.data} from ${events.rows}`
}

const service = sql`'service', null::uuid, ''`

/** A CTE for a statement that stores mail, which saves arriving mail a statement. */
export const insertReceived = sql`received_logged as (${insertFrom(
  receivedEvents,
  sql`${receivedEvents.actor_kind}, ${receivedEvents.actor_id}, ${receivedEvents.actor_name}`,
)})`

/** The end of a statement that writes more than events, caused by the service. */
export const insertNewEvents = insertFrom(newEvents, service)

/** The same with an actor. */
export function insertNewEventsBy({ kind, id, name }: By = nobody): RawBuilder<unknown> {
  return insertFrom(newEvents, sql`${kind}::text, ${id}::uuid, ${name}::text`)
}

/** A CTE for a statement that counts use. */
export const insertReached = sql`reached_logged as (${insertFrom(reachedEvents, service)})`

/** Writes events to the log, in the transaction of their cause: both are stored or neither. Takes no lock that another writer
 *  waits for. */
export async function appendEvents(tx: Tx, events: readonly NewEvent[], by: By = nobody): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ organizationId, type, mailboxId = null, data }) => {
    return { organization_id: organizationId, type, mailbox_id: mailboxId, data }
  })
  await sql`
    with ${newEvents.rows} as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
        (organization_id uuid, type text, mailbox_id uuid, data jsonb)
    )
    ${insertNewEventsBy(by)}`.execute(tx)
}
