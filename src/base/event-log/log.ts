import { type RawBuilder, sql } from 'kysely'
import type { Database } from '#/base/db/open.ts'
import { retentionDays } from '#/base/db/retention.ts'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import type { By } from './append.ts'
import type { Cursor } from './cursor.ts'
import {
  type EventType,
  type ItemData,
  type MessageData,
  type QuotaData,
  type RefusalData,
  type SendingData,
  settingsChanged,
} from './types.ts'

/** An event in the log, with data of its message if that is still stored. */
export interface LoggedEvent extends Cursor {
  readonly type: EventType
  readonly at: Date
  readonly mailboxId: string | null
  /** Null if the mailbox is deleted. */
  readonly address: string | null
  readonly by: By
  readonly data: MessageData | SendingData | RefusalData | QuotaData | ItemData
  readonly subject: string | null
  readonly from_name: string | null
  readonly from_address: string | null
  /** The Message-ID that names its conversation as far as its own header says; null if the message is no longer known. */
  readonly conversation: string | null
  /** Where the message is now; null if it is no longer known. */
  readonly place: { readonly folder: string; readonly uid: number } | null
}

/** A change of settings, or of the folders of a mailbox. */
export interface SettingsChange extends Pick<LoggedEvent, 'mailboxId' | 'address'> {
  /** Their kind: `domain`. */
  readonly item: string
}

/** All events between a cursor and `end`, in order. */
export interface Page {
  readonly events: readonly LoggedEvent[]
  /** What has changed without an event of its own, each once. */
  readonly settings: readonly SettingsChange[]
  readonly end: Cursor
  /** Whether there may be more. */
  readonly more: boolean
}

/** Events that are read at a time. */
const pageSize = 500

/** Below this position every transaction has committed or been rolled back, so that the log does not change there. */
export const settled = sql<number>`
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint + coalesce((select base from event_log where only_row), 0)`

/** A position up to which everything settled has been read, and which no later event is below. After a crash PostgreSQL gives the ids of
 *  transactions once more of which nothing had reached the disk: rolled back ones, or such that wrote nothing. So a reader's position is
 *  not that of the last transaction, but one behind the last event that could be read, which is on disk. */
const durable = sql<number>`
  least(${settled}, 1 + greatest(
    (select max(position) from events), (select forgotten from event_log where only_row), 0))`

/** What is read of an event. Mail of Private mailboxes is not read. */
const event = sql`
  event.position, event.id, event.type, event.at, event.mailbox_id as "mailboxId", mailbox.address,
  json_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name) as by, event.data,
  content.subject, content.from_name, content.from_address,
  coalesce(content.thread_root, content.message_id) as conversation,
  case when content.id is not null then json_build_object('folder', folder.name, 'uid', message.uid) end as place
  from events event
  left join mailboxes mailbox
    on mailbox.id = event.mailbox_id and mailbox.organization_id = event.organization_id
  left join mail_messages message
    on message.id = case when event.data ? 'folder' then (event.data ->> 'id')::bigint end
  left join mail_folders folder
    on folder.id = message.folder_id and folder.mailbox_id = mailbox.id and mailbox.kind <> 'private'
  left join mail_contents content
    on content.id = message.content_id and content.organization_id = folder.organization_id`

/** Events of an organization after a cursor. */
export async function eventsAfter(
  db: Db,
  organizationId: string,
  { position, id }: Cursor,
  most = pageSize,
): Promise<Page> {
  const { rows } = await sql<LoggedEvent & { durable: number; id: number | null }>`
    with settled as materialized (select ${settled} as settled, ${durable} as durable)
    select durable, event.* from settled left join lateral (
      select ${event}
      where event.organization_id = ${organizationId} and (event.position, event.id) > (${position}, ${id})
        and event.position < settled.settled
      order by event.position, event.id
      limit ${most}
    ) event on true
    order by event.position, event.id`.execute(db)
  const found = rows.filter(({ id }) => id !== null)
  const last = found.at(-1)
  const at = Math.max(rows[0]?.durable ?? 0, position)
  const end = last ?? (at > position ? { position: at, id: 0 } : { position, id })
  const isOfSettings = ({ type }: { readonly type: string }) => type === settingsChanged
  const settings = settingsIn(found.filter(isOfSettings))
  return { events: found.filter((row) => !isOfSettings(row)), settings, end, more: found.length === most }
}

function settingsIn(events: readonly LoggedEvent[]): SettingsChange[] {
  const changes = events.flatMap(({ data, mailboxId, address }) =>
    'name' in data ? [{ item: data.name, mailboxId, address }] : [],
  )
  return [...new Map(changes.map((change) => [`${change.item} ${change.mailboxId}`, change])).values()]
}

/** Those of these events of the organization that are still stored. */
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

/** How far the log can be read, where a reader begins who wants what comes from now on, and from where. */
export async function boundsOf(db: Db): Promise<{ forgotten: number; settled: number; durable: number }> {
  const { rows } = await sql<{ forgotten: number; settled: number; durable: number }>`
    select ${settled} as settled, ${durable} as durable,
      coalesce((select forgotten from event_log where only_row), 0) as forgotten`.execute(db)
  if (!rows[0]) throw new Error('A select without a table has one row')
  return rows[0]
}

export interface News {
  /** News up to this position. */
  readonly settled: number
  /** Organizations with events from the given position. */
  readonly organizations: readonly string[]
  /** Committed events that cannot be read yet, since an older transaction is open. */
  readonly unsettled: boolean
}

/** News from a position; none without a position. It covers all organizations and reads ids only. */
export async function newsFrom(db: Db, position: number | undefined): Promise<News> {
  const { rows } = await sql<News>`
    with settled as materialized (select ${settled} as settled, ${durable} as durable)
    select durable as settled,
      array(
        select distinct organization_id::text from events
        where position >= ${position ?? null}::bigint and position < settled
      ) as organizations,
      exists (select from events where position >= settled) as unsettled
    from settled`.execute(db)
  if (!rows[0]) throw new Error('A select without a table has one row')
  return rows[0]
}

/** Events deleted by one statement. */
const atATime = 1_000

/** Deletes old events. Positions and times grow together, so it reads only the first events to see
 *  whether there are any. */
export async function forgetEvents(db: Db, most = atATime): Promise<void> {
  for (let gone = most; gone === most; ) {
    const { rows } = await sql<{ gone: number }>`
      with gone as (
        delete from events
        where (position, id) in (select position, id from events order by position, id limit ${most})
          and at <= now() - make_interval(days => ${retentionDays})
        returning position
      ), noted as (
        update event_log set forgotten = greatest(forgotten, (select max(position) from gone))
        where only_row and exists (select from gone)
      )
      select count(*)::integer as gone from gone`.execute(db)
    gone = rows[0]?.gone ?? 0
  }
}

/** Identifies the cluster that made the transaction ids of a database. It changes after a restore from a dump or a failover. */
const cluster: RawBuilder<string> = sql`(
  select system_identifier || '/' || timeline_id from pg_control_system(), pg_control_checkpoint())`

/** Ensures that new positions are higher than all earlier ones. In a database that was restored or moved, transaction ids
 *  may be lower than before, while readers have old cursors. So positions start from the current time, at 2^20 per second,
 *  which no database reaches. An embedded database may be restored without a sign, so this runs at each start. On a server,
 *  where others may be writing, it runs in a new cluster only. */
export async function anchorLog({ db, embedded }: Pick<Database, 'db' | 'embedded'>): Promise<void> {
  const { rows: known } = await sql<{ cluster: string }>`select cluster from event_log where only_row`.execute(
    short(db),
  )
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
