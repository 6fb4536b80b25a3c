import { sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Cursor } from '#/base/event-log/cursor.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { StoredReceiver } from './attempt.ts'

/** A webhook as it is shown. */
export interface Webhook {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly types: string[] | null
  /** The address is null once the mailbox is deleted. */
  readonly mailbox: { readonly id: string; readonly address: string | null } | null
  /** Whose rights it has. */
  readonly reader: { readonly kind: 'key' | 'member'; readonly id: string; readonly name: string }
  readonly waiting: number
  readonly failing_since: Date | null
  readonly paused_at: Date | null
  readonly paused_because: string | null
  readonly previous_until: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** The reader of a list. A caller who does not manage all mailboxes sees only their own webhooks. */
export interface Viewer {
  readonly caller: Caller
  readonly actorId: string
}

function isSeenBy({ caller, actorId }: Viewer) {
  const own = sql`(webhook.key_id = ${actorId}::uuid or webhook.member_id = ${actorId}::uuid)`
  return sql<boolean>`webhook.organization_id = ${caller.organizationId} and ${caller.managesAllMailboxes ? sql`true` : own}`
}

const shown = sql`
  webhook.id, webhook.name, webhook.url, webhook.types,
  case when webhook.mailbox_id is not null
    then json_build_object('id', webhook.mailbox_id, 'address', mailbox.address) end as mailbox,
  json_build_object(
    'kind', case when webhook.key_id is null then 'member' else 'key' end,
    'id', coalesce(webhook.key_id, webhook.member_id),
    'name', coalesce(member.email, key.prefix || '…' || key.last_four, '')
  ) as reader,
  (
    select count(*) from webhook_deliveries delivery
    where delivery.organization_id = webhook.organization_id and delivery.webhook_id = webhook.id
      and delivery.state = 'waiting'
  ) as waiting,
  webhook.failing_since, webhook.paused_at, webhook.paused_because, webhook.previous_until, webhook.created_at,
  webhook.updated_at
  from webhooks webhook
  left join mailboxes mailbox
    on mailbox.id = webhook.mailbox_id and mailbox.organization_id = webhook.organization_id
  left join members member on member.id = webhook.member_id and member.organization_id = webhook.organization_id
  left join api_keys key on key.id = webhook.key_id and key.organization_id = webhook.organization_id`

/** Oldest first. */
export async function webhooksOf(db: Db, viewer: Viewer): Promise<Webhook[]> {
  const { rows } = await sql<Webhook>`
    select ${shown} where ${isSeenBy(viewer)} order by webhook.created_at, webhook.id`.execute(db)
  return rows
}

export async function webhookById(db: Db, viewer: Viewer, id: string): Promise<Webhook | undefined> {
  const { rows } = await sql<Webhook>`
    select ${shown} where ${isSeenBy(viewer)} and webhook.id = ${id}`.execute(db)
  return rows[0]
}

export async function webhookCount(tx: Tx, organizationId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return count
}

/** A webhook's selection of events, and its rights. */
export interface Settings {
  readonly name: string
  readonly url: string
  readonly types: string[] | null
  readonly mailbox_id: string | null
}

export function readsAs({ kind, id }: Actor): { key_id: string | null; member_id: string | null } {
  return kind === 'key' ? { key_id: id, member_id: null } : { key_id: null, member_id: id }
}

export async function insertWebhook(
  tx: Tx,
  organizationId: string,
  row: Settings & ReturnType<typeof readsAs> & { id: string; secret: Buffer },
  { cursor, now }: { cursor: Cursor; now: Date },
): Promise<void> {
  const { position, id: event_id } = cursor
  await tx
    .insertInto('webhooks')
    .values({ organization_id: organizationId, ...row, position, event_id, due_at: now })
    .execute()
}

export async function updateWebhook(
  tx: Tx,
  organizationId: string,
  id: string,
  change: Partial<Settings & ReturnType<typeof readsAs>>,
): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set(({ fn }) => ({ ...change, updated_at: fn<Date>('now') }))
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

/** Pauses or restarts a webhook on request. Waiting deliveries are due at once. */
export async function setPaused(
  tx: Tx,
  { organizationId, id, now }: { organizationId: string; id: string; now: Date },
  paused: boolean,
): Promise<void> {
  await sql`
    update webhooks set paused_at = ${paused ? now : null}::timestamptz, paused_because = null, rounds_failed = 0,
      failing_since = null, due_at = ${now}, resumes = resumes + ${paused ? 0 : 1}
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)
  if (paused) return
  // The three days start again.
  await sql`
    update webhook_deliveries set due_at = ${now}, first_at = null
    where organization_id = ${organizationId} and webhook_id = ${id} and state = 'waiting'`.execute(tx)
}

/** Has a webhook that failed try again at once, also if it was paused for that. Its failures still count. */
export async function tryAtOnce(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  now: Date,
): Promise<void> {
  await sql`
    update webhooks set due_at = ${now}, paused_at = null, paused_because = null
    where organization_id = ${organizationId} and id = ${id} and failing_since is not null
      and (paused_at is null or paused_because is not null)`.execute(tx)
}

/** The current secret becomes the previous one. */
export async function replaceSecret(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  secret: Buffer,
  until: Date,
): Promise<void> {
  await sql`
    update webhooks set previous_secret = secret, previous_until = ${until}, secret = ${secret}, updated_at = now()
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)
}

/** The receiver of a webhook; undefined if it is deleted. */
export async function receiverIn(db: Db, organizationId: string, id: string): Promise<StoredReceiver | undefined> {
  return await db
    .selectFrom('webhooks')
    .select(['id', 'url', 'secret', 'previous_secret as previousSecret', 'previous_until as previousUntil'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function deleteWebhook(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}
