import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import { type By, insertNewEventsBy } from '#/events/append.ts'
import { type FolderRef, lockFolderRefs, uidRows } from './folders.ts'
import { type Keyworded, keepKeywords } from './keywords.ts'
import { normalKeywords } from './normal-keywords.ts'
import { bytes, integers, packed } from './packed.ts'

export type MessageFlag = 'seen' | 'flagged' | 'answered' | 'forwarded' | 'deleted' | 'draft'

/** A STORE (RFC 9051, section 6.4.6). */
export interface FlagChange {
  /** Those that are set or cleared. */
  readonly flags: Readonly<Partial<Record<MessageFlag, boolean>>>
  readonly addKeywords?: readonly string[]
  readonly removeKeywords?: readonly string[]
  /** All that the messages shall have, in place of those two. */
  readonly keywords?: readonly string[]
  /** Messages that have changed after this modification sequence stay as they are (RFC 7162, section 3.1.3). */
  readonly unchangedSince?: number | undefined
}

/** What it did. Uids and messages are in ascending order. */
export interface Stored {
  /** The messages that were there. */
  readonly present: Uint32Array
  /** Those that had changed after `unchangedSince`. */
  readonly modified: Uint32Array
  /** Those that were changed, as they are now. All have the same modification sequence. */
  readonly changed: readonly ChangedFlags[]
  readonly modseq: number
}

/** A message's flags. */
export interface ChangedFlags extends Readonly<Record<MessageFlag, boolean>> {
  readonly uid: number
  readonly keywords: readonly string[]
  /** The modification sequence of the change before. */
  readonly modseqBefore: number
}

/** Changes flags and keywords of messages in a folder, and writes events, in one statement; keywords have rows of their own, in another.
 *  Messages that are in that state already keep their modification sequence. */
