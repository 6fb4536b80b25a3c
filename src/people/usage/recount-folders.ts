import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'

export interface Counters {
  readonly total: number
  readonly unread: number
  readonly bytes: number
}

/** A folder that was counted wrongly, or whose labels were. */
export interface RecountedFolder {
  readonly organizationId: string
  readonly mailboxId: string
  readonly folderId: number
  readonly before: Counters
  readonly now: Counters
  /** Labels whose totals were wrong, and messages that were listed under a label wrongly. */
  readonly labels: number
  readonly listed: number
}

export interface Recount {
  readonly folders: number
  readonly wrong: readonly RecountedFolder[]
  /** Folders that seemed to be wrong, but changed whenever they were counted. */
  readonly changing: number
}

/** A part of all folders: the `nth` of `of`. */
export interface Part {
  readonly nth: number
  readonly of: number
}

/** Messages that one statement counts, and folders that one names. */
const mostMessages = 5_000
const mostFolders = 100
/** How often a folder is counted that changes meanwhile. */
const mostTries = 3

/** Compares the counters of folders with the messages, and puts them right. Counting takes no lock and reads so many messages a
 *  statement. Whatever changes the messages of a folder raises its modification sequence under its lock. So under that lock the same
 *  sequence tells that the count is still true, and nobody waits for longer than the correction takes. */
export async function recountFolders(
  db: Db,
  { nth, of }: Part = { nth: 0, of: 1 },
  onProgress: (folders: number) => void = () => {},
): Promise<Recount> {
  const wrong: RecountedFolder[] = []
  let [folders, changing] = [0, 0]
  for (let last = 0; ; ) {
    const { rows } = await sql<{ id: number }>`
      select id from mail_folders where id > ${last} and id % ${of}::bigint = ${nth}::bigint
      order by id limit ${mostFolders}`.execute(db)
    for (const { id } of rows) {
      const recounted = await recountFolder(db, id)
      if (recounted === 'changing') changing += 1
      else if (recounted) wrong.push(recounted)
      folders += 1
      onProgress(folders)
    }
    const end = rows.at(-1)
    if (!end) return { folders, wrong, changing }
    last = end.id
  }
}

async function recountFolder(db: Db, id: number): Promise<RecountedFolder | 'changing' | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await compared(db, id)
    if (!found) return undefined
    if (await db.transaction().execute((tx) => putRight(tx, found))) return found.report
  }
  return 'changing'
}

/** The messages of a folder with a label. */
interface LabelTotal {
  readonly keyword: string
  readonly total: number
  readonly unread: number
}

interface Difference {
  readonly report: RecountedFolder
  readonly modseq: number
  readonly totals: readonly LabelTotal[]
}

/** What is wrong of a folder, if it has not changed since. Undefined if nothing is, or if it is removed. */
async function compared(db: Db, id: number): Promise<Difference | undefined> {
  let now = { total: 0, unread: 0, bytes: 0 }
  const totals = new Map<string, LabelTotal>()
  let unlisted = 0
  let first: Slice | undefined
  for (let last: number | null = 0; last !== null; ) {
    const slice: Slice | undefined = await sliceAfter(db, id, last)
    if (!slice) return undefined
    first ??= slice
    now = {
      total: now.total + slice.total,
      unread: now.unread + slice.unread,
      bytes: now.bytes + slice.bytes,
    }
    for (const one of slice.labels ?? []) totals.set(one.keyword, sum(one, totals.get(one.keyword)))
    unlisted += slice.unlisted
    last = slice.total < mostMessages ? null : slice.last
  }
  if (!first) return undefined
  const borne = [...totals.values()]
  const { labels, listed } = await labelsOf(db, id, borne)
  const surplus = listed + unlisted - borne.reduce((all, { total }) => all + total, 0)
  const { organizationId, mailboxId, modseq, before } = first
  const report = { organizationId, mailboxId, folderId: id, before, now, labels, listed: unlisted + surplus }
  const same = before.total === now.total && before.unread === now.unread && before.bytes === now.bytes
  return same && report.labels === 0 && report.listed === 0 ? undefined : { report, modseq, totals: borne }
}

interface Slice extends Counters {
  readonly organizationId: string
  readonly mailboxId: string
  readonly modseq: number
  readonly before: Counters
  readonly last: number | null
  readonly labels: readonly LabelTotal[] | null
  /** Messages that a label's list lacks. */
  readonly unlisted: number
}

