import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import { type By, insertNewEventsBy } from '#/events/append.ts'
import { applier, differ } from './changed.ts'
import { type Folder, uidRows } from './folders.ts'
import { keepKeywords } from './keywords.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { normalKeywords } from './normal-keywords.ts'
import { bytes, integers, packed, times } from './packed.ts'
import type { Held, Within } from './recording.ts'
import type { Change } from './update.ts'

interface HeldRow extends Held {
  readonly received_at: Date
}

interface Pair {
  readonly before: HeldRow
  readonly after: HeldRow
}

type Packed = Record<'uid' | 'seen' | 'flagged' | 'received', string | null> & {
  readonly keywords: string[][] | null
  readonly record?: unknown
}

/** Changes flags and keywords of messages in a locked folder and writes events, all in one statement: a result row per
 *  message would double the time. Answers the existing messages in their state before, and those that have changed; with
 *  `within`, only those whose keywords are kept elsewhere. */
export async function mark(
  tx: Tx,
  mailbox: MailboxRef,
  folder: Folder,
  uids: readonly number[],
  { change, by, within }: { change: Omit<Change, 'folder'>; by: By | undefined; within?: Within | undefined },
): Promise<{ present: HeldRow[]; pairs: Pair[] }> {
  const { seen = null, flagged = null } = change
  const [added, removed] = [normalKeywords(change.addKeywords ?? []), normalKeywords(change.removeKeywords ?? [])]
  const rewords = added.length > 0 || removed.length > 0
  // Sorted as in JavaScript: keywords are ASCII.
  const keywords = rewords
    ? sql`array(select distinct keyword collate "C" from unnest(held.keywords || ${added}::text[]) keyword
        where keyword <> all(${removed}::text[]) order by 1)`
    : sql`held.keywords`
  const { rows } = await sql<Packed>`
    with present as materialized (
      select held.ctid as place, uid, held.id, held.seen, held.flagged, held.keywords, held.received_at, coalesce(${seen}::boolean, held.seen) as new_seen,
        coalesce(${flagged}::boolean, held.flagged) as new_flagged, ${keywords} as new_keywords
      from ${uidRows(folder.id, uids)} wanted join mail_messages held using (folder_id, uid)
      order by uid
    ), changing as materialized (
      select * from present where (seen, flagged, keywords) is distinct from (new_seen, new_flagged, new_keywords)
    ), marked as (
      update mail_messages message set modseq = ${folder.modseq + 1}, seen = new_seen, flagged = new_flagged, keywords = new_keywords
      from changing where message.ctid = changing.place
    ), counted as (
      /* announced */ update mail_folders set modseq = ${folder.modseq + 1},
        unread = unread + (select count(*) filter (where not new_seen) - count(*) filter (where not seen) from changing)
      where id = ${folder.id} and exists (select from changing)
    ), new_events as (
      select ${mailbox.organizationId}::uuid as organization_id, 'message.changed' as type, ${mailbox.mailboxId}::uuid as mailbox_id,
        ${changeData(folder.name, { seen, flagged, rewords })} as data
      from changing
    ), logged as (${insertNewEventsBy(by)})${within ? sql`, ${within.ctes(mailbox, { name: folder.name, key: folder.id })}` : sql``}
    select ${packed(sql`int4send(uid::integer)`)} as uid, ${packed(sql`boolsend(seen)`)} as seen,
      ${packed(sql`boolsend(flagged)`)} as flagged, ${packed(sql`timestamptz_send(received_at)`)} as received,
      case when bool_or(keywords <> '{}') then json_agg(keywords) end as keywords${within ? sql`, (select record from recorded) as record` : sql``}
    from present${within ? sql` where ${rewords} or (new_seen <> seen and keywords <> '{}')` : sql``}`.execute(tx)
  within?.recorded(rows[0]?.record ?? null)
  const present = rows.flatMap(unpacked)
  const apply = applier(change)
  const pairs = present.map((before) => ({ before, after: apply(before) })).filter(differ)
  await keepKeywords(tx, folder.id, pairs)
  return { present, pairs }
}

/** The data of an event, as `changed` (src/mail/changed.ts) makes it. */
function changeData(
  folder: string,
  { seen, flagged, rewords }: { seen: boolean | null; flagged: boolean | null; rewords: boolean },
): RawBuilder<unknown> {
  const aspects = Number(seen !== null) + Number(flagged !== null) + Number(rewords)
  // What changes then differs in that.
  if (aspects === 1 && !rewords) {
    const [key, value] = seen === null ? [sql`'starred'`, sql`new_flagged`] : [sql`'unread'`, sql`not new_seen`]
    return sql`jsonb_build_object('folder', ${folder}::text, 'uid', uid, 'id', id, ${key}, ${value})`
  }
  const parts = [sql`jsonb_build_object('folder', ${folder}::text, 'uid', uid, 'id', id)`]
  const where = (is: RawBuilder<unknown>, data: RawBuilder<unknown>) =>
    parts.push(sql`case when ${is} then ${data} else '{}' end`)
  if (seen !== null) where(sql`seen <> new_seen`, sql`jsonb_build_object('unread', not new_seen)`)
  if (flagged !== null) where(sql`flagged <> new_flagged`, sql`jsonb_build_object('starred', new_flagged)`)
  if (rewords) {
    where(
      sql`not new_keywords <@ keywords`,
      sql`jsonb_build_object('added_labels', ${except('new_keywords', 'keywords')})`,
    )
    where(
      sql`not keywords <@ new_keywords`,
      sql`jsonb_build_object('removed_labels', ${except('keywords', 'new_keywords')})`,
    )
  }
  return sql.join(parts, sql` || `)
}

function except(these: string, those: string): RawBuilder<unknown> {
  return sql`array(select one from unnest(${sql.ref(these)}) one where one <> all(${sql.ref(those)}) order by one collate "C")`
}

function unpacked({ uid, seen, flagged, received, keywords }: Packed): HeldRow[] {
  const [seens, flags, receiveds] = [bytes(seen), bytes(flagged), times(received)]
  return Array.from(integers(uid), (one, index) => ({
    uid: one,
    seen: seens[index] === 1,
    flagged: flags[index] === 1,
    received_at: new Date(receiveds[index] ?? 0),
    keywords: keywords?.[index] ?? [],
  }))
}
