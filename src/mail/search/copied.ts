import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { uidRows } from '../folders.ts'
import { mailboxMark } from './index-text.ts'

/** Lets searches find messages of a locked folder in one more mailbox, which is to have copies. Locks their contents, as whoever adds to
 *  the index does, so that it waits for this or is seen by it. */
export async function findIn(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  folderId: number,
  uids: readonly number[],
): Promise<void> {
  const ids = sql`select content_id from ${uidRows(folderId, uids)} wanted join mail_messages using (folder_id, uid)`
  await sql`
    select from mail_contents where organization_id = ${organizationId} and id in (${ids}) order by id for update`.execute(
    tx,
  )
  const mark = mailboxMark(mailboxId)
  await sql`
    with wanted as materialized (
      select distinct content_id as id from (${ids}) held
      where exists (
        select from mailboxes
        where id = ${mailboxId} and organization_id = ${organizationId} and kind <> 'private'
      )
    ), marked as (
      update mail_search search set words = ' ' || ${mark}::text || ' ' || words
      from wanted
      where search.content_id = wanted.id and search.organization_id = ${organizationId}
        and strpos(split_part(words, E'\\n', 1), ' ' || ${mark}::text || ' ') = 0
    )
    -- Who is about to write the words of one knows nothing of this mailbox, and begins again.
    insert into mail_search_queue as queue (id, organization_id)
    select id, ${organizationId}::uuid from wanted
    where not exists (select from mail_search where content_id = wanted.id)
    on conflict (id) do update set leased_until = null,
      lease_epoch = queue.lease_epoch + case when queue.leased_until is null then 0 else 1 end`.execute(tx)
}
