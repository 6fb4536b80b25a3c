import { type RawBuilder, sql } from 'kysely'
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

/** The beginning of every statement that writes events; the actor, the data and the rows follow. The comment lets readers know
 *  of the commit (src/base/db/connections/prepared.ts). Positions are those of the transaction. */
const insertEvents = sql`/* announced */
    insert into events (position, organization_id, type, mailbox_id, actor_kind, actor_id, actor_name, data)
    select pg_current_xact_id()::text::bigint + coalesce((select base from event_log where only_row), 0),
      organization_id, type, mailbox_id`

/** The same for rows of `organization_id`, `type`, `mailbox_id` and `data`, caused by the service. */
const byService = sql`${insertEvents}, 'service', null::uuid, '', data`

/** A CTE for a statement that stores mail, which saves arriving mail a statement. It writes an event for each row of the CTE `received`, which
 *  has the actor's columns too. */
export const insertReceived = sql`received_logged as (${insertEvents}, actor_kind, actor_id, actor_name, data from received)`

/** The end of a statement that writes more than events: writes the rows of its CTE `new_events`. */
export const insertNewEvents = sql`${byService} from new_events`

/** The same with an actor. */
export function insertNewEventsBy({ kind, id, name }: By = nobody): RawBuilder<unknown> {
  return sql`${insertEvents}, ${kind}::text, ${id}::uuid, ${name}::text, data from new_events`
}

/** A CTE for a statement that counts use (quota-reached.ts): writes the rows of its CTE `reached`. */
export const insertReached = sql`reached_logged as (${byService} from reached)`

/** Writes events to the log, in the transaction of their cause: both are stored or neither. Takes no lock that another writer
 *  waits for. */
export async function appendEvents(tx: Tx, events: readonly NewEvent[], by: By = nobody): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ organizationId, type, mailboxId = null, data }) => {
    return { organization_id: organizationId, type, mailbox_id: mailboxId, data }
  })
  await sql`
    ${insertEvents}, ${by.kind}::text, ${by.id}::uuid, ${by.name}::text, data
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (organization_id uuid, type text, mailbox_id uuid, data jsonb)`.execute(tx)
}
