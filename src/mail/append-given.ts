import type { Tx } from '#/db/schema.ts'
import { appendEvents, type By } from '#/events/append.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { Copy } from './append.ts'
import { append } from './append.ts'
import { deleted } from './changed.ts'
import { expungeFrom } from './expunge.ts'
import { type FolderRef, lockFolderRefs } from './folders.ts'
import { dropOwnCopies } from './own-copies.ts'
import { logStored } from './received.ts'

/** A message as a mail program stores it. */
export type Given = Omit<Copy, 'mailbox' | 'folder' | 'filteredBy'>

/** Stores messages in an existing folder, all or none, and writes events. No filter runs. Answers their uids. @throws not_found if the
 *  folder is gone */
export async function appendGiven(
  tx: Tx,
  key: IdHashKey,
  ref: FolderRef,
  messages: readonly Given[],
  by: By,
): Promise<number[]> {
  const locked = (await lockFolderRefs(tx, ref))(ref)
  const { name: folder } = locked
  if (folder === 'sent') await dropOwnCopies(tx, key, { ...ref, folder: locked }, messages)
  const copies = messages.map((message) => ({ ...message, mailbox: ref.mailbox, folder, filteredBy: [] }))
  const uids = await append(tx, key, copies, false)
  await logStored(tx, { ...ref, name: folder }, uids, by)
  return uids
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
  const source = (await lockFolderRefs(tx, old, ref))(old)
  const gone = await expungeFrom(tx, source, [old.uid])
  if (gone.length === 0) return undefined
  await appendEvents(tx, deleted(old.mailbox, source.name, gone), by)
  const [uid] = await appendGiven(tx, key, ref, [message], by)
  return uid
}
