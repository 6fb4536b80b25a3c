import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import { type By, insertNewEventsBy } from '#/events/append.ts'
import { type FolderRef, uidRows } from './folders.ts'

/** The type of the event for what a mail program stores or copies: nobody receives a draft, or what is sent. */
export function storedType(folder: string): 'message.received' | 'message.changed' {
  return folder === 'drafts' || folder === 'sent' ? 'message.changed' : 'message.received'
}

/** Writes the events of what has been stored in a folder. A message that replaces another is reported as moved, since its uid is new. */
export async function logStored(
  tx: Tx,
  { mailbox, folderId, name }: FolderRef & { readonly name: string },
  uids: readonly number[],
  by?: By,
  replaces?: { readonly id: number; readonly uid: number },
): Promise<void> {
  const movedFrom = replaces ? { moved_from: { ...replaces, folder: name } } : {}
  await sql`
    with new_events as (
      select ${mailbox.organizationId}::uuid as organization_id, ${storedType(name)}::text as type,
        ${mailbox.mailboxId}::uuid as mailbox_id,
        jsonb_build_object('folder', ${name}::text, 'uid', uid, 'id', id) || ${JSON.stringify(movedFrom)}::jsonb as data
      from ${uidRows(folderId, uids)} wanted join mail_messages using (folder_id, uid) order by uid
    ) ${insertNewEventsBy(by)}`.execute(tx)
}
