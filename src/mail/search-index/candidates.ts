import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { spaced } from './index-text.ts'

/** A message's place in the order of a search, as this host names it. */
export interface SearchPosition {
  readonly receivedAt: number
  readonly folderId: number
  readonly uid: number
}

/** What a search looks through. */
export interface Scope {
  readonly organizationId: string
  readonly folderIds: readonly number[]
  /** Messages of the mailboxes, in any folder. */
  readonly total: number
  /** Only unread messages, of which there is an index. */
  readonly unread: boolean
  /** Only messages of more than a megabyte, likewise. */
  readonly large: boolean
  /** Only what was received since. */
  readonly since: Date | undefined
  readonly condition: RawBuilder<boolean>
  /** Whether an index would find a message by its words. */
  readonly held: RawBuilder<boolean>
}

/** A word with more messages is so frequent that scanning the newest messages is faster. */
export const mostHits = 5_000
/** Index entries that a look at a single folder reads at least. */
const fewest = 10

const messageColumns = sql`folder_id, uid, content_id, received_at, size_bytes, seen, flagged, keywords`
const placeJson = (from: string) =>
  sql.raw(`json_build_object('receivedAt', (extract(epoch from ${from}.received_at) * 1000)::bigint,
    'folderId', ${from}.folder_id, 'uid', ${from}.uid)`)

/** What is indexed of a message. It is computed, for else PostgreSQL decompresses the words of a long message for each comparison. */
const wordsOf = (message: string, { organizationId }: Scope) =>
  sql`(select ${spaced(sql`words`)} as words from mail_search
    where content_id = ${sql.ref(`${message}.content_id`)} and organization_id = ${organizationId} offset 0)`

export interface Walked {
  /** The last that was looked at; null: there is no more. */
  readonly edge: SearchPosition | null
  readonly places: SearchPosition[]
  /** How many were looked at. */
  readonly looked: number
  /** The number of them whose words an index would find; 0 if not counted. */
  readonly held: number
}

/** Goes through the newest messages of the folders from a place on, about `count` of them, and answers those that are found. */
export async function walk(
  db: Db,
  scope: Scope,
  { from, count, most, sampled }: { from: SearchPosition | undefined; count: number; most: number; sampled: boolean },
): Promise<Walked> {
  const each = Math.max(fewest, Math.ceil((2 * count) / scope.folderIds.length))
  // Within the instant of the place, folders with higher numbers have gone before.
  const before = from
    ? sql`and (received_at, uid) < (${time(from)}, case when folder.id < ${from.folderId} then ${beyond}
        when folder.id = ${from.folderId} then ${from.uid} else 0 end::bigint)`
    : sql``
  const held = sampled
    ? // A subquery for each message, since PostgreSQL might read all of the table for a join.
      sql`(select count(*) from looked where (
        select ${scope.held} from ${wordsOf('looked', scope)} search
      ))`
    : sql`0::bigint`
  const { rows } = await sql<{
    edge: SearchPosition | null
    places: SearchPosition[] | null
    looked: number
    held: number
  }>`
    with candidate as materialized (
      select one.* from unnest(${scope.folderIds}::bigint[]) as folder (id)
      cross join lateral (
        select ${messageColumns}, row_number() over (order by received_at desc, uid desc) as nth
        from (
          select ${messageColumns} from mail_messages
          where folder_id = folder.id ${scope.unread ? sql`and not seen` : sql``}
            ${scope.large ? sql`and size_bytes > 1000000` : sql``}
            ${scope.since ? sql`and received_at >= ${scope.since}` : sql``} ${before}
          order by received_at desc, uid desc limit ${each}
        ) newest
      ) one
    ), edge as materialized (
      select received_at, folder_id, uid from candidate where nth = ${each}
      order by received_at desc, folder_id desc, uid desc limit 1
    ), looked as materialized (
      select * from candidate
      where not exists (select from edge)
        or (received_at, folder_id, uid) >= (select received_at, folder_id, uid from edge)
    ), found as (
      select message.received_at, message.folder_id, message.uid
      from looked message
      join mail_contents content on content.id = message.content_id
      left join lateral ${wordsOf('message', scope)} search on true
      where content.organization_id = ${scope.organizationId} and ${scope.condition}
      order by message.received_at desc, message.folder_id desc, message.uid desc limit ${most}
    )
    select (select ${placeJson('edge')} from edge) as edge, (select count(*) from looked) as looked, ${held} as held,
      (select json_agg(${placeJson('found')} order by received_at desc, folder_id desc, uid desc) from found) as places
    `.execute(db)
  const [{ places, ...walked } = { edge: null, places: null, looked: 0, held: 0 }] = rows
  return { ...walked, places: places ?? [] }
}

/** Tries the next `count` of those whose words the index has, from a place on. Undefined where they are more than `mostHits`, of which it
 *  would know only some. They are put in order before the condition is tried, so that only as many are read as the page needs. */
export async function lookUp(
  db: Db,
  scope: Scope,
  { words, from, count, most }: { words: string; from: SearchPosition | undefined; count: number; most: number },
): Promise<Pick<Walked, 'edge' | 'places'> | undefined> {
  const newestFirst = sql`order by received_at desc, folder_id desc, uid desc`
  const { rows } = await sql<{ hits: number; edge: SearchPosition | null; places: SearchPosition[] | null }>`
    with hit as materialized (
      select content_id from mail_search
      where search_vector(words) @@ ${words}::tsquery and organization_id = ${scope.organizationId} limit ${mostHits + 1}
    ), candidate as materialized (
      select ${messageColumns} from hit join mail_messages using (content_id)
      where (select count(*) from hit) <= ${mostHits} and folder_id = any(${scope.folderIds}::bigint[])
        ${from ? sql`and (received_at, folder_id, uid) < (${time(from)}, ${from.folderId}::bigint, ${from.uid}::bigint)` : sql``}
      ${newestFirst} limit ${count}
    ), edge as (
      select received_at, folder_id, uid from candidate ${newestFirst} offset ${count - 1}
    ), found as (
      select message.received_at, message.folder_id, message.uid
      from (select * from candidate ${newestFirst} offset 0) message
      join lateral ${wordsOf('message', scope)} search on true
      join mail_contents content on content.id = message.content_id and content.organization_id = ${scope.organizationId}
      where ${scope.condition}
      order by message.received_at desc, message.folder_id desc, message.uid desc limit ${most}
    )
    select (select count(*) from hit) as hits, (select ${placeJson('edge')} from edge) as edge,
      (select json_agg(${placeJson('found')} ${newestFirst}) from found) as places
    `.execute(db)
  const [row] = rows
  return row && row.hits <= mostHits ? { edge: row.edge, places: row.places ?? [] } : undefined
}

function time({ receivedAt }: SearchPosition): RawBuilder<Date> {
  return sql`${new Date(receivedAt)}::timestamptz`
}

const beyond = sql`9007199254740991`
