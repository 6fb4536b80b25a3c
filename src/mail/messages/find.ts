import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import type { Caller, Level } from '#/http/access/caller.ts'
import type { Static } from '#/http/schemas/type.ts'
import { assertSmart, type MailboxNamed, mailboxFor } from '#/mail/mailboxes/readable.ts'
import { findNamed, type MailboxOfMessage, readNamed } from '#/mail/store/find-named.ts'
import { folderName } from '#/mail/store/folder-name.ts'
import { readStored, type Stored } from '#/mail/store/read.ts'
import type { Place } from '#/mail/store/update.ts'
import { assertAlone, pathUid } from './message.ts'
import type { BesideUids } from './query-schemas.ts'

interface Dependencies {
  readonly db: Db
}

/** What a request gives beside the messages that it names. */
type Beside = { readonly [Name in keyof Static<typeof BesideUids>]?: string | undefined }

/** Whether a path names a message by its id. Anything else is a uid, or names none. */
export function isId(name: string): boolean {
  return name.startsWith('m')
}

/** The message that a path names, in a mailbox that the caller may use at that level. @throws Refusal */
export async function findMessage(
  parts: Dependencies,
  caller: Caller,
  level: Level,
  name: string,
  beside: Beside,
): Promise<{ readonly mailbox: MailboxNamed; readonly stored: Stored }> {
  if (isId(name)) {
    assertNoPlace(beside)
    const found = await readNamed(parts.db, caller.organizationId, name)
    if (!found || !isShown(caller, level, found.mailbox, 'uid')) throw notFound('message')
    return found
  }
  const { mailbox, folder, uid } = await placeOfUid(parts.db, caller, level, name, beside)
  const stored = await readStored(parts.db, mailbox, folder, uid)
  if (!stored) throw notFound('message')
  return { mailbox, stored }
}

/** An id says all. @throws Refusal */
export function assertNoPlace({ mailbox, folder }: Beside): void {
  assertAlone('an id', { mailbox, folder })
}

/** The place that a path names by a uid. @throws Refusal */
export async function placeOfUid(
  db: Db,
  caller: Caller,
  level: Level,
  name: string,
  beside: Beside,
): Promise<Place & { readonly mailbox: MailboxNamed }> {
  const uid = pathUid(name)
  return { ...(await folderBeside(db, caller, level, beside)), uid }
}

/** The folder of uids. @throws Refusal */
export async function folderBeside(
  db: Db,
  caller: Caller,
  level: Level,
  { mailbox: address, folder = 'inbox' }: Beside,
): Promise<{ readonly mailbox: MailboxNamed; readonly folder: string }> {
  const name = folderName(folder)
  if (address === undefined) throw invalid('mailbox', 'mailbox is required', 'Give it, or name messages by their ids')
  return { mailbox: await mailboxFor(db, caller, level, address), folder: name }
}

/** Those of the ids that are messages in mailboxes that the caller may read, by id. @throws Refusal if one is in a mailbox that the
 *  caller may not use at that level */
export async function idsShown(
  { db }: Pick<Dependencies, 'db'>,
  caller: Caller,
  level: Level,
  ids: readonly string[],
  fieldOf = (at: number) => `ids[${at}]`,
): Promise<ReadonlyMap<string, MailboxOfMessage>> {
  const named = await findNamed(db, caller.organizationId, ids)
  return new Map(
    named.flatMap(({ id, mailbox }) => {
      return isShown(caller, level, mailbox, fieldOf(ids.indexOf(id))) ? [[id, mailbox] as const] : []
    }),
  )
}

/** Whether a message's mailbox exists for the caller. @throws Refusal if their level is too low, or if the mailbox is Private */
function isShown(caller: Caller, level: Level, mailbox: MailboxOfMessage, field: string): boolean {
  const { mailboxId: id, address } = mailbox
  if (!caller.may('read', id)) return false
  caller.assertMay(level, { id, address })
  assertSmart(mailbox, field)
  return true
}
