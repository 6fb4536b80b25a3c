import type { Db, Tx } from '#/base/db/schema.ts'
import { unlessDeleted } from '#/base/errors.ts'
import type { By } from '#/base/event-log/append.ts'
import { publicId } from '#/base/text/message-id.ts'
import { expungeParts } from '../expunge.ts'
import { findNamed } from '../find-named.ts'
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
      const sized = those.map(({ uid, sizeBytes }) => ({ uid, size_bytes: sizeBytes }))
      const deletion = expungeParts(db, first, sized, by, async (tx, some) => {
        const names = some.map(({ id }) => publicId(id))
        for (const id of names) gone.add(id)
        await record?.(tx, names)
      })
      await deletion.catch(unlessDeleted)
    }
  }
}
