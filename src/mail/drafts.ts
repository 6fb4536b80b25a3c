import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { appendEvents, type By } from '#/events/append.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { Draft, MailboxRef } from '#/ports/mail-host.ts'
import { append } from './append.ts'
import { saved } from './changed.ts'
import { expungeIn } from './expunge.ts'
import { lockFolders, makeFolders } from './folders.ts'

/** Stores a draft in place of another, in one transaction; undefined if that is deleted. */
export function saveDraft(
  db: Db,
  key: IdHashKey,
  mailbox: MailboxRef,
  { message, savedAt: receivedAt, replaces, record }: Draft,
  by?: By,
): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    await makeFolders(tx, [{ mailbox, name: 'drafts' }])
    const folder = (await lockFolders(tx, mailbox, ['drafts'])).get('drafts')
    const before = replaces.at(-1)
    if (folder && before !== undefined && !(await isThere(tx, folder.id, before))) return undefined
    // First, by the order of locks (docs/database.md#lock-order).
    if (replaces.length > 0) await expungeIn(tx, mailbox, 'drafts', replaces)
    const flags = { seen: true, flagged: false, draft: true, keywords: [], filteredBy: [] }
    const [uid = 0] = await append(tx, key, [{ mailbox, folder: 'drafts', message, receivedAt, ...flags }], false)
    await record?.(tx, uid)
    await appendEvents(tx, [saved(mailbox, uid, before)], by)
    return uid
  })
}

async function isThere(tx: Db, folderId: number, uid: number): Promise<boolean> {
  const { rows } = await sql`
    select from mail_messages where folder_id = ${folderId} and uid = ${uid}`.execute(tx)
  return rows.length > 0
}
