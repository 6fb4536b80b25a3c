import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { Forwarding } from './forwarding.ts'

/** A mailbox with its settings. */
export interface Row extends Forwarding {
  readonly mailboxId: string
  readonly address: string
  readonly private: boolean
  readonly updatedAt: Date
  /** Of the mailbox. */
  readonly createdAt: Date
}

const columns = sql`
  mailbox.id as "mailboxId", mailbox.address, mailbox.kind = 'private' as private,
  coalesce(settings.forward_enabled, false) as "forwardEnabled", settings.forward_to as "forwardTo",
  settings.forward_since as "forwardSince", settings.forward_until as "forwardUntil",
  settings.forward_paused_at as "pausedAt", settings.forward_paused_because as "pausedBecause",
  coalesce(settings.reply_enabled, false) as "replyEnabled", coalesce(settings.reply_subject, '') as "replySubject",
  coalesce(settings.reply_body, '') as "replyBody", settings.reply_since as "replySince",
  settings.reply_until as "replyUntil", coalesce(settings.updated_at, mailbox.created_at) as "updatedAt",
  mailbox.created_at as "createdAt"`

/** The settings of all mailboxes that the caller reads, oldest first. */
export async function forwardingOfAll(db: Db, caller: Caller): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${columns} from mailboxes mailbox left join forwarding settings on settings.mailbox_id = mailbox.id
    where mailbox.organization_id = ${caller.organizationId} and ${caller.mayIn('read', 'mailbox.id')}
    order by mailbox.created_at, mailbox.id`.execute(db)
  return rows
}

export async function forwardingOf(db: Db, caller: Caller, address: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from mailboxes mailbox left join forwarding settings on settings.mailbox_id = mailbox.id
    where mailbox.organization_id = ${caller.organizationId} and mailbox.address = ${address}
      and ${caller.mayIn('read', 'mailbox.id')}`.execute(db)
  return rows[0]
}

/** Locks a mailbox's settings, and creates their row if there is none. */
export async function lockSettings(tx: Tx, organizationId: string, mailboxId: string, now: Date): Promise<void> {
  await sql`
    insert into forwarding (mailbox_id, organization_id, updated_at) values (${mailboxId}, ${organizationId}, ${now})
    on conflict (mailbox_id) do update set updated_at = excluded.updated_at`.execute(tx)
}

export async function saveSettings(
  tx: Tx,
  organizationId: string,
  mailboxId: string,
  settings: Forwarding,
): Promise<void> {
  await sql`
    update forwarding set
      forward_enabled = ${settings.forwardEnabled}, forward_to = ${settings.forwardTo},
      forward_since = ${settings.forwardSince}, forward_until = ${settings.forwardUntil},
      forward_paused_at = ${settings.pausedAt}, forward_paused_because = ${settings.pausedBecause},
      refused_at = case when forward_since is distinct from ${settings.forwardSince} then '{}' else refused_at end,
      reply_enabled = ${settings.replyEnabled}, reply_subject = ${settings.replySubject},
      reply_body = ${settings.replyBody}, reply_since = ${settings.replySince}, reply_until = ${settings.replyUntil}
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId}`.execute(tx)
}

/** The mailbox's address and its aliases. */
export async function addressesOf(db: Db, organizationId: string, mailboxId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('addresses')
    .select('address')
    .where('organization_id', '=', organizationId)
    .where('mailbox_id', '=', mailboxId)
    .execute()
  return rows.map(({ address }) => address)
}
