import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { pieceBytes } from '#/base/event-loop/pieces.ts'

/** A delivered message with a pending Sent copy. */
export interface PendingCopy {
  readonly id: string
  readonly organizationId: string
  /** Null once the mailbox is deleted. */
  readonly mailboxId: string | null
  readonly queuedAt: Date
  readonly sizeBytes: number
  /** With the recipients in Bcc. */
  readonly fields: Buffer
}

const mostCopies = 100
const mostOctets = 4 * pieceBytes

/** Claims messages in `copy_pending` whose copies are due, the longest due first. A copy that is not stored by `dueAt` is due
 *  again then. */
export async function claimPendingCopies(db: Db, now: Date, dueAt: Date): Promise<PendingCopy[]> {
  const { rows } = await sql<PendingCopy>`
    with free as materialized (
      select id, copy_due_at, size_bytes from outbound_messages where state = 'copy_pending' and copy_due_at <= ${now}
      order by copy_due_at limit ${mostCopies} for update skip locked
    ), wanted as (
      select id, sum(size_bytes) over (order by copy_due_at, id) - size_bytes as before from free
    )
    update outbound_messages set copy_due_at = ${dueAt}
    where id in (select id from wanted where before < ${mostOctets})
    returning id, organization_id as "organizationId", mailbox_id as "mailboxId", queued_at as "queuedAt",
      size_bytes as "sizeBytes", fields`.execute(db)
  return rows
}

/** `copy_pending` → `queued`, or deleted if no recipient is left: `tx` stores the copies in Sent. False if another worker has
 *  stored one of them; then `tx` must be rolled back. */
export async function markCopiesStored(tx: Tx, ids: readonly string[]): Promise<boolean> {
  const left = new Set(ids)
  for (const id of await forgetCopied(tx, ids)) left.delete(id)
  if (left.size === 0) return true
  // Locks first: another transaction may settle the last recipient at the same moment.
  const { rows } = await sql`
    select from outbound_messages where id = any (${[...left]}::uuid[]) and state = 'copy_pending'
    order by id for update`.execute(tx)
  if (rows.length < left.size) return false
  for (const id of await forgetCopied(tx, [...left])) left.delete(id)
  await sql`
    update outbound_messages set state = 'queued', copy_due_at = null, send_at = null, fields = null,
      attachment_count = null, scheduled_by = null, scheduled_by_member = null,
      scheduled_by_key = null
    where id = any (${[...left]}::uuid[])`.execute(tx)
  return true
}

/** Deletes messages without recipients, which most are, and answers their ids. */
async function forgetCopied(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from outbound_messages message where id = any (${ids}::uuid[]) and state = 'copy_pending'
      and not exists (select from outbound_recipients where message_id = message.id) returning id`.execute(tx)
  return rows.map(({ id }) => id)
}
