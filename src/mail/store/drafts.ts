import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import { publicId } from '#/base/text/message-id.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { Message } from '#/formats/mime/message.ts'
import { append } from './append.ts'
import { expungeFrom } from './expunge.ts'
import { lockFolders, makeFolders, type Named } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'

export interface DraftToStore {
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
  { message, savedAt: receivedAt, replaces, record }: DraftToStore,
  by: By,
): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    const drafts = { mailbox, name: 'drafts' }
    await makeFolders(tx, [drafts])
    const folder = (await lockFolders(tx, drafts))(drafts)
    const before = replaces.at(-1)
    const replaced = before === undefined ? undefined : await findIn(tx, folder.id, before)
    if (before !== undefined && !replaced) return undefined
    // First, by the order of locks (docs/database.md#lock-order).
    if (replaces.length > 0) await expungeFrom(tx, mailbox, folder, replaces, { isSilent: true })
    const flags = { seen: true, flagged: false, draft: true, keywords: [], filteredBy: [] }
    const copy = { mailbox, folder: 'drafts', message, receivedAt, ...flags }
    const movedFrom = replaced && { ...replaced, folder: 'drafts' }
    const [uid = 0] = await append(tx, key, [copy], { by, movedFrom })
    await record?.(tx, uid, publicId((await findIn(tx, folder.id, uid))?.id ?? 0))
    return uid
  })
}

async function findIn(tx: Tx, folderId: number, uid: number): Promise<Named | undefined> {
  const { rows } = await sql<Named>`
    select id, uid from mail_messages where folder_id = ${folderId} and uid = ${uid}`.execute(tx)
  const [found] = rows
  return found
}
