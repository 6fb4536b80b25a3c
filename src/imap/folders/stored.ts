import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

/** A folder as LIST and STATUS show it. */
export interface StoredFolder {
  readonly mailboxId: string
  /** Also its UIDVALIDITY. */
  readonly id: number
  readonly name: string
  readonly uidNext: number
  readonly modseq: number
  readonly total: number
  readonly unread: number
  readonly bytes: number
  readonly isSubscribed: boolean
}

/** The folders of mailboxes of one organization, or the one with this name, by mailbox and name. Subscriptions are those of the
 *  reader's mailbox. */
export async function storedFolders(
  db: Db,
  reader: MailboxRef,
  mailboxIds: readonly string[],
  name?: string,
): Promise<StoredFolder[]> {
  const { rows } = await sql<StoredFolder>`
    select folder.mailbox_id as "mailboxId", folder.id, folder.name, folder.uid_next as "uidNext", folder.modseq, folder.total,
      folder.unread, folder.size_bytes as bytes, not exists (
        select from imap_unsubscribed
        where imap_unsubscribed.organization_id = folder.organization_id
          and imap_unsubscribed.mailbox_id = ${reader.mailboxId} and imap_unsubscribed.folder_id = folder.id
      ) as "isSubscribed"
    from mail_folders folder
    where folder.organization_id = ${reader.organizationId} and folder.mailbox_id = any(${mailboxIds}::uuid[])
      and (${name ?? null}::text is null or folder.name = ${name ?? null})
    order by folder.mailbox_id, folder.name`.execute(short(db))
  return rows
}

/** Subscribes a mailbox to a folder, and has its other sessions told. */
export async function subscribe(db: Db, { organizationId, mailboxId }: MailboxRef, folderId: number): Promise<void> {
  await sql`
    /* announced */ delete from imap_unsubscribed
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and folder_id = ${folderId}`.execute(db)
}

/** Ends that. Does nothing if the folder has gone meanwhile. */
export async function unsubscribe(db: Db, { organizationId, mailboxId }: MailboxRef, folderId: number): Promise<void> {
  await sql`
    /* announced */ insert into imap_unsubscribed (organization_id, mailbox_id, folder_id)
    select ${organizationId}::uuid, ${mailboxId}::uuid, id from mail_folders
    where organization_id = ${organizationId} and id = ${folderId}
    on conflict do nothing`.execute(db)
}
