import type { Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import { append } from './append.ts'
import type { Copy } from './copy-to-append.ts'
import { expungeFrom } from './expunge.ts'
import { type FolderRef, lockFolders } from './folders.ts'
import { dropOwnCopies } from './own-copies.ts'

/** A message as a mail program stores it. */
export type Given = Omit<Copy, 'mailbox' | 'folder' | 'filteredBy'>

/** Stores messages in a folder, which it locks, writes events, and answers their uids. No filter runs. @throws not_found if the folder is gone */
export async function appendGiven(
  tx: Tx,
  key: IdHashKey,
  ref: FolderRef,
  messages: readonly Given[],
  by: By,
): Promise<number[]> {
  const locked = (await lockFolders(tx, ref))(ref)
  const { name: folder } = locked
  if (folder === 'sent') await dropOwnCopies(tx, key, { mailbox: ref.mailbox, folder: locked }, messages)
  const copies = messages.map((message) => ({ ...message, mailbox: ref.mailbox, folder, filteredBy: [] }))
  return await append(tx, key, copies, { by })
}

/** Stores a message in place of another one, which is deleted for good (RFC 8508). Answers the uid of the new one; undefined, with
 *  nothing changed, if the other is gone. */
export async function replaceGiven(
  tx: Tx,
  key: IdHashKey,
  old: FolderRef & { readonly uid: number },
  ref: FolderRef,
  message: Given,
  by: By,
): Promise<number | undefined> {
  const source = (await lockFolders(tx, old, ref))(old)
  const gone = await expungeFrom(tx, old.mailbox, source, [old.uid], { by })
  if (gone.length === 0) return undefined
  const [uid] = await appendGiven(tx, key, ref, [message], by)
  return uid
}
