import { type RawBuilder, sql } from 'kysely'
import type { Database } from '#/db/open.ts'
import { query } from '#/db/query.ts'
import type { Db } from '#/db/schema.ts'
import type { Cursor } from './cursor.ts'
import type { By } from './append.ts'
import {
  type EventType,
  type ItemData,
  type MessageData,
  type QuotaData,
  type RefusalData,
  type SendingData,
  settingsChanged,
} from './types.ts'

/** An event as the log has it, with what is read of its message where that is still there. */
export interface LoggedEvent extends Cursor {
  readonly type: EventType
  readonly at: Date
  readonly mailboxId: string | null
  /** Null where the mailbox is gone. */
  readonly address: string | null
  readonly by: By
  readonly data: MessageData | SendingData | RefusalData | QuotaData | ItemData
  readonly subject: string | null
  readonly from_name: string | null
  readonly from_address: string | null
  /** By an id that its messages share; null where the message is not known any more. */
  readonly conversation: string | null
}

/** Events in their order, all that there are between a cursor and `end`. */
export interface Page {
  readonly events: readonly LoggedEvent[]
  /** Of what settings have changed, of which no event tells: `domain`. */
  readonly settings: ReadonlySet<string>
  readonly end: Cursor
  /** There may be more. */
  readonly more: boolean
}

/** How many events are read at a time. */
const pageSize = 500

/** What every position below this one has is committed, or never will be: what is read up to here stays as it is. */
export const settled = sql<number>`
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint + coalesce((select base from event_log where only_row), 0)`

/** What is read of an event. A Private mailbox's mail is not looked at. */
const event = sql`
  event.position, event.id, event.type, event.at, event.mailbox_id as "mailboxId", mailbox.address,
  json_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name) as by, event.data,
  content.subject, content.from_name, content.from_address,
  coalesce(content.thread_root, content.message_id) as conversation
  from events event
  left join mailboxes mailbox
    on mailbox.id = event.mailbox_id and mailbox.organization_id = event.organization_id
  left join mail_folders folder
    on folder.mailbox_id = mailbox.id and folder.name = event.data ->> 'folder' and mailbox.kind <> 'private'
  left join mail_messages message
    on message.folder_id = folder.id and message.uid = (event.data ->> 'uid')::bigint
  left join mail_contents content
    on content.id = message.content_id and content.organization_id = event.organization_id`

/** Events of an organization after a cursor. */
export async function eventsAfter(
  db: Db,
  organizationId: string,
  { position, id }: Cursor,
  most = pageSize,
): Promise<Page> {
  const { rows } = await sql<LoggedEvent & { settled: number; id: number | null }>`
    with settled as materialized (select ${settled} as settled)
    select settled, event.* from settled left join lateral (
      select ${event}
      where event.organization_id = ${organizationId} and (event.position, event.id) > (${position}, ${id})
        and event.position < settled.settled
      order by event.position, event.id
      limit ${most}
    ) event on true
    order by event.position, event.id`.execute(db)
  const found = rows.filter(({ id }) => id !== null)
  const last = found.at(-1)
  const at = Math.max(rows[0]?.settled ?? 0, position)
  const end = last ?? (at > position ? { position: at, id: 0 } : { position, id })
  const isOfSettings = ({ type }: { readonly type: string }) => type === settingsChanged
  const settings = new Set(found.filter(isOfSettings).flatMap(({ data }) => ('name' in data ? [data.name] : [])))
  return { events: found.filter((row) => !isOfSettings(row)), settings, end, more: found.length === most }
}

/** Those of an organization's events that are still there. */
export async function eventsAt(db: Db, organizationId: string, at: readonly Cursor[]): Promise<LoggedEvent[]> {
  if (at.length === 0) return []
  const [positions, ids] = [at.map(({ position }) => position), at.map(({ id }) => id)]
  const { rows } = await sql<LoggedEvent>`
    select event.* from unnest(${positions}::bigint[], ${ids}::bigint[]) as wanted (position, id)
    cross join lateral (
      select ${event}
      where event.organization_id = ${organizationId}
        and event.position = wanted.position and event.id = wanted.id and event.type <> ${settingsChanged}
    ) event`.execute(db)
  return rows
}