export async function storeFlags(
  tx: Tx,
  ref: FolderRef,
  uids: readonly number[],
  change: FlagChange,
  by: By,
): Promise<Stored> {
  const folder = (await lockFolderRefs(tx, ref))(ref)
  const { mailbox } = ref
  const { flags, unchangedSince = Number.MAX_SAFE_INTEGER } = change
  const [only, added, removed] = [change.keywords, change.addKeywords, change.removeKeywords].map((keywords) =>
    keywords === undefined ? null : normalKeywords(keywords),
  )
  const modseq = folder.modseq + 1
  const columns = sql.raw(names.join(', '))
  const news = sql.raw(names.map((name) => `new_${name}`).join(', '))
  const given = sql.join(
    names.map((name) => sql`coalesce(${flags[name] ?? null}::boolean, ${sql.ref(name)}) as ${sql.ref(`new_${name}`)}`),
  )
  // Sorted as in JavaScript: keywords are ASCII.
  const { rows } = await sql<StoredRow>`
    with present as materialized (
      select held.ctid as place, uid, held.id, modseq, received_at, keywords, ${columns}, ${given},
        case when ${only !== null} then ${only}::text[]
          when ${added === null && removed === null} then keywords
          else array(select distinct keyword collate "C" from unnest(keywords || ${added ?? []}::text[]) keyword
            where keyword <> all(${removed ?? []}::text[]) order by 1) end as new_keywords
      from ${uidRows(folder.id, uids)} wanted join mail_messages held using (folder_id, uid)
      order by uid
    ), changing as materialized (
      select * from present
      where modseq <= ${unchangedSince}::bigint and (${columns}, keywords) is distinct from (${news}, new_keywords)
    ), marked as (
      update mail_messages message set modseq = ${modseq}, keywords = new_keywords,
        deleted_at = case when new_deleted then coalesce(message.deleted_at, now()) end,
        ${sql.raw(names.map((name) => `${name} = new_${name}`).join(', '))}
      from changing where message.ctid = changing.place
    ), counted as (
      /* announced */ update mail_folders set modseq = ${modseq},
        unread = unread + (select count(*) filter (where not new_seen) - count(*) filter (where not seen) from changing)
      where id = ${folder.id} and exists (select from changing)
    ), new_events as (
      select ${mailbox.organizationId}::uuid as organization_id, 'message.changed' as type,
        ${mailbox.mailboxId}::uuid as mailbox_id,
        jsonb_build_object('folder', ${folder.name}::text, 'uid', uid, 'id', id)
          || ${differing('seen', sql`jsonb_build_object('unread', not new_seen)`)}
          || ${differing('flagged', sql`jsonb_build_object('starred', new_flagged)`)}
          || ${differing('answered', sql`jsonb_build_object('answered', new_answered)`)}
          || ${differing('forwarded', sql`jsonb_build_object('forwarded', new_forwarded)`)}
          || case when new_keywords <@ keywords then '{}' else jsonb_build_object('added_labels',
            array(select one from unnest(new_keywords) one where one <> all(keywords) order by one collate "C")) end
          || case when keywords <@ new_keywords then '{}' else jsonb_build_object('removed_labels',
            array(select one from unnest(keywords) one where one <> all(new_keywords) order by one collate "C")) end as data
      from changing
    ), logged as (${insertNewEventsBy(by)})
    select present,
      (select ${packed(sql`int4send(uid::integer)`)} from present where modseq > ${unchangedSince}::bigint) as modified,
      changed.*,
      (select json_agg(json_build_object('uid', uid, 'received_at', received_at,
          'before', json_build_object('seen', seen, 'keywords', keywords),
          'after', json_build_object('seen', new_seen, 'keywords', new_keywords)))
        from changing where keywords <> new_keywords or seen <> new_seen and keywords <> '{}') as reworded
    from (select ${packed(sql`int4send(uid::integer)`)} as present from present) present, (
      select ${packed(sql`int4send(uid::integer)`)} as changed, ${packed(sql.raw(newFlags))} as flags,
        json_agg(modseq) as before, case when bool_or(new_keywords <> '{}') then json_agg(new_keywords) end as keywords
      from changing
    ) changed`.execute(tx)
  const row = rows[0]
  await keepKeywords(tx, folder.id, (row?.reworded ?? []).map(pairOf))
  const [present, modified] = [integers(row?.present ?? null), integers(row?.modified ?? null)]
  return { present, modified, changed: row ? changedIn(row) : [], modseq }
}

const names = ['seen', 'flagged', 'answered', 'forwarded', 'deleted', 'draft'] as const satisfies MessageFlag[]

const newFlags = names.map((name) => `boolsend(new_${name})`).join(' || ')

function changedIn({ changed, flags, before, keywords }: StoredRow): ChangedFlags[] {
  const all = bytes(flags)
  return Array.from(integers(changed), (uid, index) => {
    const own = names.map((name, at) => [name, all[index * names.length + at] === 1])
    return {
      uid,
      keywords: keywords?.[index] ?? [],
      modseqBefore: before?.[index] ?? 0,
      ...(Object.fromEntries(own) as Record<MessageFlag, boolean>),
    }
  })
}

function differing(name: MessageFlag, data: ReturnType<typeof sql>) {
  return sql`case when ${sql.ref(name)} = ${sql.ref(`new_${name}`)} then '{}' else ${data} end`
}

function pairOf({ uid, received_at, before, after }: Reworded) {
  const same = { uid, received_at: new Date(received_at) }
  return { before: { ...same, ...before }, after: { ...same, ...after } }
}

interface StoredRow {
  readonly present: string | null
  readonly modified: string | null
  readonly changed: string | null
  readonly flags: string | null
  readonly before: readonly number[] | null
  readonly keywords: readonly string[][] | null
  readonly reworded: readonly Reworded[] | null
}

interface Reworded {
  readonly uid: number
  readonly received_at: string
  readonly before: Pick<Keyworded, 'seen' | 'keywords'>
  readonly after: Pick<Keyworded, 'seen' | 'keywords'>
}
