import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import { notFound } from '#/base/errors.ts'
import { assertReadable, inListOrder, noSuchFolder, standardFolders } from './folder-name.ts'
import type { MailboxRef } from './mailbox-ref.ts'

export type FolderStatus = { readonly name: string; readonly total: number; readonly unread: number }

/** A reader's copy of a folder: the messages below `uidNext`, as of `modseq` (RFC 7162). */
export type FolderState = { readonly uidValidity: number; readonly modseq: number; readonly uidNext: number }

/** A folder with its UIDVALIDITY, without which uids have no meaning. */
export interface FolderKey {
  readonly name: string
  readonly key: number
}

export type FolderName = { readonly mailbox: MailboxRef; readonly name: string }

export interface Folder {
  readonly id: number
  readonly name: string
  readonly uid_next: number
  readonly modseq: number
  readonly total: number
  readonly unread: number
}

/** A message of a folder. */
export interface Named {
  readonly uid: number
  readonly id: number
}

/** The six folders that a new mailbox has from the start. */
export async function makeStandardFolders(tx: Tx, mailbox: MailboxRef): Promise<void> {
  await makeFolders(
    tx,
    standardFolders.map((name) => ({ mailbox, name })),
  )
}

/** Creates missing folders, and answers how many. To be called before a folder is locked: see docs/database.md, "Lock
 *  order". */
export async function makeFolders(tx: Tx, folders: readonly FolderName[]): Promise<number> {
  for (const { name } of folders) assertReadable(name)
  // A conflict would use up an id, so existing folders are left out first.
  const { rows } = await sql`
    /* announced */ insert into mail_folders (organization_id, mailbox_id, name)
    select wanted.organization_id, wanted.mailbox_id, wanted.name
    from jsonb_to_recordset(${namesJson(folders)}::jsonb) as wanted (organization_id uuid, mailbox_id uuid, name text)
    join mailboxes on mailboxes.id = wanted.mailbox_id and mailboxes.organization_id = wanted.organization_id
    where not exists (
      select from mail_folders there where there.mailbox_id = wanted.mailbox_id and there.name = wanted.name
    )
    order by wanted.mailbox_id, wanted.name
    on conflict do nothing
    returning id`.execute(tx)
  return rows.length
}

/** Keeps a folder that has messages. */
export async function removeEmptyFolder(tx: Tx, organizationId: string, folderId: number): Promise<void> {
  await sql`
    /* announced */ delete from mail_folders where id = ${folderId} and organization_id = ${organizationId} and total = 0`.execute(
    tx,
  )
}

/** Throws `not_found` for an unknown mailbox, `invalid_request` for an unknown folder. */
export async function findFolder(db: Db, mailbox: MailboxRef, name: string): Promise<Folder> {
  const { rows } = await sql<Folder | { id: null }>`
    select folder.id, folder.name, folder.uid_next, folder.modseq, folder.total, folder.unread
    from mailboxes
    left join mail_folders folder on folder.mailbox_id = mailboxes.id and folder.name = ${name}
    where mailboxes.id = ${mailbox.mailboxId} and mailboxes.organization_id = ${mailbox.organizationId}`.execute(
    short(db),
  )
  const [row] = rows
  if (!row) throw notFound('mailbox')
  if (row.id === null) throw noSuchFolder(name)
  return row
}

/** The folder's current name. */
export async function folderNow(db: Db, mailbox: MailboxRef, { key }: FolderKey): Promise<string | undefined> {
  const folder = await db
    .selectFrom('mail_folders')
    .select('name')
    .where('organization_id', '=', mailbox.organizationId)
    .where('mailbox_id', '=', mailbox.mailboxId)
    .where('id', '=', key)
    .executeTakeFirst()
  return folder?.name
}

/** A folder by its id, which stays when it is renamed. */
export interface FolderRef {
  readonly mailbox: MailboxRef
  readonly folderId: number
}

