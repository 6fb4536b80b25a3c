import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { hasGone } from '#/scheduled/due.ts'
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
      select id, message_id,
        (${members}::integer[])[array_position(${recipients.map(({ id }) => id)}::bigint[], id)] as members
      from outbound_recipients recipient where ${own(recipients)} and state <> 'waiting' order by id for update
    ), own as materialized (
      select id, message_id from (
        select id, message_id, members, count(*) over (partition by message_id) as found from held
      ) one where found = members
    ), settled as (
      delete from outbound_recipients where id in (select id from own)
    ), listed as (
      update scheduled_messages set ${hasGone} where id in (select message_id from own) and queued
    )
    select distinct message_id as id from own`.execute(db)
  const ended = new Set(rows.map(({ id }) => id))
  return sent.map(({ messageId }) => ended.has(messageId))
}
