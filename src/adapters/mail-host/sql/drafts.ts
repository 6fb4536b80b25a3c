import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { appendEvents, type By } from '#/events/append.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { Draft, MailboxRef } from '#/ports/mail-host.ts'
import { saved } from '../changed.ts'
import { append } from './append.ts'
import { expungeIn } from './expunge.ts'
import { lockFolders, makeFolders } from './folders.ts'

/** Stores a draft in place of another, in one transaction; undefined if that is deleted. */
export function saveDraft(
  db: Db,
  key: IdHashKey,
  mailbox: MailboxRef,
  { message, savedAt: receivedAt, replaces }: Draft,
  by?: By,
): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    await makeFolders(tx, [{ mailbox, name: 'drafts' }])
    const folder = (await lockFolders(tx, mailbox, ['drafts'])).get('drafts')
    const before = replaces.at(-1)
    if (folder && before !== undefined && !(await isThere(tx, folder.id, before))) return undefined
    // First, by the order of locks (docs/database.md#lock-order).
    if (replaces.length > 0) await expungeIn(tx, mailbox, 'drafts', replaces)
    const flags = { seen: true, flagged: false, keywords: [], filteredBy: [] }
    await append(tx, key, [{ mailbox, folder: 'drafts', message, receivedAt, ...flags }], false)
    // The folder was locked, so the message has its next uid.
    const uid = folder?.uid_next ?? 0
    await appendEvents(tx, [saved(mailbox, uid, before)], by)
    return uid
  })
}

async function isThere(tx: Db, folderId: number, uid: number): Promise<boolean> {
  const { rows } = await sql`
    select from mail_messages where folder_id = ${folderId} and uid = ${uid}`.execute(tx)
  return rows.length > 0
}

/** Uses an index of drafts only. */
export async function draftsNamed(db: Db, mailbox: MailboxRef, messageId: string): Promise<number[]> {
  const { rows } = await sql<{ uid: number }>`
    select message.uid
    from mail_contents content
    join mail_messages message on message.content_id = content.id
    join mail_folders folder on folder.id = message.folder_id
    where content.organization_id = ${mailbox.organizationId} and content.message_id = ${messageId}
      and content.message_id like '<draft.%' and length(content.message_id) < 400
      and folder.mailbox_id = ${mailbox.mailboxId} and folder.name = 'drafts'
    order by message.uid`.execute(db)
  return rows.map(({ uid }) => uid)
}
