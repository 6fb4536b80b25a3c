import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { FolderRef } from '#/mail/store/folders.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { type SequenceMap, within } from '../selected/sequence-map.ts'
import type { PartialRange } from '../wire/partial-range.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import type { Modifiers } from './modifiers.ts'

/** Uids of changed messages that are read at once. */
const changedAtOnce = 16_384

/** The messages that a client knows in these ranges, as ascending uids, so many at a time; with modifiers only those that they
 *  leave. */
export async function* wantedUids(
  db: Db,
  folder: FolderRef,
  { messages, ranges }: { readonly messages: SequenceMap; readonly ranges: readonly NumberRange[] },
  { changedSince, partial }: Modifiers,
  atOnce: number,
): AsyncGenerator<number[]> {
  const all = () =>
    changedSince === undefined
      ? chunks(messages.uidsIn(ranges), atOnce)
      : changedUids(db, folder, { messages, ranges }, changedSince, atOnce)
  yield* partial ? atPlaces(all, partial) : all()
}

async function* chunks(uids: Iterable<number>, atOnce: number): AsyncGenerator<number[]> {
  let chunk: number[] = []
  for (const uid of uids) {
    chunk.push(uid)
    if (chunk.length < atOnce) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

async function* changedUids(
  db: Db,
  { mailbox, folderId }: FolderRef,
  { messages, ranges }: { readonly messages: SequenceMap; readonly ranges: readonly NumberRange[] },
  since: number,
  atOnce: number,
): AsyncGenerator<number[]> {
  const last = Math.min(ranges.at(-1)?.to ?? 0, messages.lastUid)
  for (let after = (ranges[0]?.from ?? 0) - 1; after < last; ) {
    const { rows } = await sql<{ uids: string | null }>`
      select ${packed(sql`int4send(uid::integer)`)} as uids from (
        select message.uid from mail_folders folder join mail_messages message on message.folder_id = folder.id
        where folder.id = ${folderId} and folder.organization_id = ${mailbox.organizationId}
          and folder.mailbox_id = ${mailbox.mailboxId}
          and message.modseq > ${since} and message.uid > ${after} and message.uid <= ${last}
        order by message.uid limit ${changedAtOnce}
      ) those`.execute(db)
    const uids = integers(rows[0]?.uids ?? null)
    yield* chunks(
      within(uids, ranges).filter((uid) => messages.sequenceOf(uid) !== undefined),
      atOnce,
    )
    after = uids.length < changedAtOnce ? last : (uids.at(-1) ?? last)
  }
}

/** To count places from the end, the messages are gone through once before. */
async function* atPlaces(all: () => AsyncIterable<number[]>, { from, to }: PartialRange): AsyncGenerator<number[]> {
  let before = 0
  if (from < 0) for await (const chunk of all()) before += chunk.length
  const [first, last] = from < 0 ? [before + from, before + to] : [from - 1, to - 1]
  let at = 0
  for await (const chunk of all()) {
    const part = chunk.slice(Math.max(0, first - at), Math.max(0, last + 1 - at))
    if (part.length > 0) yield part
    at += chunk.length
    if (at > last) return
  }
}
