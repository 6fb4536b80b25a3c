import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { databaseNow, type Lease } from '#/base/db/leases.ts'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import { retentionMs } from '#/base/db/retention.ts'
import type { ChangeKind, ChangeState, LeftAlone } from '#/base/db/schema/changes.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import type { Undone } from './put-back.ts'
import { changeLeases } from './record.ts'

export interface RecordedChange {
  readonly id: string
  readonly kind: ChangeKind
  readonly state: ChangeState
  /** Why it failed. */
  readonly error: string | null
  readonly mailboxes: readonly { readonly id: string; readonly address: string }[]
  readonly actorKind: Actor['kind']
  readonly actorName: string
  readonly messages: number
  /** Of its first parts. */
  readonly done: { readonly what: Effect[]; readonly movedTo: string[] }
  readonly leftAlone: number
  readonly made: Date
  /** In microseconds. */
  readonly at: number
  readonly undoes: string | null
  readonly undoneBy: string | null
}

/** The effects of a change on its messages. */
export const effects = ['moved', 'read', 'unread', 'starred', 'unstarred', 'labelled', 'unlabelled'] as const
type Effect = (typeof effects)[number]

/** Parts that are read for it. A change has a part for each kind of difference. */
const partsLookedAt = 100

const done = sql`(
  select jsonb_build_object(
    'what', array_remove(array[
      case when bool_or(from_key is not null) then 'moved' end,
      case when bool_or(seen) then 'read' end,
      case when bool_or(not seen) then 'unread' end,
      case when bool_or(flagged) then 'starred' end,
      case when bool_or(not flagged) then 'unstarred' end,
      case when bool_or(added <> '{}') then 'labelled' end,
      case when bool_or(removed <> '{}') then 'unlabelled' end], null),
    'movedTo', coalesce(jsonb_agg(distinct folder) filter (where from_key is not null), '[]'))
  from (
    select from_key, folder, seen, flagged, added, removed from change_parts
    where change_id = change.id order by id limit ${sql.lit(partsLookedAt)}
  ) part) as done`

const columns = sql`change.id, change.kind, change.state, change.error, change.actor_kind as "actorKind", change.actor_name as "actorName",
  change.messages, change.left_alone as "leftAlone", change.at as made, ${microseconds('change.at')} as at, change.undoes,
  change.undone_by as "undoneBy", ${done}, array(
    select jsonb_build_object('id', id, 'address', address) from mailboxes
    where mailboxes.organization_id = change.organization_id and mailboxes.id = any(change.mailboxes)
    order by address) as mailboxes`

/** Callers who may not read one of its mailboxes do not see a change; deleted mailboxes do not count, unless all are. Nobody sees
 *  one that is older and not deleted yet. */
function visible(caller: Caller): RawBuilder<unknown> {
  return sql`change.organization_id = ${caller.organizationId}
    and change.at > clock_timestamp() - ${retentionMs}::bigint * interval '1 millisecond'
    and (
      select bool_and(${caller.mayIn('read', 'mailbox.id')}) from mailboxes mailbox
      where mailbox.organization_id = change.organization_id and mailbox.id = any(change.mailboxes))`
}

