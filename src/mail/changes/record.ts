import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { type Lease, Leases } from '#/base/db/leases.ts'
import { relation } from '#/base/db/relation.ts'
import type { ChangeKind } from '#/base/db/schema/changes.ts'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import { changing, type Recording } from '#/mail/store/change.ts'

export const changeLeases = new Leases('changes', 30_000)

/** The record of a change, beside its parts. */
export interface Recorded {
  readonly organizationId: string
  /** The ids of the mailboxes. */
  readonly mailboxes: readonly string[]
  readonly kind: ChangeKind
  readonly by: Actor
}

/** Records a change that is made in one transaction, and answers its id. A change without effect leaves no record. */
export function recordedAtOnce({ organizationId, mailboxes, kind, by }: Recorded): Recording {
  const id = randomUUID()
  return recording(sql`
      insert into changes (id, organization_id, mailboxes, kind, actor_kind, actor_id, actor_name, state, messages)
      select ${id}::uuid, ${organizationId}::uuid, ${[...mailboxes]}::uuid[], ${kind}, ${by.kind}, ${by.id}::uuid, ${by.name}, 'done', count(*)
      from ${changing.rows} having count(*) > 0
      on conflict (id) do update set messages = changes.messages + excluded.messages`)
}

/** Begins a change of many steps, which `endChange` ends. Until then it cannot be undone. Answers its id. */
export async function beginChange(db: Db, { organizationId, mailboxes, kind, by }: Recorded): Promise<string> {
  const id = randomUUID()
  await sql`
    insert into changes (id, organization_id, mailboxes, kind, actor_kind, actor_id, actor_name, state)
    values (${id}, ${organizationId}, ${[...mailboxes]}::uuid[], ${kind}, ${by.kind}, ${by.id}::uuid, ${by.name}, 'running')`.execute(
    short(db),
  )
  return id
}

/** Records one step of a change. */
export function stepOf(changeId: string): Recording {
  return recording(
    sql`update changes set messages = messages + (select count(*) from ${changing.rows}) where id = ${changeId}`,
  )
}

/** In the statement that changes messages: the record of the change, without a row if that has no effect. */
export const recordedChange = relation('change', 'id')

/** With parts of messages that are changed in the same way. What follows depends on `change`, so that it is locked first. */
function recording(change: RawBuilder<unknown>): Recording {
  return {
    answer: sql`(select ${recordedChange.id} from ${recordedChange.rows})`,
    ctes({ mailbox: { mailboxId }, source, target }) {
      const isMove = source.id !== target.id
      const [key, name] = isMove ? [source.id, source.name] : [null, null]
      return sql`${recordedChange.rows} as (${change} returning id), parts as (
        insert into change_parts (change_id, mailbox_id, folder_key, folder, uids, from_key, from_folder, from_uids, seen, flagged, added, removed)
        select ${recordedChange.id}, ${mailboxId}::uuid, ${target.id}::bigint, ${target.name}::text, array_agg(new_uid order by uid), ${key}::bigint,
          ${name}::text, ${isMove ? sql`array_agg(uid order by uid)` : sql`null`}, alike.seen, alike.flagged, added, removed
        from ${recordedChange.rows}, (
          select ${changing.uid}, ${changing.new_uid}, nullif(${changing.new_seen}, ${changing.seen}) as seen,
            nullif(${changing.new_flagged}, ${changing.flagged}) as flagged, ${changing.added}, ${changing.removed}
          from ${changing.rows}
        ) alike
        group by ${recordedChange.id}, alike.seen, alike.flagged, added, removed
      )`
    },
  }
}

/** Ends a change. One without effect is deleted, unless a response has named it. Answers whether it stays. */
export async function endChange(db: Db, changeId: string): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      delete from changes
      where id = ${changeId} and messages = 0 and kind in ('messages', 'filters', 'folder_deleted') returning id
    )
    update changes set state = 'done', leased_until = null
    where id = ${changeId} and not exists (select from gone) returning id`.execute(db)
  return rows.length > 0
}

/** Ends a change that is refused. What it did until then can be undone. With `unlessIdle` one without effect is deleted. */
export async function failChange(
  db: Db,
  lease: Lease,
  { reason, unlessIdle }: { readonly reason: string; readonly unlessIdle: boolean },
): Promise<void> {
  await sql`
    with gone as (
      delete from changes where ${changeLeases.held([lease])} and messages = 0 and kind = 'folder_deleted' and ${unlessIdle}::boolean
      returning id
    )
    update changes set state = 'failed', error = ${reason}, leased_until = null
    where ${changeLeases.held([lease])} and not exists (select from gone)`.execute(db)
}

/** Attempts in a row without a step. They are 5 seconds apart at least. */
const mostFailures = 50

/** Releases a change for another attempt, or ends it after very many that all failed. */
export async function releaseFailing(db: Db, change: Lease & { readonly messages: number }): Promise<void> {
  const failures = sql`(case when messages > ${change.messages} then 1 else failures + 1 end)`
  const failed = sql`${failures} >= ${mostFailures}`
  await changeLeases.release(
    db,
    [change],
    sql`failures = ${failures}, state = case when ${failed} then 'failed' else state end,
      error = case when ${failed} then ${`Of ${mostFailures} attempts each failed; the log says why`} end`,
  )
}
