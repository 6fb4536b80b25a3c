import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { type Claimed, own } from './claims.ts'

/** A scheduled message that each of its recipients has. */
export interface Sent {
  readonly messageId: string
  readonly recipients: readonly Claimed[]
}

/** Ends attempts with which everybody has their message: it leaves the list, nobody waits for it any more, and its copy
 *  for Sent is owed. Answers for each whether that is done; where its claim is lost, nothing is. */
export async function endSent(db: Db, sent: readonly Sent[]): Promise<readonly boolean[]> {
  const recipients = sent.flatMap(({ recipients }) => recipients)
  const members = sent.flatMap(({ recipients }) => recipients.map(() => recipients.length))
  const { rows } = await sql<{ id: string }>`
    with held as materialized (
      select recipient.id, message_id, members from outbound_recipients recipient
      join unnest(${recipients.map(({ id }) => id)}::bigint[], ${members}::integer[]) as claimed (id, members) using (id)
      where ${own(recipients)} and state <> 'waiting' order by recipient.id for update of recipient
    ), own as materialized (
      select message_id from held group by message_id, members having count(*) = members
    ), settled as (
      delete from outbound_recipients where id in (select id from held join own using (message_id))
    ), listed as (
      update scheduled_messages set status = 'sent', due_at = null, copy_due_at = least(due_at, send_at), last_error = null
      where id in (select message_id from own) and queued
    )
    select message_id as id from own`.execute(db)
  const ended = new Set(rows.map(({ id }) => id))
  return sent.map(({ messageId }) => ended.has(messageId))
}
