import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'

/** The current batch of a mailbox, stored in `mail_moves`. After a crash it is finished first. */
export interface BatchInProgress {
  readonly folder: string
  readonly uids: readonly number[]
  readonly uidValidity: number
  readonly uidNext: number
}

export async function batchInProgress(db: Db, mailboxId: string): Promise<BatchInProgress | undefined> {
  const { rows } = await sql<BatchInProgress>`
    select folder, uids, uid_validity as "uidValidity", uid_next as "uidNext" from mail_moves
    where mailbox_id = ${mailboxId}`.execute(db)
  return rows[0] && { ...rows[0], uids: rows[0].uids.map(Number) }
}

export async function recordBatch(db: Db, mailboxId: string, batch: BatchInProgress): Promise<void> {
  await sql`
    insert into mail_moves (mailbox_id, folder, uids, uid_validity, uid_next)
    values (${mailboxId}, ${batch.folder}, ${batch.uids}::bigint[], ${batch.uidValidity}, ${batch.uidNext})
    on conflict (mailbox_id) do update set folder = excluded.folder, uids = excluded.uids,
      uid_validity = excluded.uid_validity, uid_next = excluded.uid_next`.execute(db)
}

export async function clearBatch(db: Db, mailboxId: string): Promise<void> {
  await sql`delete from mail_moves where mailbox_id = ${mailboxId}`.execute(db)
}
