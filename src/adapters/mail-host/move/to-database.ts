import { sql } from 'kysely'
import { databaseNow } from '#/db/leases.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { collected } from '#/event-loop/pieces.ts'
import { append } from '#/mail/append.ts'
import { makeFolders } from '#/mail/folders.ts'
import { markOriginals } from '#/mail/originals.ts'
import { read } from '#/mail/read.ts'
import type { Originals } from '#/mime/header/originals.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { Copy, MailboxRef } from '#/ports/mail-host.ts'
import type { Access } from '../imap/access.ts'
import { expunge } from '../imap/changing/change.ts'
import type { ImapSession } from '../imap/client/session.ts'
import type { Layout } from '../imap/folders/layout.ts'
import { drop, type Spooled, spooledBytes, spoolLeases } from '../imap/spool/queries.ts'
import { batchOf, type Carried, digestOf, mostMessages, type Tally } from './carried.ts'
import type { MoveClaim } from './claim.ts'
import { batchInProgress, clearBatch, recordBatch } from './journal.ts'
import { lowest } from './server-folder.ts'

interface Parts {
  readonly db: Db
  readonly access: Access
  readonly claim: MoveClaim
  readonly tally: Tally
  readonly key: IdHashKey
  readonly reader: MessageReader
}

export async function mailboxesToDatabase(db: Db): Promise<MailboxRef[]> {
  return await db
    .selectFrom('mailboxes')
    .select(['organization_id as organizationId', 'id as mailboxId'])
    .orderBy('id')
    .execute()
}

/** Whether the spool still has mail. */
export async function isSpoolEmpty(db: Db): Promise<boolean> {
  return (await db.selectFrom('mail_spool').select('id').limit(1).execute()).length === 0
}

/** Moves a mailbox from the server into the database, folder by folder, then its mail in the spool. A batch is stored, read
 *  back and recorded in one transaction before it is deleted on the server. */
export async function moveToDatabase(parts: Parts, mailbox: MailboxRef, progress: () => void): Promise<void> {
  const account = { mailbox, login: mailbox.mailboxId, waiting: false }
  await parts.access.inMailbox(account, async (session, layout) => {
    await finishBatch(parts, session, mailbox)
    for (const { name, path } of await layout.everyFolder(session)) {
      noteName(parts.tally, layout, mailbox, name, path)
      await parts.db.transaction().execute((tx) => makeFolders(tx, [{ mailbox, name }]))
      while (await moveBatch(parts, session, mailbox, name, path)) progress()
    }
  })
  while (await moveSpooled(parts, mailbox)) progress()
}

/** Deletes on the server what an interrupted batch has stored here. */
async function finishBatch({ db }: Parts, session: ImapSession, { mailboxId }: MailboxRef): Promise<void> {
  const batch = await batchInProgress(db, mailboxId)
  if (!batch) return
  const folder = await session.selectAnew(batch.folder)
  if (folder?.selectedAt.uidValidity === batch.uidValidity) await expunge(session, batch.uids)
  await clearBatch(db, mailboxId)
}

/** False if nothing is left. */
async function moveBatch(
  parts: Parts,
  session: ImapSession,
  mailbox: MailboxRef,
  name: string,
  path: string,
): Promise<boolean> {
  const folder = await session.selectAnew(path)
  if (!folder) return false
  const messages = await lowest(session, folder, parts.tally)
  if (messages.length === 0) return false
  const uids = messages.map(({ uid }) => uid)
  await parts.db.transaction().execute(async (tx) => {
    await parts.claim.hold(tx)
    await keep(parts, tx, mailbox, name, messages)
    const batch = { folder: path, uids, uidValidity: folder.selectedAt.uidValidity, uidNext: 0 }
    await recordBatch(tx, mailbox.mailboxId, batch)
  })
  await expunge(session, uids)
  await clearBatch(parts.db, mailbox.mailboxId)
  parts.tally.add(messages)
  return true
}

/** A message to be stored. One of the spool has not marked its originals yet. */
type Kept = Omit<Carried, 'uid'> & { readonly originals?: Originals }

/** Stores messages in a folder and reads them back. */
async function keep(
  { key, reader }: Parts,
  tx: Tx,
  mailbox: MailboxRef,
  folder: string,
  messages: readonly Kept[],
): Promise<void> {
  const copies: Copy[] = []
  for (const { raw, ...message } of messages)
    copies.push({ ...message, mailbox, folder, message: await reader.message(raw) })
  await markOriginals(tx, key, copies)
  await append(tx, key, copies, false)
  const { uid_next: end } = await tx
    .selectFrom('mail_folders')
    .select('uid_next')
    .where('organization_id', '=', mailbox.organizationId)
    .where('mailbox_id', '=', mailbox.mailboxId)
    .where('name', '=', folder)
    .executeTakeFirstOrThrow()
  for (const [index, message] of messages.entries()) {
    const stored = await read(tx, mailbox, folder, end - messages.length + index)
    const raw = stored && (await collected(stored.pieces(), stored.summary.sizeBytes))
    if (!stored || !raw || digestOf({ ...stored.summary, raw, filteredBy: stored.filteredBy }) !== digestOf(message))
      throw new Error(`The database stored a message in ${folder} differently from what was sent`)
  }
}

/** Spooled mail that no process is delivering. False if there is none. */
async function moveSpooled(parts: Parts, mailbox: MailboxRef): Promise<boolean> {
  return await parts.db.transaction().execute(async (tx) => {
    await parts.claim.hold(tx)
    const spooled = batchOf(await waiting(tx, mailbox))
    const messages: (Kept & { folder: string })[] = []
    for (const one of spooled) {
      const raw = await spooledBytes(tx, one)
      if (!raw) throw new Error('A message left the spool while it was read')
      messages.push({ ...one, answered: false, forwarded: false, raw })
    }
    for (const message of messages) await keep(parts, tx, mailbox, message.folder, [message])
    const moved = spooled.map((one) => ({ ...one, uid: null, isOurs: true }))
    await drop(tx, mailbox, moved)
    parts.tally.add(messages)
    return spooled.length > 0
  })
}

async function waiting(tx: Tx, { organizationId, mailboxId }: MailboxRef): Promise<Spooled[]> {
  const { rows } = await sql<Spooled>`
    select id, folder, size_bytes as size, message_id as "messageId", received_at as "receivedAt", seen, flagged, keywords,
      filtered_by as "filteredBy", jsonb_build_object('answered', answered, 'forwarded', forwarded) as originals, attempts
    from mail_spool
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId}
      and ${spoolLeases.free(databaseNow)}
    order by id limit ${mostMessages} for update skip locked`.execute(tx)
  return rows
}

function noteName(tally: Tally, layout: Layout, { mailboxId }: MailboxRef, name: string, path: string): void {
  if (layout.isAliased(path)) tally.renamed.push({ mailboxId, folder: path, called: name })
}
