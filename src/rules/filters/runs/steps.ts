import { type RawBuilder, sql } from 'kysely'
import { databaseNow, LeaseLost, Leases } from '#/base/db/leases.ts'
import type { Db } from '#/base/db/schema.ts'
import { beginChange, endChange, recordedChange, stepOf } from '#/mail/changes/record.ts'
import { changing, type Recording } from '#/mail/store/change.ts'
import type { Counts } from './counts.ts'
import type { Plan } from './groups.ts'
import type { ClaimedRun, RunState } from './run.ts'
import type { RunFolder, Sample } from './run-folder.ts'

/** Far longer than a step takes. */
export const runLeases = new Leases('filter_runs', 60_000)

/** To the milliseconds of the column. PostgreSQL rounds, and a time that was rounded up is not due yet. */
const dueNow = sql<Date>`date_trunc('milliseconds', ${databaseNow})`

/** Claims the run whose last step is the oldest. */
export async function claimRun(db: Db): Promise<ClaimedRun | undefined> {
  const due = sql`finished_at is null and due_at <= ${databaseNow}`
  type Row = Omit<ClaimedRun, 'owner' | 'by' | 'id' | 'epoch'> & {
    organization_id: string
    member_id: string | null
    actor_kind: ClaimedRun['by']['kind']
    actor_id: string | null
    actor_name: string
  }
  const [row] = await runLeases.claim<Row>(db, databaseNow, {
    chosen: sql`
      select id from filter_runs where ${due} and ${runLeases.free(databaseNow)} order by due_at limit 1
      for no key update skip locked`,
    due,
    set: sql`attempts = attempts + 1`,
    returning: sql`filters, preview, state, folders, seen, total, counts, sample, change_id as "changeId", attempts, organization_id, member_id,
      actor_kind, actor_id, actor_name`,
  })
  if (!row) return undefined
  const { organization_id, member_id, actor_kind, actor_id, actor_name, ...run } = row
  return {
    ...run,
    id: String(row.id),
    owner: { organizationId: organization_id, memberId: member_id },
    by: { kind: actor_kind, id: actor_id, name: actor_name },
  }
}

/** The folder with which a run continues: first those that it has not read at all. */
export async function nextFolder(db: Db, { id, owner }: ClaimedRun): Promise<RunFolder | undefined> {
  const { rows } = await sql<RunFolder>`
    select place.mailbox_id as "mailboxId", mailbox.address, place.folder, place.uid_validity as "uidValidity",
      place.last_uid as "lastUid", place.uid, place.plan
    from filter_run_folders place
    join mailboxes mailbox on mailbox.organization_id = place.organization_id and mailbox.id = place.mailbox_id
    where place.run_id = ${id} and place.organization_id = ${owner.organizationId} and not place.done
    order by place.uid_validity nulls first limit 1`.execute(db)
  return rows[0]
}

/** The result of a step. Omitted fields stay. */
export interface Step {
  readonly total?: number
  readonly seen?: number
  readonly counts?: Counts
  readonly sample?: readonly Sample[]
  readonly folder: RunFolder & { readonly done: boolean }
}

/** Stores the result of a step that changes nothing. Answers the run after it, and the folder if that is not done. Releases the run, unless
 *  it continues. @throws LeaseLost */
export async function settleStep(db: Db, run: ClaimedRun, step: Settling): Promise<Settled> {
  const { counts = run.counts } = step
  const { rows } = await sql<{ record: Record }>`
    with ${settling(run, step, sql`${JSON.stringify(counts)}::jsonb`)} select record from run`.execute(db)
  return settled(run, step, rows[0]?.record)
}

/** The same in the statement that makes the changes, to whose messages the counts are added. */
export function settleWithin(run: ClaimedRun & { readonly changeId: string }, step: Settling): Recording {
  const { changed, moved, labelled, starred, read, ...counts } = step.counts ?? run.counts
  const recording = stepOf(run.changeId)
  const count = (name: string, before: number, is: RawBuilder<unknown>) => {
    return sql`${name}::text, ${before}::integer + (count(*) filter (where ${is}))`
  }
  const counted = (isMove: boolean) => sql`(
    select ${JSON.stringify(counts)}::jsonb || jsonb_build_object(
      ${count('changed', changed, sql`true`)}, ${count('moved', moved, sql`${isMove}::boolean`)},
      ${count('labelled', labelled, sql`${changing.added} <> '{}'`)},
      ${count('starred', starred, sql`${changing.new_flagged} and not ${changing.flagged}`)},
      ${count('read', read, sql`${changing.new_seen} and not ${changing.seen}`)})
    from ${changing.rows} where (select count(*) from ${recordedChange.rows}) >= 0)`
  return {
    ctes: (place) =>
      sql`${recording.ctes(place)}, ${settling(run, step, counted(place.source.id !== place.target.id))}`,
    answer: sql`(select record from run)`,
  }
}

