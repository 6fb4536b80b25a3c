import { query } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { By } from '#/events/append.ts'
import { publicId } from '#/message-id.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { Message } from '#/mime/message.ts'
import { append } from './append.ts'
import type { Named } from './changed.ts'
import { expungeFrom } from './expunge.ts'
import { lockFolders, makeFolders } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { logStored } from './received.ts'

export interface Draft {
  /** With a Message-ID that begins with `<draft.`. */
  readonly message: Message
  readonly savedAt: Date
  /** Uids, in ascending order. */
  readonly replaces: readonly number[]
  /** Records the message with this uid and id, in the transaction that stores it. */
  readonly record?: (tx: Tx, uid: number, id: string) => Promise<void>
}

/** Stores a draft in `drafts`, marked as read and as a draft, in place of those that it replaces. Answers its uid. Undefined, with
 *  nothing changed, if the newest of those is no longer there. */
export function storeDraft(
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
    await record?.(tx, uid, publicId((await findIn(tx, folder.id, uid))?.id ?? 0))
    await logStored(tx, { mailbox, folderId: folder.id, name: 'drafts' }, [uid], by, replaced)
    return uid
  })
}

async function findIn(tx: Tx, folderId: number, uid: number): Promise<Named | undefined> {
  const [found] = await query<Named>(tx)`
    select id, uid from mail_messages where folder_id = ${folderId} and uid = ${uid}`
  return found
}