/** How far the log can be read, and from where on. */
export async function boundsOf(db: Db): Promise<{ forgotten: number; settled: number }> {
  const { rows } = await sql<{ forgotten: number; settled: number }>`
    select ${settled} as settled, coalesce((select forgotten from event_log where only_row), 0) as forgotten`.execute(
    db,
  )
  if (!rows[0]) throw new Error('A select without a table has one row')
  return rows[0]
}

export interface News {
  /** News come up to this position. */
  readonly settled: number
  /** Organizations that have events from the position asked for on. */
  readonly organizations: readonly string[]
  /** Something is committed that cannot be read yet, since an older transaction is open. */
  readonly unsettled: boolean
}

/** What has come from a position on; without one, nothing. It is for all organizations at once, and reads nothing but ids. */
export async function newsFrom(db: Db, position: number | undefined): Promise<News> {
  const { rows } = await sql<News>`
    with settled as materialized (select ${settled} as settled)
    select settled,
      array(
        select distinct organization_id::text from events
        where position >= ${position ?? null}::bigint and position < settled
      ) as organizations,
      exists (select from events where position >= settled) as unsettled
    from settled`.execute(db)
  if (!rows[0]) throw new Error('A select without a table has one row')
  return rows[0]
}

/** So many events are deleted by one statement. */
const atATime = 1_000

/** Deletes events that are older than 30 days. Positions and times grow together, so the first events tell whether there are
 *  any: nothing else is read. */
export async function forgetEvents(db: Db, most = atATime): Promise<void> {
  for (let gone = most; gone === most; ) {
    const { rows } = await sql<{ gone: number }>`
      with gone as (
        delete from events
        where (position, id) in (select position, id from events order by position, id limit ${most})
          and at <= now() - interval '30 days'
        returning position
      ), noted as (
        update event_log set forgotten = greatest(forgotten, (select max(position) from gone))
        where only_row and exists (select from gone)
      )
      select count(*)::integer as gone from gone`.execute(db)
    gone = rows[0]?.gone ?? 0
  }
}

/** The cluster whose transaction ids a database has: another one after a dump is restored, or a standby takes over. */
const cluster: RawBuilder<string> = sql`(
  select system_identifier || '/' || timeline_id from pg_control_system(), pg_control_checkpoint())`

/**
 * Makes sure that new positions are beyond all that there have been. Those of a database that was restored or moved may have
 * been beyond its own: readers have cursors from before. So positions begin from the time of day, at 2^20 a second, which no
 * database reaches. An embedded one may be restored without a sign, so it does that at each start; on a server, where others
 * may be writing, only in another cluster.
 */
export async function anchorLog({ db, embedded }: Pick<Database, 'db' | 'embedded'>): Promise<void> {
  const known = await query<{ cluster: string }>(db)`select cluster from event_log where only_row`
  if (!embedded) {
    const { rows } = await sql<{ cluster: string }>`select ${cluster} as cluster`.execute(db)
    if (known[0]?.cluster === rows[0]?.cluster) return
  }
  await db.transaction().execute(async (tx) => {
    // Writers of events have committed before this, or begin after it.
    await sql`lock table events in share row exclusive mode`.execute(tx)
    await sql`
      insert into event_log (base, cluster)
      select
        greatest(extract(epoch from clock_timestamp())::bigint << 20, (select coalesce(max(position), 0) + 1 from events))
          - pg_current_xact_id()::text::bigint,
        ${cluster}
      on conflict (only_row) do update
        set base = greatest(event_log.base, excluded.base), cluster = excluded.cluster`.execute(tx)
  })
}
