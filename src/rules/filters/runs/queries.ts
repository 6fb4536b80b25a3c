import { sql } from 'kysely'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import { retentionDays } from '#/base/db/retention.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { type Owner, ownedBy } from '#/base/ownership/owner.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { TimedPlace } from '#/http/schemas/cursor.ts'
import type { Run, RunFilter } from './run.ts'

const columns = sql`id, filter_id as "filterId", filters, preview, named as mailboxes, folders,
  state, total, seen, counts, change_id as "changeId", last_error as "lastError", created_at as "createdAt",
  finished_at as "finishedAt"`

/** The condition that the caller may read all mailboxes of a run. If all have been deleted, only callers who may read every mailbox
 *  of the organization may see it. */
function readable(caller: Caller) {
  return sql<boolean>`not exists (
    select from (values (filter_runs.id)) as run (id) left join filter_run_folders place on place.run_id = run.id
    where ${caller.mayIn('read', 'place.mailbox_id')} is not true)`
}

/** Without messages of mailboxes that have been deleted since. */
const sample = sql`(
  select coalesce(jsonb_agg(one || jsonb_build_object('id', message.id) order by number), '[]')
  from jsonb_array_elements(sample) with ordinality as sampled (one, number)
  join mailboxes mailbox on mailbox.organization_id = filter_runs.organization_id and mailbox.address = one ->> 'mailbox'
  left join mail_folders folder on folder.mailbox_id = mailbox.id and folder.name = one ->> 'folder'
  left join mail_messages message on message.folder_id = folder.id and message.uid = (one ->> 'uid')::bigint
  where mailbox.id in (select mailbox_id from filter_run_folders where run_id = filter_runs.id)) as sample`

export interface NewRun extends Pick<Run, 'filterId' | 'preview' | 'mailboxes' | 'folders' | 'counts'> {
  readonly filters: readonly RunFilter[]
  readonly mailboxIds: readonly string[]
  readonly by: { readonly kind: string; readonly id: string | null; readonly name: string }
}

/** Stores a run with its folders, in one statement. */
export async function insertRun(tx: Tx, { organizationId, memberId }: Owner, run: NewRun): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with run as (
      insert into filter_runs (organization_id, member_id, filter_id, filters, preview, named, folders, counts,
        actor_kind, actor_id, actor_name)
      values (${organizationId}, ${memberId}, ${run.filterId}, ${JSON.stringify(run.filters)}, ${run.preview},
        ${run.mailboxes}, ${run.folders}, ${JSON.stringify(run.counts)}, ${run.by.kind}, ${run.by.id}, ${run.by.name})
      returning id, organization_id
    ), places as (
      insert into filter_run_folders (run_id, organization_id, mailbox_id, folder)
      select run.id, run.organization_id, mailbox_id, folder
      from run, unnest(${run.mailboxIds}::uuid[]) mailbox_id, unnest(${run.folders}::text[]) folder
    )
    select id from run`.execute(tx)
  const [{ id } = { id: '' }] = rows
  return id
}

export async function runningCount(tx: Tx, organizationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from filter_runs where organization_id = ${organizationId} and finished_at is null`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Ids of the Smart mailboxes that a run may go through: for the organization's filters those whose mail the caller may change, for a
 *  member's own filters their own. */
export async function mailboxesToRun(db: Db, caller: Caller, { organizationId, memberId }: Owner): Promise<string[]> {
  const isMeant = memberId === null ? caller.mayIn('change', 'id') : sql`member_id = ${memberId}`
  const { rows } = await sql<{ id: string }>`
    select id from mailboxes where organization_id = ${organizationId} and kind = 'smart' and ${isMeant}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Those whose mailboxes the caller may all read, newest first, each with its place in the list. */
export async function runsOf(
  db: Db,
  caller: Caller,
  owner: Owner,
  { after, most }: { after: TimedPlace | undefined; most: number },
): Promise<(Run & { readonly at: number })[]> {
  const behind = after ? sql`and (created_at, id) < (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<Run & { at: number }>`
    select ${columns}, '[]'::jsonb as sample, ${microseconds('created_at')} as at
    from filter_runs
    where ${ownedBy('filter_runs', owner)} and ${readable(caller)} ${behind}
    order by created_at desc, id desc limit ${most}`.execute(db)
  return rows
}

export async function runById(db: Db, caller: Caller, owner: Owner, id: string): Promise<Run | undefined> {
  const { rows } = await sql<Run>`
    select ${columns}, ${sample}
    from filter_runs
    where ${ownedBy('filter_runs', owner)} and ${readable(caller)} and id = ${id}`.execute(db)
  return rows[0]
}

/** The current step is finished and counted. @throws Refusal where the caller may not change all of the run's mail */
export async function cancelRun(tx: Tx, caller: Caller, owner: Owner, id: string): Promise<void> {
  const { rows } = await sql<{ id: string; address: string }>`
    select mailbox.id, mailbox.address from filter_run_folders place
    join mailboxes mailbox on mailbox.organization_id = place.organization_id and mailbox.id = place.mailbox_id
    where place.run_id = ${id} and place.organization_id = ${owner.organizationId}
      and not ${caller.mayIn('change', 'mailbox.id')} limit 1`.execute(tx)
  for (const mailbox of rows) caller.assertMay('change', mailbox)
  await sql`
    update filter_runs set state = 'cancelled'
    where ${ownedBy('filter_runs', owner)} and id = ${id} and state = 'running'`.execute(tx)
}

/** Deletes runs that ended long ago, some at a time. */
export async function forgetRuns(db: Db, most = 100): Promise<void> {
  for (let gone = most; gone === most; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from filter_runs where id in (
        select id from filter_runs where finished_at < now() - make_interval(days => ${retentionDays}) limit ${most}
      )`.execute(db)
    gone = Number(numAffectedRows)
  }
}
