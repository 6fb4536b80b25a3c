import { type RawBuilder, sql } from 'kysely'
import { Part, query } from '#/db/query.ts'
import type { Tx } from '#/db/schema.ts'
import type { EventType, ItemData, MessageData, QuotaData, RefusalData, SendingData, settingsChanged } from './types.ts'

/** Who did it: an `Actor` of the audit trail, or another mail program, of which no more is known. */
export interface By {
  readonly kind: 'key' | 'operator' | 'member' | 'service' | 'single_sign_on' | 'mail_program'
  readonly id: string | null
  readonly name: string
}

export interface Told {
  readonly organizationId: string
  readonly type: EventType | typeof settingsChanged
  /** Of the mailbox that it is about: who does not see that, does not see the event. */
  readonly mailboxId?: string | null
  readonly data: MessageData | SendingData | RefusalData | QuotaData | ItemData
}

const nobody: By = { kind: 'service', id: null, name: '' }

/** The position of an event of this transaction. */
const position = new Part(
  'pg_current_xact_id()::text::bigint + coalesce((select base from event_log where only_row), 0)',
)

/** CTEs for a statement that stores mail, which save arriving mail a statement of its own: they tell of its CTE `received`, rows
 *  of `organization_id`, `mailbox_id`, `folder` and `uid`. */
export const tellsReceived = new Part(`told as (
      /* announced */
      insert into events (position, organization_id, type, mailbox_id, actor_kind, actor_name, data)
      select ${position.text}, organization_id, 'message.received', mailbox_id, 'service', '',
        jsonb_build_object('folder', folder, 'uid', uid)
      from received
    )`)

const tells = (cte: string) => `/* announced */
    insert into events (position, organization_id, type, mailbox_id, actor_kind, actor_name, data)
    select ${position.text}, organization_id, type, mailbox_id, 'service', '', data from ${cte}`

/** The end of a statement that writes more than events: it tells of its CTE `told`, rows of `organization_id`, `type`,
 *  `mailbox_id` and `data`. */
export const tellsTold = new Part(tells('told'))

/** A CTE for a statement that counts use (src/usage/reached.ts): it tells of its CTE `reached`, rows of the same. */
export const tellsReached = new Part(`reached_told as (${tells('reached')})`)

/** The same with who did it. */
export function tellsBy({ kind, id, name }: By = nobody): RawBuilder<unknown> {
  return sql`/* announced */
    insert into events (position, organization_id, type, mailbox_id, actor_kind, actor_id, actor_name, data)
    select ${sql.raw(position.text)}, organization_id, type, mailbox_id, ${kind}::text, ${id}::uuid, ${name}::text, data from told`
}

/**
 * Writes events to the log, in the transaction that does what they tell: neither is stored without the other. The comment in
 * the statement lets readers know of the commit (src/db/prepared.ts). Takes no lock that another writer waits for.
 */
export async function tell(tx: Tx, events: readonly Told[], by: By = nobody): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ organizationId, type, mailboxId = null, data }) => {
    return { organization_id: organizationId, type, mailbox_id: mailboxId, data }
  })
  await query(tx)`
    /* announced */
    insert into events (position, organization_id, type, mailbox_id, actor_kind, actor_id, actor_name, data)
    select ${position},
      row.organization_id, row.type, row.mailbox_id, ${by.kind}::text, ${by.id}::uuid, ${by.name}::text, row.data
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (organization_id uuid, type text, mailbox_id uuid, data jsonb)`
}
