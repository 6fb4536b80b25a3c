import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import type { LeftAlone } from '#/base/db/schema/changes.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { type Change, present } from '#/mail/store/change.ts'
import { folderNow } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { updateIn } from '#/mail/store/update.ts'
import { stepOf } from './record.ts'
import { type Whereabouts, whereabouts } from './whereabouts.ts'

/** A difference made to a message or to many. */
interface Difference {
  /** Null if unchanged. */
  readonly seen: boolean | null
  readonly flagged: boolean | null
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Messages of one folder that were changed in the same way, which is being undone: a row of change_parts. */
export interface Undone extends Difference {
  readonly id: number
  readonly mailbox_id: string
  readonly folder_key: number
  readonly folder: string
  readonly uids: number[]
  /** Null if they were not moved. */
  readonly from_key: number | null
  readonly from_folder: string | null
  /** False if it is unknown whether it was done; then unchanged messages are not listed. */
  readonly undone_uids: readonly number[]
}

export interface PutBack {
  readonly db: Db
  /** Messages in one step: a step of a run may have changed more. */
  readonly together: number
  /** The undo, under which the work is recorded. */
  readonly undo: { readonly id: string; readonly organizationId: string; readonly by: Actor }
}

/** Another process has reverted these messages. */
class DoneElsewhere extends Error {}

/** Reverts messages of a part, wherever recorded changes have moved them since: folder by folder, each with its record. The rest
 *  of a large part is left for another step. */
export async function putBack(parts: PutBack, part: Undone): Promise<void> {
  const remaining = part.uids.filter((uid) => !part.undone_uids.includes(uid))
  for (const place of await whereabouts(parts.db, part, remaining.slice(0, parts.together))) {
    try {
      await putBackIn(parts, part, place)
    } catch (error) {
      if (!(error instanceof DoneElsewhere)) throw error
    }
  }
}

async function putBackIn({ db, undo }: PutBack, part: Undone, place: Whereabouts): Promise<void> {
  const mailbox = { organizationId: undo.organizationId, mailboxId: part.mailbox_id }
  const uids = [...place.uids.values()]
  const leave = (reason: LeftAlone['reason'], those: readonly number[] = uids) =>
    db.transaction().execute(async (tx) => {
      const left = those.map((uid) => leftAlone(part, place, uid, reason))
      await markUndone(tx, undo.id, part, place, left)
    })
  const folder = await folderNow(db, mailbox, { name: place.folder, key: place.key })
  if (folder === undefined) return leave('gone')
  const moved = part.from_key !== null && place.key !== part.folder_key
  const change = { ...inverseOf(part), ...(moved ? {} : await backTo(db, mailbox, part)) }
  if (Object.values(change).every((one) => Array.isArray(one) && one.length === 0)) {
    if (moved) return leave('moved')
    // They were to be moved, and were not.
    const present = new Set((await readSummaries(db, mailbox, folder, uids)).map(({ uid }) => uid))
    const gone = [...place.uids].filter(([was, now]) => was === now && !present.has(now))
    return leave(
      'gone',
      gone.map(([, now]) => now),
    )
  }
  const recording = {
    ...stepOf(undo.id),
    answer: sql`(select json_agg(${present.uid}) from ${present.rows} where ${isOtherwise(part)})`,
  }
  try {
    await db.transaction().execute(async (tx) => {
      const at = { mailbox, folderId: place.key }
      const { places, recorded } = await updateIn(tx, at, uids, change, undo.by, recording)
      const otherwise = new Set(recorded as number[] | null)
      const reasonOf = (uid: number) => {
        if (!places.has(uid)) return 'gone'
        if (moved) return 'moved'
        return otherwise.has(uid) ? 'changed' : undefined
      }
      const left = uids.flatMap((uid) => {
        const reason = reasonOf(uid)
        return reason ? [leftAlone(part, place, uid, reason)] : []
      })
      await markUndone(tx, undo.id, part, place, left)
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await leave('refused')
  }
}

/** The reverse of a difference. */
function inverseOf({ seen, flagged, added, removed }: Difference): Change {
  return {
    ...(seen !== null && { seen: !seen }),
    ...(flagged !== null && { flagged: !flagged }),
    addKeywords: removed,
    removeKeywords: added,
  }
}

/** The folder that the messages came from. It is created again if it was deleted. */
async function backTo(db: Db, mailbox: MailboxRef, { from_key, from_folder }: Undone): Promise<Change> {
  if (from_key === null || from_folder === null) return {}
  return { folder: (await folderNow(db, mailbox, { name: from_folder, key: from_key })) ?? from_folder }
}

/** Whether any part of the change to a message has been changed since. */
function isOtherwise({ seen, flagged, added, removed }: Difference): RawBuilder<unknown> {
  return sql`(${present.seen} <> ${seen}::boolean or ${present.flagged} <> ${flagged}::boolean
    or not ${present.keywords} @> ${added}::text[] or ${present.keywords} && ${removed}::text[])`
}

function leftAlone(
  { mailbox_id }: Undone,
  { folder }: Whereabouts,
  uid: number,
  reason: LeftAlone['reason'],
): LeftAlone {
  return { mailbox_id, folder, uid, reason }
}

/** Messages that a recorded change has moved meanwhile are neither put back nor left alone: another step follows them.
 *  @throws DoneElsewhere */
async function markUndone(tx: Tx, undoId: string, part: Undone, place: Whereabouts, left: readonly LeftAlone[]) {
  const movedOn = await movedMeanwhile(tx, part, place, left)
  const uids = [...place.uids.keys()].filter((uid) => !movedOn.has(uid))
  const followed = new Set(movedOn.values())
  const remaining = left.filter(({ uid }) => !followed.has(uid))
  const { rows: done } = await sql`
    with part as (
      update change_parts set
        undone_uids = undone_uids || ${uids}::bigint[],
        undone = cardinality(undone_uids) + ${uids.length} >= cardinality(uids),
        left_alone = left_alone || ${JSON.stringify(remaining)}::jsonb
      where id = ${part.id} and not undone_uids && ${uids}::bigint[]
      returning id
    )
    update changes set left_alone = left_alone + ${remaining.length} where id = ${undoId} and exists (select from part)
    returning id`.execute(tx)
  if (done.length === 0) throw new DoneElsewhere()
}

/** Those of the missing messages that have left the place by a recorded change: their uids there, by their uids in the part. */
async function movedMeanwhile(tx: Tx, part: Undone, place: Whereabouts, left: readonly LeftAlone[]) {
  const gone = new Set(left.flatMap(({ uid, reason }) => (reason === 'gone' ? uid : [])))
  const missing = new Map([...place.uids].filter(([, now]) => gone.has(now)))
  if (missing.size === 0) return missing
  for (const { key, uids } of await whereabouts(tx, part, [...missing.keys()])) {
    if (key === place.key) for (const [uid, now] of uids) if (missing.get(uid) === now) missing.delete(uid)
  }
  return missing
}
