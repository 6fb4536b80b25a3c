import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { type IdHashKey, idHash } from '#/formats/mime/id-hash.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { Copy } from './copy-to-append.ts'
import { expungeFrom } from './expunge.ts'
import type { Folder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { lockAll } from './originals.ts'

/** The copies without those of messages that mail programs have stored themselves (docs/reference/submission.md#where-is-the-copy-in-sent-from). Locks the
 *  folders of all if there may be such. */
export async function withoutStored(tx: Tx, key: IdHashKey, copies: readonly Copy[]): Promise<readonly Copy[]> {
  const named = copies.flatMap(({ mailbox, folder, unlessThere }, place) => {
    if (unlessThere === undefined) return []
    const { organizationId: organization_id, mailboxId: mailbox_id } = mailbox
    return [{ place, organization_id, mailbox_id, name: folder, id_hash: hex(idHash(key, unlessThere)) }]
  })
  if (named.length === 0) return copies
  await lockAll(tx, copies, [])
  const { rows: there } = await sql<{ place: number }>`
    select named.place from json_to_recordset(${JSON.stringify(named)}::json) as named
      (place integer, organization_id uuid, mailbox_id uuid, name text, id_hash bytea)
    join mail_folders folder on folder.mailbox_id = named.mailbox_id and folder.name = named.name
      and folder.organization_id = named.organization_id
    where exists (
      select from mail_messages message
      where message.folder_id = folder.id and message.id_hash = named.id_hash and message.yields_until is null
    )`.execute(tx)
  const places = new Set(there.map(({ place }) => place))
  return copies.filter((_, place) => !places.has(place))
}

/** Deletes our own copies of messages that a mail program now stores in the locked folder itself. */
export async function dropOwnCopies(
  tx: Tx,
  key: IdHashKey,
  { mailbox, folder }: { readonly mailbox: MailboxRef; readonly folder: Folder },
  messages: readonly { readonly message: Pick<Message, 'messageId'> }[],
): Promise<void> {
  const hashes = messages.flatMap(({ message: { messageId } }) =>
    messageId === null ? [] : [hex(idHash(key, messageId))],
  )
  if (hashes.length === 0) return
  const { rows: own } = await sql<{ uid: number }>`
    select uid from mail_messages
    where folder_id = ${folder.id} and id_hash = any(${hashes}::bytea[]) and yields_until > now()`.execute(tx)
  const uids = own.map(({ uid }) => uid)
  if (uids.length > 0) await expungeFrom(tx, mailbox, folder, uids)
}

function hex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}
