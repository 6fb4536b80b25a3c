import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { Static } from '#/http/schemas/type.ts'
import { mailboxFor } from '#/mailboxes/readable.ts'
import type { MailboxRef, MailHost, Stored } from '#/ports/mail-host.ts'
import { folderName } from './folders/folder-name.ts'
import { pathUid } from './message.ts'
import type { InFolder } from './query-schemas.ts'

/** The message of a path's uid, in a mailbox that the caller may read. @throws Refusal */
export async function findMessage(
  { db, mailHost }: { readonly db: Db; readonly mailHost: MailHost },
  caller: Caller,
  uid: string,
  query: Pick<Static<typeof InFolder>, 'mailbox' | 'folder'>,
): Promise<{ readonly mailbox: MailboxRef; readonly stored: Stored }> {
  const folder = folderName(query.folder ?? 'inbox')
  const number = pathUid(uid)
  const mailbox = await mailboxFor(db, caller, 'read', query.mailbox)
  const stored = await mailHost.read(mailbox, folder, number)
  if (!stored) throw notFound('message')
  return { mailbox, stored }
}