/** Counts the next messages of a folder, and reads its counters in the same snapshot. */
async function sliceAfter(db: Db, id: number, last: number): Promise<Slice | undefined> {
  const { rows } = await sql<Slice>`
    with slice as materialized (
      select uid, received_at, seen, size_bytes, keywords from mail_messages
      where folder_id = ${id} and uid > ${last} order by uid limit ${mostMessages}
    ), borne as materialized (
      select uid, received_at, seen, unnest(keywords) as keyword from slice where keywords <> '{}'
    )
    select folder.organization_id as "organizationId", folder.mailbox_id as "mailboxId", folder.modseq,
      json_build_object('total', folder.total, 'unread', folder.unread, 'bytes', folder.size_bytes) as before,
      counted.*, (
        select json_agg(label) from (
          select keyword, count(*) as total, count(*) filter (where not seen) as unread from borne group by keyword
        ) label
      ) as labels, (
        select count(*) from borne where not exists (
          select from mail_keywords listed
          where listed.folder_id = ${id} and listed.keyword = borne.keyword and listed.received_at = borne.received_at
            and listed.uid = borne.uid and listed.seen = borne.seen
        )
      ) as unlisted
    from mail_folders folder, (
      select count(*) as total, count(*) filter (where not seen) as unread, coalesce(sum(size_bytes), 0)::bigint as bytes,
        max(uid) as last
      from slice
    ) counted
    where folder.id = ${id}`.execute(db)
  return rows[0]
}

function sum(one: LabelTotal, other?: LabelTotal): LabelTotal {
  return { ...one, total: one.total + (other?.total ?? 0), unread: one.unread + (other?.unread ?? 0) }
}

/** How many totals of labels differ from the true ones, and how many rows list messages by them. */
async function labelsOf(
  db: Db,
  id: number,
  totals: readonly LabelTotal[],
): Promise<{ labels: number; listed: number }> {
  const { rows } = await sql<{ labels: number; listed: number }>`
    select (
      select count(*) from (select * from mail_keyword_totals where folder_id = ${id}) held
      full join ${labelRows(totals)} using (keyword)
      where (coalesce(held.total, 0), coalesce(held.unread, 0)) <> (coalesce(counted.total, 0), coalesce(counted.unread, 0))
    ) as labels, (select count(*) from mail_keywords where folder_id = ${id}) as listed`.execute(db)
  return rows[0] ?? { labels: 0, listed: 0 }
}

function labelRows(totals: readonly LabelTotal[]) {
  return sql`jsonb_to_recordset(${JSON.stringify(totals)}::jsonb) as counted (keyword text, total integer, unread integer)`
}

/** Writes what was counted. False, with nothing changed, if the folder has changed since. */
async function putRight(tx: Tx, { report, modseq, totals }: Difference): Promise<boolean> {
  const { organizationId, folderId: id, now, labels, listed } = report
  const { rows } = await sql`
    select from mail_folders
    where organization_id = ${organizationId} and id = ${id} and modseq = ${modseq}
    for update`.execute(tx)
  if (rows.length === 0) return false
  await sql`
    update mail_folders set total = ${now.total}, unread = ${now.unread}, size_bytes = ${now.bytes}
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)
  if (labels === 0 && listed === 0) return true
  // First, since wrong totals could not be counted down by the triggers of the list.
  await sql`delete from mail_keyword_totals where folder_id = ${id}`.execute(tx)
  if (listed > 0) await listAnew(tx, id)
  await sql`
    insert into mail_keyword_totals as held (folder_id, keyword, total, unread)
    select ${id}::bigint, keyword, total, unread from ${labelRows(totals)}
    on conflict (folder_id, keyword) do update set total = excluded.total, unread = excluded.unread`.execute(tx)
  return true
}

/** Removes the rows of labels that no message bears, and adds those that are missing. */
async function listAnew(tx: Tx, id: number): Promise<void> {
  await sql`
    delete from mail_keywords listed where folder_id = ${id} and not exists (
      select from mail_messages message
      where message.folder_id = ${id} and message.uid = listed.uid and message.received_at = listed.received_at
        and message.seen = listed.seen and listed.keyword = any (message.keywords)
    )`.execute(tx)
  await sql`
    insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
    select folder_id, unnest(keywords), received_at, uid, seen from mail_messages
    where folder_id = ${id} and keywords <> '{}'
    on conflict do nothing`.execute(tx)
}
