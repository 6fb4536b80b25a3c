import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import type { Change, Recording } from '../change.ts'
import type { NamedMessage } from '../find-named.ts'
import { findNamed } from '../find-named.ts'
import { makeFolders } from '../folders.ts'
import { type Place, updateIn } from '../update.ts'

interface Named<Answer> {
  readonly by: By
  readonly recording?: Recording
  /** Called at the end, in the transaction. `recorded` is what the recording answered last that was not null. */
  settled(tx: Tx, done: { readonly places: ReadonlyMap<string, Place>; readonly recorded: unknown }): Promise<Answer>
}

/** A message has left its folder before that was locked. */
class MovedMeanwhile extends Error {}

/** Changes or moves messages of one organization, all or none. */
export async function updateNamed<Answer>(
  db: Db,
  organizationId: string,
  ids: readonly string[],
  change: Change,
  { by, recording, settled }: Named<Answer>,
): Promise<Answer> {
  for (;;) {
    try {
      return await db.transaction().execute(async (tx) => {
        const places = new Map<string, Place>()
        let recorded: unknown = null
        for (const [first, uids, idOf] of byFolder(await lockNamed(tx, organizationId, ids, change.folder))) {
          const now = await updateIn(tx, first, uids, change, by, recording)
          for (const [uid, place] of now.places) places.set(idOf.get(uid) ?? '', place)
          recorded = now.recorded ?? recorded
        }
        return await settled(tx, { places, recorded })
      })
    } catch (error) {
      if (!(error instanceof MovedMeanwhile)) throw error
    }
  }
}

/** Finds messages, and locks their folders and those that they move to, in one order (docs/database.md#lock-order). @throws MovedMeanwhile */
async function lockNamed(tx: Tx, organizationId: string, ids: readonly string[], target: string | undefined) {
  const found = await findNamed(tx, organizationId, ids)
  const moving = target === undefined ? [] : found.filter(({ folder }) => folder !== target)
  const mailboxes = [...new Map(moving.map(({ mailbox }) => [mailbox.mailboxId, mailbox])).values()]
  if (target !== undefined && mailboxes.length > 0) {
    await makeFolders(
      tx,
      mailboxes.map((mailbox) => ({ mailbox, name: target })),
    )
  }
  const { rows: locked } = await sql<{ id: number }>`
    select id from mail_folders
    where organization_id = ${organizationId} and (id = any(${found.map(({ folderId }) => folderId)}::bigint[])
      or name = ${target ?? null} and mailbox_id = any(${mailboxes.map(({ mailboxId }) => mailboxId)}::uuid[]))
    order by id for update`.execute(tx)
  const folders = new Set(locked.map(({ id }) => id))
  const named = await findNamed(tx, organizationId, ids)
  if (named.some(({ folderId }) => !folders.has(folderId))) throw new MovedMeanwhile()
  return named
}

type InFolder = readonly [first: NamedMessage, uids: readonly number[], idOf: ReadonlyMap<number, string>]

export function byFolder(named: readonly NamedMessage[]): InFolder[] {
  return [...Map.groupBy(named, ({ folderId }) => folderId).values()].flatMap((those) =>
    those[0] ? [[those[0], those.map(({ uid }) => uid), new Map(those.map(({ uid, id }) => [uid, id]))] as const] : [],
  )
}
