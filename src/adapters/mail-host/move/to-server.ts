import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { collected } from '#/event-loop/pieces.ts'
import { expungeFrom } from '#/mail/expunge.ts'
import { type Folder, removeEmptyFolder } from '#/mail/folders.ts'
import { read } from '#/mail/read.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { addStorage } from '#/usage/storage.ts'
import type { Access } from '../imap/access.ts'
import { asLiteral } from '../imap/changing/append.ts'
import type { ImapSession } from '../imap/client/session.ts'
import type { Layout } from '../imap/folders/layout.ts'
import { batchOf, type Carried, mostMessages, type Tally } from './carried.ts'
import type { MoveClaim } from './claim.ts'
import { batchInProgress, clearBatch, recordBatch } from './journal.ts'
import { folderFor, store } from './server-folder.ts'

interface Parts {
  readonly db: Db
  readonly access: Access
  readonly claim: MoveClaim
  readonly tally: Tally
}

/** Mailboxes that still have folders in the database. */
export async function mailboxesToServer(db: Db): Promise<MailboxRef[]> {
  const { rows } = await sql<MailboxRef>`
    select distinct organization_id as "organizationId", mailbox_id as "mailboxId" from mail_folders
    order by mailbox_id`.execute(db)
  return rows
}

/** Moves a mailbox from the database to the server, folder by folder, in batches. A batch on the server is read back before
 *  it is deleted here. An interrupted batch is first looked for on the server. */
export async function moveToServer(parts: Parts, mailbox: MailboxRef, progress: () => void): Promise<void> {
  const { db, access } = parts
  const account = { mailbox, login: mailbox.mailboxId, waiting: false }
  await access.inMailbox(account, async (session, layout) => {
    const broken = await batchInProgress(db, mailbox.mailboxId)
    const folders = await foldersOf(db, mailbox)
    for (const { id, name } of folders.toSorted((one) => (one.name === broken?.folder ? -1 : 1))) {
      const target = await folderFor(session, layout, name)
      if (target.called !== name)
        parts.tally.renamed.push({ mailboxId: mailbox.mailboxId, folder: name, called: target.called })
      while (await moveBatch(parts, session, layout, { mailbox, id, name, called: target.called })) progress()
      await dropFolder(parts, mailbox, id)
    }
  })
}

interface Leaving {
  readonly mailbox: MailboxRef
  readonly id: number
  readonly name: string
  /** The name on the server. */
  readonly called: string
}

/** False if nothing is left. */
async function moveBatch(
  { db, claim, tally }: Parts,
  session: ImapSession,
  layout: Layout,
  { mailbox, id, name, called }: Leaving,
): Promise<boolean> {
  const { mailboxId } = mailbox
  const { folder } = await folderFor(session, layout, called)
  const { uidValidity, uidNext } = folder.selectedAt
  const before = await batchInProgress(db, mailboxId)
  const broken = before?.folder === name && before.uidValidity === uidValidity ? before : undefined
  const messages = await messagesIn(db, mailbox, name, broken?.uids ?? (await lowestUids(db, id)))
  if (messages.length === 0 && !broken) return false
  const uids = messages.map(({ uid }) => uid)
  const since = broken?.uidNext ?? uidNext
  await db.transaction().execute(async (tx) => {
    await claim.hold(tx)
    await recordBatch(tx, mailboxId, { folder: name, uids, uidValidity, uidNext: since })
  })
  if (messages.length > 0) await store(session, folder, since, messages, { perhapsThere: broken !== undefined })
  await db.transaction().execute(async (tx) => {
    await claim.hold(tx)
    await remove(tx, mailbox, id, uids)
    await clearBatch(tx, mailboxId)
  })
  tally.add(messages)
  return true
}

async function foldersOf(db: Db, { organizationId, mailboxId }: MailboxRef): Promise<{ id: number; name: string }[]> {
  return await db
    .selectFrom('mail_folders')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('mailbox_id', '=', mailboxId)
    .orderBy('id')
    .execute()
}

async function lowestUids(db: Db, folderId: number): Promise<number[]> {
  const { rows } = await sql<{ uid: number; size: number }>`
    select uid, size_bytes as size from mail_messages where folder_id = ${folderId}
    order by uid limit ${mostMessages}`.execute(db)
  return batchOf(rows).map(({ uid }) => uid)
}

async function messagesIn(db: Db, mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<Carried[]> {
  const messages: Carried[] = []
  for (const uid of uids) {
    const stored = await read(db, mailbox, folder, uid)
    if (!stored) continue
    const { summary, filteredBy } = stored
    const { receivedAt, seen, flagged, answered, forwarded, keywords, sizeBytes } = summary
    const raw = await asLiteral(await collected(stored.pieces(), sizeBytes))
    messages.push({ uid, raw, receivedAt, seen, flagged, answered, forwarded, keywords, filteredBy })
  }
  return messages
}

/** Does not subtract the storage that they use: they use it on the server now. */
async function remove(
  tx: Tx,
  { organizationId }: MailboxRef,
  folderId: number,
  uids: readonly number[],
): Promise<void> {
  const { rows } = await sql<Folder>`
    select id, name, uid_next, modseq, total, unread from mail_folders
    where id = ${folderId} and organization_id = ${organizationId} for update`.execute(tx)
  const [folder] = rows
  if (!folder || uids.length === 0) return
  const { rows: sizes } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as bytes from mail_messages
    where folder_id = ${folderId} and uid = any(${uids}::bigint[])`.execute(tx)
  await expungeFrom(tx, folder, uids)
  await addStorage(tx, [{ organization_id: organizationId, bytes: sizes[0]?.bytes ?? 0 }])
}

/** Empty by now: no process stores in the database while mail moves. */
async function dropFolder({ db, claim }: Parts, { organizationId }: MailboxRef, folderId: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await claim.hold(tx)
    await removeEmptyFolder(tx, organizationId, folderId)
  })
}
