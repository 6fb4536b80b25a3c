import { query } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { By } from '#/events/append.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { Draft, MailboxRef } from '#/ports/mail-host.ts'
import { append } from './append.ts'
import type { Named } from './changed.ts'
import { expungeFrom } from './expunge.ts'
import { lockFolders, makeFolders } from './folders.ts'
import { logStored } from './received.ts'

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
    if (!folder) throw notFound('mailbox')
    const before = replaces.at(-1)
    const replaced = before === undefined ? undefined : await findIn(tx, folder.id, before)
    if (before !== undefined && !replaced) return undefined
    // First, by the order of locks (docs/database.md#lock-order).
    if (replaces.length > 0) await expungeFrom(tx, folder, replaces)
    const flags = { seen: true, flagged: false, draft: true, keywords: [], filteredBy: [] }
    const [uid = 0] = await append(tx, key, [{ mailbox, folder: 'drafts', message, receivedAt, ...flags }], false)
    await record?.(tx, uid)
    await logStored(tx, { mailbox, folderId: folder.id, name: 'drafts' }, [uid], by, replaced)
    return uid
  })
}

async function findIn(tx: Tx, folderId: number, uid: number): Promise<Named | undefined> {
  const [found] = await query<Named>(tx)`
    select id, uid from mail_messages where folder_id = ${folderId} and uid = ${uid}`
  return found
}
