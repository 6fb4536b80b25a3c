import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { FolderRef } from '#/mail/folders.ts'
import { integers, packed } from '#/mail/packed.ts'
import type { SequenceMap } from '../selected/sequence-map.ts'
import { rangesOf, sequenceSet, untagged } from '../wire/format.ts'
import type { NumberRange } from '../wire/sequence-set.ts'

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
  const gone = isPruned
    ? withoutThose(below(ranges, uidNext), uids, messages)
    : rangesOf(goneOf(uids, ranges, messages))
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

function* goneOf(uids: Iterable<number>, ranges: readonly NumberRange[], messages: SequenceMap): Generator<number> {
  let at = 0
  for (const uid of uids) {
    while ((ranges[at]?.to ?? Number.POSITIVE_INFINITY) < uid) at++
    const range = ranges[at]
    if (range && range.from <= uid && messages.sequenceOf(uid) === undefined) yield uid
  }
}

/** What no message has had yet is not gone. */
function below(ranges: readonly NumberRange[], uidNext: number): NumberRange[] {
  return ranges.filter(({ from }) => from < uidNext).map(({ from, to }) => ({ from, to: Math.min(to, uidNext - 1) }))
}

/** The ranges without uids that are there or that the client knows. Both are ascending. */
function withoutThose(ranges: readonly NumberRange[], there: Uint32Array, messages: SequenceMap): NumberRange[] {
  const taken = new Set([...there, ...messages.uidsIn(ranges)])
  const kept = [...taken].toSorted((a, b) => a - b)
  const gone: NumberRange[] = []
  let at = 0
  for (const { from, to } of ranges) {
    let start = from
    while ((kept[at] ?? Number.POSITIVE_INFINITY) < from) at++
    for (; (kept[at] ?? Number.POSITIVE_INFINITY) <= to; at++) {
      const uid = kept[at] ?? to
      if (start < uid) gone.push({ from: start, to: uid - 1 })
      start = uid + 1
    }
    if (start <= to) gone.push({ from: start, to })
  }
  return gone
}