/** Newest first. */
export async function changesOf(
  db: Db,
  caller: Caller,
  { after, most }: { readonly after: TimedPlace | undefined; readonly most: number },
): Promise<RecordedChange[]> {
  const behind = after ? sql`and (change.at, change.id) < (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<RecordedChange>`
    select ${columns} from changes change where ${visible(caller)} ${behind}
    order by change.at desc, change.id desc limit ${most}`.execute(db)
  return rows
}

export async function changeById(db: Db, caller: Caller, id: string): Promise<RecordedChange | undefined> {
  const { rows } = await sql<RecordedChange>`
    select ${columns} from changes change where change.id = ${id} and ${visible(caller)}`.execute(db)
  return rows[0]
}

/** A message that an undo left alone, with the address of its mailbox. */
type ShownAlone = Omit<LeftAlone, 'mailbox_id'> & {
  readonly mailbox: string
  /** Null if it is not there. */
  readonly id: number | null
}

/** The messages that an undo left alone, as far as they are listed, with the addresses of mailboxes. */
export async function leftAloneBy(db: Db, organizationId: string, undoes: string, most: number): Promise<ShownAlone[]> {
  const { rows } = await sql<ShownAlone>`
    select mailbox.address as mailbox, message.id, one.folder, one.uid, one.reason
    from change_parts part
    cross join lateral jsonb_to_recordset(part.left_alone) as one (mailbox_id uuid, folder text, uid bigint, reason text)
    join mailboxes mailbox on mailbox.id = part.mailbox_id and mailbox.organization_id = ${organizationId}
    left join mail_folders folder on folder.mailbox_id = mailbox.id and folder.name = one.folder
    left join mail_messages message on message.folder_id = folder.id and message.uid = one.uid and one.reason <> 'gone'
    where part.change_id = ${undoes}
    order by part.id desc, one.uid limit ${most}`.execute(db)
  return rows
}

/** Begins to undo a change that has ended and was not undone yet, and answers the undo's id; undefined otherwise. */
export async function insertUndo(tx: Tx, organizationId: string, id: string, by: Actor): Promise<string | undefined> {
  // A statement of its own: after a wait for the lock, a subquery would still see the tables as they were before it.
  await sql`select from changes where id = ${id} and organization_id = ${organizationId} for update`.execute(tx)
  const { rows } = await sql<{ undone_by: string | null; state: string }>`
    select (select undo.id from changes undo where undo.id = changes.undone_by and undo.state <> 'failed') as undone_by, state
    from changes where id = ${id} and organization_id = ${organizationId}`.execute(tx)
  const [change] = rows
  if (change === undefined || change.state === 'running') return undefined
  if (change.undone_by !== null) return change.undone_by
  const { rows: made } = await sql<{ id: string }>`
    with undo as (
      insert into changes (organization_id, mailboxes, kind, actor_kind, actor_id, actor_name, state, undoes)
      select organization_id, mailboxes, 'undo', ${by.kind}, ${by.id}::uuid, ${by.name}, 'running', id
      from changes where id = ${id}
      returning id
    )
    update changes set undone_by = undo.id from undo where changes.id = ${id} returning undo.id`.execute(tx)
  return made[0]?.id
}

/** A change whose work a process does. */
export interface Running {
  readonly id: string
  readonly organization_id: string
  readonly kind: ChangeKind
  readonly mailboxes: readonly string[]
  readonly undoes: string | null
  readonly remove_keyword: string | null
  readonly add_keyword: string | null
  readonly folder: string | null
  readonly folder_key: number | null
  readonly move_to: string | null
  /** How many were changed before it was claimed. */
  readonly messages: number
  readonly by: Actor
}

/** A change of a kind that is done here, or the change of a filter run that was deleted with the member whose it was. */
const due = sql`state = 'running' and (kind in ('undo', 'label_removed', 'labels_merged', 'folder_deleted')
  or kind = 'filters' and not exists (
    select from filter_runs run
    where run.organization_id = changes.organization_id and run.finished_at is null and run.change_id = changes.id))`

/** A keyword is removed only once no earlier change adds it any more: messages that got it after they were looked at would
 *  keep it. With `offset 0` PostgreSQL looks for that change by its time, instead of joining with all that are running. */
const waits = sql`exists (
  select from changes earlier
  where earlier.organization_id = changes.organization_id and earlier.state = 'running'
    and earlier.add_keyword = changes.remove_keyword and earlier.at < changes.at offset 0)`

/** Claims a running change: this one, or of those that were claimed least often the oldest, so that one that fails again and again
 *  holds up no other. */
export async function claimRunning(db: Db, id: string | undefined): Promise<(Running & Lease<string>) | undefined> {
  const [claimed] = await changeLeases.claim<
    Lease<string> & Omit<Running, 'by'> & Record<'actor_kind' | 'actor_name', string> & { actor_id: string | null }
  >(db, databaseNow, {
    chosen: sql`select id from changes
      where ${due} and not ${waits} and ${changeLeases.free(databaseNow)} ${id === undefined ? sql`` : sql`and id = ${id}`}
      order by lease_epoch, at limit 1`,
    // Whatever else `due` asks stays as it is once it is so.
    due: sql`state = 'running'`,
    returning: sql`organization_id, kind, mailboxes, undoes, remove_keyword, add_keyword, folder, folder_key,
      move_to, messages, actor_kind, actor_id, actor_name`,
  })
  if (!claimed) return undefined
  const { actor_kind, actor_id, actor_name, ...running } = claimed
  return { ...running, by: { kind: actor_kind as Actor['kind'], id: actor_id, name: actor_name, address: null } }
}

/** How a change has ended, or whether it still runs; undefined for one that was deleted, since it had no effect. */
export async function endOfChange(
  db: Db,
  id: string,
): Promise<Pick<RecordedChange, 'state' | 'error' | 'messages'> | undefined> {
  const { rows } = await sql<Pick<RecordedChange, 'state' | 'error' | 'messages'>>`
    select state, error, messages from changes where id = ${id}`.execute(db)
  return rows[0]
}

export async function isRunning(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`select from changes where id = ${id} and state = 'running'`.execute(db)
  return rows.length > 0
}

/** The last part of a change to be reverted: a message may be in several. */
export async function nextPart(db: Db, changeId: string): Promise<Undone | undefined> {
  const { rows } = await sql<Undone>`
    select id, mailbox_id, folder_key, folder, uids, from_key, from_folder, from_uids, seen, flagged, added, removed,
      undone_uids
    from change_parts where change_id = ${changeId} and not undone order by id desc limit 1`.execute(db)
  return rows[0]
}

/** Changes, and parts of them, deleted by one statement. */
const atATime = 200

/** Deletes old changes. */
export async function forgetChanges(db: Db, now: Date, most = atATime): Promise<void> {
  const before = new Date(now.getTime() - retentionMs)
  for (let gone = most; gone === most; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from change_parts where id in (
        select part.id from changes join change_parts part on part.change_id = changes.id
        where changes.at < ${before} limit ${most}
      )`.execute(db)
    gone = Number(numAffectedRows)
  }
  for (let gone = most; gone === most; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from changes where id in (select id from changes where at < ${before} limit ${most})`.execute(db)
    gone = Number(numAffectedRows)
  }
}
