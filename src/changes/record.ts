import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '#/audit/actor.ts'
import { type Lease, Leases } from '#/db/leases.ts'
import { query, SqlPart } from '#/db/query.ts'
import type { ChangeKind } from '#/db/schema/changes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { FolderKey } from '#/mail/folders.ts'
import type { MailboxRef } from '#/mail/mailbox-ref.ts'
import type { Did, Recording } from '#/mail/recording.ts'
import { type Part, partsOf } from './part.ts'

export const changeLeases = new Leases('changes', 30_000)

/** The record of a change, beside its parts. */
export interface Recorded {
  readonly organizationId: string
  /** The ids of the mailboxes. */
  readonly mailboxes: readonly string[]
  readonly kind: ChangeKind
  readonly by: Actor
}

/** A change that is made in one transaction. */
export interface RecordedAtOnce extends Recording {
  /** Undefined until something is changed. */
  readonly changeId: string | undefined
}

/** Records a change that is made in one transaction. A change without effect leaves no record. */
export function recordedAtOnce(change: Recorded): RecordedAtOnce {
  const id = randomUUID()
  let changeId: string | undefined
  return {
    get changeId() {
      return changeId
    },
    async settle(tx, did) {
      if (did.pairs.length === 0) return
      if (changeId === undefined) await insertWhole(tx, { ...change, id }, did)
      else await insertParts(tx, id, did)
      changeId = id
    },
  }
}

/** Begins a change of many steps, which `endChange` ends. Until then it cannot be undone. Answers its id. */
export async function beginChange(db: Db, change: Recorded): Promise<string> {
  const id = randomUUID()
  await insertChange(db, { ...change, id }, 'running')
  return id
}

/** Records one step of a change. */
export function stepOf(changeId: string): Recording {
  return {
    async settle(tx, did) {
      if (did.pairs.length > 0) await insertParts(tx, changeId, did)
    },
  }
}

/** CTEs that record a step in the statement that makes it. Later ones depend on `change`, so that it is locked first. */
export function stepWithin(changeId: string, { mailboxId }: MailboxRef, { key, name }: FolderKey): RawBuilder<unknown> {
  const less = (these: string, those: string) => {
    return sql`array(select one from unnest(${sql.ref(these)}) one where one <> all(${sql.ref(those)}) order by one collate "C")`
  }
  return sql`change as (
      update changes set messages = messages + (select count(*) from changing) where id = ${changeId} returning id
    ), parts as (
      insert into change_parts (change_id, mailbox_id, folder_key, folder, uids, seen, flagged, added, removed)
      select change.id, ${mailboxId}::uuid, ${key}::bigint, ${name}::text, array_agg(uid order by uid), alike.seen, alike.flagged,
        added, removed
      from change, (
        select uid, nullif(new_seen, seen) as seen, nullif(new_flagged, flagged) as flagged,
          case when keywords = new_keywords then '{}' else ${less('new_keywords', 'keywords')} end as added,
          case when keywords = new_keywords then '{}' else ${less('keywords', 'new_keywords')} end as removed
        from changing
      ) alike
      group by change.id, alike.seen, alike.flagged, added, removed
    )`
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

const columnsOfPart = {
  mailbox_id: 'uuid',
  folder_key: 'bigint',
  folder: 'text',
  uids: 'bigint[]',
  from_key: 'bigint',
  from_folder: 'text',
  from_uids: 'bigint[]',
  seen: 'boolean',
  flagged: 'boolean',
  added: 'text[]',
  removed: 'text[]',
} satisfies Record<keyof Part, string>
const partColumns = new SqlPart(Object.keys(columnsOfPart).join(', '))
const typedPartColumns = new SqlPart(
  Object.entries(columnsOfPart)
    .map(([column, type]) => `${column} ${type}`)
    .join(', '),
)

type WithId = Recorded & { readonly id: string }

async function insertChange(db: Db, { id, organizationId, mailboxes, kind, by }: WithId, state: 'running' | 'done') {
  await query(db)`
    insert into changes (id, organization_id, mailboxes, kind, actor_kind, actor_id, actor_name, state)
    values (${id}, ${organizationId}, ${[...mailboxes]}::uuid[], ${kind}, ${by.kind}, ${by.id}::uuid, ${by.name}, ${state})
    on conflict (id) do nothing`
}

/** One statement, since it is added to every change of many messages. */
async function insertWhole(tx: Tx, { id, organizationId, mailboxes, kind, by }: WithId, did: Did): Promise<void> {
  await query(tx)`
    with change as (
      insert into changes (id, organization_id, mailboxes, kind, actor_kind, actor_id, actor_name, messages, state)
      values (${id}, ${organizationId}, ${[...mailboxes]}::uuid[], ${kind}, ${by.kind}, ${by.id}::uuid, ${by.name},
        ${did.pairs.length}, 'done')
      returning id
    )
    insert into change_parts (change_id, ${partColumns})
    select change.id, part.* from change, jsonb_to_recordset(${JSON.stringify(partsOf(did))}::jsonb) as part (${typedPartColumns})`
}

async function insertParts(tx: Tx, changeId: string, did: Did): Promise<void> {
  await query(tx)`
    with change as (
      update changes set messages = messages + ${did.pairs.length} where id = ${changeId} returning id
    )
    insert into change_parts (change_id, ${partColumns})
    select change.id, part.*
    from change, jsonb_to_recordset(${JSON.stringify(partsOf(did))}::jsonb) as part (${typedPartColumns})`
}
