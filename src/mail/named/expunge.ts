import type { Db, Tx } from '#/db/schema.ts'
import { unlessDeleted } from '#/errors.ts'
import { appendEvents, type By } from '#/events/append.ts'
import { publicId } from '#/message-id.ts'
import { deleted } from '../changed.ts'
import { expungeFrom, partsOf } from '../expunge.ts'
import { lockFolderRefs } from '../folders.ts'
import type { NamedMessage } from './find.ts'
import { findNamed } from './find.ts'
import { byFolder } from './update.ts'

type Record = (tx: Tx, gone: readonly string[]) => Promise<void>

/** Deletes messages of one organization for good, wherever they are, those of a folder together and large ones in parts. One that moves
 *  meanwhile is looked for again. */
export async function expungeNamed(
  db: Db,
  organizationId: string,
  ids: readonly string[],
  by?: By,
  record?: Record,
): Promise<string[]> {
  const gone = new Set<string>()
  for (;;) {
    const named = await findNamed(
      db,
      organizationId,
      ids.filter((id) => !gone.has(id)),
    )
    if (named.length === 0) return [...gone]
    for (const [first] of byFolder(named)) {
      const those = named.filter(({ folderId }) => folderId === first.folderId)
      for (const uids of partsOf(those.map(({ uid, sizeBytes }) => ({ uid, size_bytes: sizeBytes })))) {
        const went = db.transaction().execute(async (tx) => {
          const went = (await expungeAt(tx, first, uids, by)).map(({ id }) => publicId(id))
          await record?.(tx, went)
          return went
        })
        for (const id of (await went.catch(unlessDeleted)) ?? []) gone.add(id)
      }
    }
  }
}

/** Uids are never given again in a folder, whatever it is called by now. */
async function expungeAt(tx: Tx, { mailbox, folderId }: NamedMessage, uids: readonly number[], by: By | undefined) {
  const ref = { mailbox, folderId }
  const folder = (await lockFolderRefs(tx, ref))(ref)
  const gone = await expungeFrom(tx, folder, uids)
  await appendEvents(tx, deleted(mailbox, folder.name, gone), by)
  return gone
}
