import { query } from '#/base/db/query.ts'
import type { Tx } from '#/base/db/schema.ts'
import { appendEvents } from '#/base/event-log/append.ts'
import { settingsChanged } from '#/base/event-log/types.ts'
import type { Actor } from './actor.ts'
import { eventOf } from './event-types.ts'

/** All actions, as `item.deed`. docs/reference/audit.md has their meanings. */
export const actions = [
  'label.created',
  'label.changed',
  'label.deleted',
  'filter.created',
  'filter.changed',
  'filter.deleted',
  'blocked_sender.created',
  'blocked_sender.deleted',
  'forwarding.changed',
  'forwarding.paused',
  'domain.enrolled',
  'domain.status_changed',
  'domain.suspended',
  'domain.resumed',
  'domain.catch_all_changed',
  'domain.keys_rotated',
  'domain.removed',
  'mailbox.created',
  'mailbox.suspended',
  'mailbox.resumed',
  'mailbox.password_changed',
  'mailbox.access_changed',
  'mailbox.deleted',
  'alias.added',
  'alias.removed',
  'key.created',
  'key.revoked',
  'member.added',
  'member.invited',
  'member.role_changed',
  'member.removed',
  'member.signed_in',
  'member.signed_out',
  'member.password_changed',
  'member.totp_enabled',
  'member.totp_disabled',
  'member.passkey_added',
  'member.passkey_renamed',
  'member.passkey_removed',
  'member.passkey_copied',
  'webhook.created',
  'webhook.changed',
  'webhook.secret_rotated',
  'webhook.paused',
  'webhook.deleted',
  'organization.created',
  'organization.plan_changed',
  'organization.renamed',
  'organization.suspended',
  'organization.resumed',
  'organization.deleted',
  'plan.created',
  'plan.changed',
  'suppression.deleted',
  'request.forbidden',
  'request.unauthorized',
] as const

/** Actions without an event: they are frequent, and change nothing that pages show. */
const ofNoSetting: ReadonlySet<string> = new Set([
  'member.signed_in',
  'member.signed_out',
  'request.forbidden',
  'request.unauthorized',
])

export type Action = (typeof actions)[number]

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
  await query(tx)`
    insert into audit_entries (organization_id, actor_kind, actor_id, actor_name, client_address, action, item_id, item_name,
      before, after)
    values (${organizationId}, ${by.kind}, ${by.id}, ${by.name}, ${by.address}, ${action}, ${id}, ${name}, ${was}, ${is})`
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
