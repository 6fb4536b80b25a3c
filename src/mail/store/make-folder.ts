import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { assertReadable, folderIsThere } from './folder-name.ts'
import { findFolder, lockFolders, makeFolders, refuseFolder, removeEmptyFolder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'

const uniqueViolation = '23505'

/** False if it exists. */
export function makeFolder(db: Db, mailbox: MailboxRef, name: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const made = await makeFolders(tx, [{ mailbox, name }])
    await findFolder(tx, mailbox, name)
    return made > 0
  })
}

/** Renames a folder and those within it, of which there may be some without it. @throws invalid if the new name exists */
export async function renameFolderTree(db: Db, mailbox: MailboxRef, name: string, to: string): Promise<void> {
  // No statement takes a NUL.
  assertReadable(name)
  try {
    await db.transaction().execute(async (tx) => {
      const tree = await lockTree(tx, mailbox, name)
      if (tree.length === 0) await refuseFolder(tx, { mailbox, name })
      for (const one of tree) assertReadable(to + one.name.slice(name.length))
      await sql`
        /* announced */ update mail_folders set name = ${to} || substr(name, char_length(${name}) + 1)
        where organization_id = ${mailbox.organizationId} and id = any(${tree.map(({ id }) => id)}::bigint[])`.execute(
        tx,
      )
    })
  } catch (error) {
    throw (error as { code?: unknown }).code === uniqueViolation ? folderIsThere(to) : error
  }
}

/** Locks the folder and those within it, lowest id first. */
async function lockTree(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  name: string,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from mail_folders
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId}
      and (name = ${name} or starts_with(name, ${`${name}/`}))
    order by id for update`.execute(tx)
  return rows
}

/** Removes a folder that has no others in it. False, with all mail in place, if it has messages. */
export function removeFolder(db: Db, mailbox: MailboxRef, name: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const at = { mailbox, name }
    const folder = (await lockFolders(tx, at))(at)
    if (folder.total > 0) return false
    await removeEmptyFolder(tx, mailbox.organizationId, folder.id)
    return true
  })
}