type Settling = Step & { readonly continues: boolean }

export interface Settled {
  readonly run: ClaimedRun
  readonly folder: RunFolder | undefined
}

type Record = Pick<ClaimedRun, 'state' | 'counts'>

/** CTEs. While a run continues, it keeps its place in the queue: without a change of `due_at` no index has a new entry. */
function settling(run: ClaimedRun, { folder, continues, ...step }: Settling, counts: RawBuilder<unknown>) {
  const { sample = run.sample, total = run.total, seen = run.seen } = step
  const released = continues ? sql`` : sql`, leased_until = null, due_at = ${dueNow}`
  return sql`run as (
      update filter_runs set attempts = ${Number(continues)}, total = ${total}::bigint, seen = ${seen}::bigint, counts = ${counts},
        sample = ${JSON.stringify(sample)}::jsonb${released}
      where ${runLeases.held([run])}
      returning id, organization_id, jsonb_build_object('state', state, 'counts', counts) as record
    ), place as (
      update filter_run_folders set uid_validity = ${folder.uidValidity}::bigint, last_uid = ${folder.lastUid},
        uid = ${folder.uid}, done = ${folder.done}, plan = ${planJson(folder.plan)}::jsonb
      from run
      where run_id = run.id and filter_run_folders.organization_id = run.organization_id
        and mailbox_id = ${folder.mailboxId} and folder = ${folder.folder}
    )`
}

/** What a step has led to, by what was recorded. @throws LeaseLost; then the transaction must be rolled back */
export function settled(run: ClaimedRun, { folder, ...step }: Settling, recorded: unknown): Settled {
  const record = recorded as Record | null | undefined
  if (!record) throw new LeaseLost()
  const { sample = run.sample, total = run.total, seen = run.seen } = step
  return { run: { ...run, sample, total, seen, ...record, attempts: 1 }, folder: folder.done ? undefined : folder }
}

/** Releases a run, so that its next step can run elsewhere, or later. */
export async function releaseRun(db: Db, run: ClaimedRun): Promise<void> {
  await runLeases.release(db, [run], sql`attempts = 0`)
}

/** Begins the change that can undo the whole run, and answers its id. */
export function beginRunChange(db: Db, run: ClaimedRun): Promise<string> {
  const { id, owner, by } = run
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ mailboxId: string }>`
      select distinct mailbox_id as "mailboxId" from filter_run_folders
      where run_id = ${id} and organization_id = ${owner.organizationId}`.execute(tx)
    const mailboxes = rows.map(({ mailboxId }) => mailboxId)
    const actor = { ...by, address: null }
    const change = { organizationId: owner.organizationId, mailboxes, kind: 'filters', by: actor } as const
    const changeId = await beginChange(tx, change)
    const { numAffectedRows } = await sql`
      update filter_runs set change_id = ${changeId} where ${runLeases.held([run])}`.execute(tx)
    if (numAffectedRows !== 1n) throw new LeaseLost()
    return changeId
  })
}

/** Ends a run and the change that can undo it, which is deleted if nothing was changed. */
export async function endRun(db: Db, run: ClaimedRun, state: RunState, error: string | null): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (run.changeId !== null) await endChange(tx, run.changeId)
    const changeId = sql`(select id from changes where id = ${run.changeId}::uuid)`
    await release(
      tx,
      run,
      sql`state = ${state}, finished_at = ${databaseNow}, last_error = ${error}, change_id = ${changeId}`,
    )
  })
}

/** Defers a step. `given` attempts are counted. */
export async function deferRun(
  db: Db,
  run: ClaimedRun,
  { error, seconds, attempts }: { error: string; seconds: number; attempts: number },
): Promise<void> {
  await release(
    db,
    run,
    sql`last_error = ${error}, attempts = ${attempts}, due_at = ${databaseNow} + make_interval(secs => ${seconds})`,
  )
}

async function release(db: Db, run: ClaimedRun, set: RawBuilder<unknown>): Promise<void> {
  const held = await runLeases.release(db, [run], set)
  if (held.size === 0) throw new LeaseLost()
}

function planJson(plan: Plan | null): string | null {
  return plan && JSON.stringify(plan)
}
