import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { FolderRef } from '#/mail/store/folders.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { without } from '../selected/resync.ts'
import { type SequenceMap, within } from '../selected/sequence-map.ts'
import { rangesOf, sequenceSet, untagged } from '../wire/format.ts'
import { merged, type NumberRange } from '../wire/sequence-set.ts'

/** Ranges in one response. */
const rangesAtOnce = 5_000

/** The responses that tell which messages in these ranges have gone since a modification sequence (RFC 7162, section 3.2.6). Where the
 *  log of them does not reach so far back, all that are not there. Without those that the client still has a sequence number for, which
 *  it is told of by VANISHED without EARLIER. */
export async function* vanishedLines(
  db: Db,
  folder: FolderRef,
  { messages, ranges }: { readonly messages: SequenceMap; readonly ranges: readonly NumberRange[] },
  since: number,
): AsyncGenerator<string> {
  const { isPruned, uids, uidNext } = await goneOrLeft(db, folder, ranges, since)
  const isKnown = (uid: number) => messages.sequenceOf(uid) !== undefined
  const gone = isPruned
    ? without(ranges, thereOrKnown(uids, messages), { from: 1, to: uidNext - 1 })
    : rangesOf(within(uids, ranges).filter((uid) => !isKnown(uid)))
  for (let at = 0; at < gone.length; at += rangesAtOnce)
    yield untagged(`VANISHED (EARLIER) ${sequenceSet(gone.slice(at, at + rangesAtOnce))}`)
}

/** Uids that went, or, if the log is pruned, those that are there. */
async function goneOrLeft(
  db: Db,
  { mailbox, folderId }: FolderRef,
  ranges: readonly NumberRange[],
  since: number,
): Promise<{ isPruned: boolean; uids: Uint32Array; uidNext: number }> {
  const [from, to] = [ranges[0]?.from ?? 1, ranges.at(-1)?.to ?? 0]
  const all = packed(sql`int4send(uid::integer)`)
  const { rows } = await sql<{ uid_next: number; pruned: boolean; gone: string | null; left: string | null }>`
    select folder.uid_next, folder.expunged_from > ${since} as pruned, gone, "left" from mail_folders folder, lateral (
      select ${all} as gone from (
        select uid from mail_expunged
        where folder_id = folder.id and modseq > ${since} and uid between ${from} and ${to}
          and folder.expunged_from <= ${since} order by uid
      ) those
    ) gone, lateral (
      select ${all} as "left" from (
        select uid from mail_messages
        where folder_id = folder.id and uid between ${from} and ${to} and folder.expunged_from > ${since} order by uid
      ) those
    ) those
    where folder.id = ${folderId} and folder.organization_id = ${mailbox.organizationId} and folder.mailbox_id = ${mailbox.mailboxId}`.execute(
    db,
  )
  const [row] = rows
  const uids = integers((row?.pruned ? row.left : row?.gone) ?? null)
  return { isPruned: row?.pruned ?? false, uids, uidNext: row?.uid_next ?? 1 }
}

/** What no client need be told of. */
function thereOrKnown(there: Uint32Array, messages: SequenceMap): NumberRange[] {
  return merged([...rangesOf(there), ...messages.runs()])
}
