import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { uidRows } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

/** Has messages of a locked folder indexed once more, for another mailbox that is to have copies: until then searches in the other one find
 *  them as they find what has just arrived. Locks their contents, as whoever adds to the index does, so that it waits for this or is seen
 *  by it. */
export async function indexFor(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  folderId: number,
  uids: readonly number[],
): Promise<void> {
  // Each content once: of thousands of copies of one, each would look at all of them.
  const ids = sql`select distinct content_id from ${uidRows(folderId, uids)} wanted join mail_messages using (folder_id, uid)`
  await sql`
    select from mail_contents where organization_id = ${organizationId} and id in (${ids}) order by id for update`.execute(
    tx,
  )
  // Who is about to write the words of one knows nothing of this mailbox, and begins again.
  await sql`
    insert into mail_search_queue as queue (id, organization_id)
    select content_id, ${organizationId}::uuid from (${ids} offset 0) held
    where exists (
      select from mailboxes where id = ${mailboxId} and organization_id = ${organizationId} and kind <> 'private'
    ) and not exists (
      select from mail_messages there join mail_folders folder on folder.id = there.folder_id
      where there.content_id = held.content_id and folder.mailbox_id = ${mailboxId}
    )
    on conflict (id) do update set leased_until = null,
      lease_epoch = queue.lease_epoch + case when queue.leased_until is null then 0 else 1 end`.execute(tx)
}
