import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { appendEvents } from '#/base/event-log/append.ts'
import { settingsChanged } from '#/base/event-log/types.ts'
import { type Action, ofNoSetting } from './actions.ts'
import type { Actor } from './actor.ts'
import { eventOf } from './event-types.ts'

/** Settings by name. Never mail, and never a password, a key or another secret. */
export type Settings = Readonly<Record<string, unknown>>

export interface Change {
  /** Null if it concerns the installation. */
  readonly organizationId: string | null
  readonly action: Action
  readonly id?: string
  /** The item's name for people. */
  readonly name: string
  /** Null if the item is new. */
  readonly before: Settings | null
  /** Null if the item is deleted. */
  readonly after: Settings | null
  /** A personal item, which has no event. */
  readonly personal?: boolean
}

/** Writes an entry of the audit trail, in the transaction of the change: both are stored or neither. Equal settings are no
 *  change and leave no entry. Some kinds of changes are in the event log too. */
export async function record(tx: Tx, by: Actor, change: Change): Promise<void> {
  const { organizationId, action, id = null, name, before, after } = change
  const [was, is] = [asStored(before), asStored(after)]
  if (was !== null && was === is) return
  await sql`
    insert into audit_entries (organization_id, actor_kind, actor_id, actor_name, client_address, action, item_id, item_name,
      before, after)
    values (${organizationId}, ${by.kind}, ${by.id}, ${by.name}, ${by.address}, ${action}, ${id}, ${name}, ${was}, ${is})`.execute(
    tx,
  )
  const type = eventOf[action]
  if (organizationId === null || change.personal) return
  if (type === undefined) {
    const [item = ''] = action.split('.')
    const event = { organizationId, type: settingsChanged, data: { id: null, name: item } } as const
    if (!ofNoSetting.has(action)) await appendEvents(tx, [event], by)
    return
  }
  const mailboxId = /^(?:mailbox|forwarding)\./.test(type) ? id : null
  await appendEvents(tx, [{ organizationId, type, mailboxId, data: { id, name } }], by)
}

/** Times are texts in JSON. */
function asStored(settings: Settings | null): string | null {
  return settings && JSON.stringify(settings)
}
