import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'

/** The messages of a mailbox that are in hand (migration 032). */
export interface InHand {
  readonly folder: string
  readonly uids: readonly number[]
  readonly uidValidity: number
  readonly uidNext: number
}

export async function inHand(db: Db, mailboxId: string): Promise<InHand | undefined> {
  const { rows } = await sql<InHand>`
    select folder, uids, uid_validity as "uidValidity", uid_next as "uidNext" from mail_moves
    where mailbox_id = ${mailboxId}`.execute(db)
  return rows[0] && { ...rows[0], uids: rows[0].uids.map(Number) }
}

export async function takeInHand(db: Db, mailboxId: string, hand: InHand): Promise<void> {
  await sql`
    insert into mail_moves (mailbox_id, folder, uids, uid_validity, uid_next)
    values (${mailboxId}, ${hand.folder}, ${hand.uids}::bigint[], ${hand.uidValidity}, ${hand.uidNext})
    on conflict (mailbox_id) do update set folder = excluded.folder, uids = excluded.uids,
      uid_validity = excluded.uid_validity, uid_next = excluded.uid_next`.execute(db)
}

export async function letGo(db: Db, mailboxId: string): Promise<void> {
  await sql`delete from mail_moves where mailbox_id = ${mailboxId}`.execute(db)
}
