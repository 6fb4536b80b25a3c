import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import type { MailboxRef } from './mailbox-ref.ts'

/** Bytes of the organization's mail: a counter that the transactions which add and remove mail update. */
export async function storageUsed(db: Db, organizationId: string): Promise<number> {
  const usage = await db
    .selectFrom('organization_usage')
    .select('storage_bytes')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return usage?.storage_bytes ?? 0
}

/** Whether nothing is left of a plan. */
export const full = sql`coalesce(usage.storage_bytes >= plan.storage_bytes, false)`

/** Whether an organization has used all that its plan allows. Then no more is stored for it (docs/reference/arriving.md#who-can-receive-mail). */
export async function isFull(db: Db, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ is_full: boolean }>`
    select ${full} as is_full
    from organizations organization
    join plans plan on plan.name = organization.plan
    join organization_usage usage on usage.organization_id = organization.id
    where organization.id = ${organizationId}`.execute(short(db))
  const [row] = rows
  return row?.is_full ?? false
}

/** What whoever stores messages in a folder must know. */
export interface Room {
  /** Null if there is no such folder. */
  readonly folderId: number | null
  readonly isPrivate: boolean
  /** As `isFull` says. */
  readonly isFull: boolean
}

/** In one statement, since a program that copies mail asks for each message. Undefined for an unknown mailbox. */
export async function roomIn(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  folder: string,
): Promise<Room | undefined> {
  const { rows } = await sql<Room>`
    select folder.id as "folderId", mailbox.kind = 'private' as "isPrivate",
      ${full} as "isFull"
    from mailboxes mailbox
    join organizations organization on organization.id = mailbox.organization_id
    left join plans plan on plan.name = organization.plan
    left join organization_usage usage on usage.organization_id = organization.id
    left join mail_folders folder on folder.mailbox_id = mailbox.id and folder.name = ${folder}
    where mailbox.id = ${mailboxId} and mailbox.organization_id = ${organizationId}`.execute(short(db))
  const [row] = rows
  return row
}

/** Bytes of mail in each of the mailboxes, by its id: sums of the folders' counters. */
export async function storageOf(db: Db, mailboxes: readonly MailboxRef[]): Promise<Map<string, number>> {
  const organizations = mailboxes.map(({ organizationId }) => organizationId)
  const ids = mailboxes.map(({ mailboxId }) => mailboxId)
  const { rows } = await sql<{ mailbox_id: string; bytes: number }>`
    select folder.mailbox_id, sum(folder.size_bytes) as bytes
    from unnest(${organizations}::uuid[], ${ids}::uuid[]) as wanted (organization_id, mailbox_id)
    join mail_folders folder using (organization_id, mailbox_id)
    group by folder.mailbox_id`.execute(db)
  return new Map(rows.map(({ mailbox_id, bytes }) => [mailbox_id, bytes]))
}