export type FolderAt = FolderRef | FolderName

/** Locks folders of one organization, lowest id first, so that no two operations deadlock. Throws as `findFolder` if one is not there,
 *  `not_found` for one that is named by its id. */
export async function lockFolders(
  tx: Tx,
  ...wanted: readonly [FolderAt, ...FolderAt[]]
): Promise<(at: FolderAt) => Folder> {
  const ids = wanted.flatMap((at) => ('folderId' in at ? at.folderId : []))
  const names = wanted.flatMap((at) => ('folderId' in at ? [] : at.name))
  const { rows } = await sql<Folder & { mailbox_id: string }>`
    select id, mailbox_id, name, uid_next, modseq, total, unread from mail_folders
    where organization_id = ${wanted[0].mailbox.organizationId} and mailbox_id = any(${wanted.map(({ mailbox }) => mailbox.mailboxId)}::uuid[])
      and (id = any(${ids}::bigint[]) or name = any(${names}::text[]))
    order by id for update`.execute(tx)
  const found = (at: FolderAt) =>
    rows.find(({ id, mailbox_id, name }) => {
      return mailbox_id === at.mailbox.mailboxId && ('folderId' in at ? id === at.folderId : name === at.name)
    })
  for (const at of wanted) if (!found(at)) await refuseFolder(tx, at)
  return (at) => found(at) ?? unlocked()
}

/** Says why a folder to be locked was missing. */
export async function refuseFolder(tx: Tx, at: FolderAt): Promise<never> {
  if ('folderId' in at) throw notFound('folder')
  await findFolder(tx, at.mailbox, at.name)
  throw noSuchFolder(at.name)
}

function unlocked(): never {
  throw new Error('This folder is not locked')
}

/** Uids that are looked up one by one. */
const few = 10

/** Uids as rows of folder and uid, each once, to join with. With the folder beside a list of uids, and without fresh
 *  statistics, PostgreSQL takes the folder for small and reads all of it: 15 ms instead of 0.5 for 25 of 100,000. It takes a list whose length it
 *  does not know for ten; so a plan that is kept for all lists looks dearer to it than one for a single uid, and it plans each time again, which
 *  takes longer than to run it, or without fresh statistics reads the folder. What is limited by a parameter it takes for a tenth of that. */
export function uidRows(folderId: number, uids: readonly number[]): RawBuilder<unknown> {
  const limit = uids.length <= few ? sql`limit ${few}` : sql``
  return sql`(select distinct ${folderId}::bigint as folder_id, uid from (select uid from unnest(${uids}::bigint[]) as uid ${limit}) listed)`
}

export async function folderStatuses(db: Db, mailbox: MailboxRef): Promise<FolderStatus[]> {
  const folders = await db
    .selectFrom('mail_folders')
    .select(['name', 'total', 'unread'])
    .where('organization_id', '=', mailbox.organizationId)
    .where('mailbox_id', '=', mailbox.mailboxId)
    .execute()
  return inListOrder(folders)
}

/** The folders with their states. In a folder with an unchanged state nothing has changed. */
export async function folderStates(db: Db, mailbox: MailboxRef): Promise<{ name: string; state: FolderState }[]> {
  const { rows: folders } = await sql<Pick<Folder, 'id' | 'name' | 'modseq' | 'uid_next'>>`
    select id, name, modseq, uid_next from mail_folders
    where organization_id = ${mailbox.organizationId} and mailbox_id = ${mailbox.mailboxId}`.execute(short(db))
  return inListOrder(folders).map(({ id, name, modseq, uid_next }) => ({
    name,
    state: { uidValidity: id, modseq, uidNext: uid_next },
  }))
}

function namesJson(folders: readonly FolderName[]): string {
  return JSON.stringify(
    folders.map(({ mailbox, name }) => ({
      organization_id: mailbox.organizationId,
      mailbox_id: mailbox.mailboxId,
      name,
    })),
  )
}
