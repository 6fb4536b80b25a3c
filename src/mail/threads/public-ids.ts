import { type IdHashKey, idHash } from '#/formats/mime/id-hash.ts'

/** The ids of a folder's conversations: base64url of 4 bytes for mailbox and folder and the 8 bytes of the claimed root's hash
 *  (docs/reference/threads.md). */
export function threadIds(key: IdHashKey, mailboxId: string, folder: string): (root: Buffer) => string {
  const mark = folderMark(key, mailboxId, folder)
  return (root) => Buffer.concat([mark, root]).toString('base64url')
}

/** A conversation's id has no folder in it, so it stays the same wherever its messages are. */
export const anyFolder = ''

export function conversationIds(key: IdHashKey, mailboxId: string): (root: Buffer) => string {
  return threadIds(key, mailboxId, anyFolder)
}

/** The root's hash in an id of this folder; undefined for any other text, such as an id of another folder. */
export function rootOf(key: IdHashKey, mailboxId: string, folder: string, id: string): Buffer | undefined {
  if (!/^[A-Za-z0-9_-]{16}$/.test(id)) return undefined
  const bytes = Buffer.from(id, 'base64url')
  return folderMark(key, mailboxId, folder).equals(bytes.subarray(0, 4)) ? bytes.subarray(4) : undefined
}

function folderMark(key: IdHashKey, mailboxId: string, folder: string): Buffer {
  return idHash(key, `${mailboxId}/${folder}`).subarray(0, 4)
}
