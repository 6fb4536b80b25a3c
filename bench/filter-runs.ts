import assert from 'node:assert/strict'
import { type RawBuilder, sql } from 'kysely'
import { pino } from 'pino'
import { FilterRunner } from '#/rules/filters/runs/runner.ts'
import { HoldWatch } from '#test/world/observe/hold-watch.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { Client } from './load/client.ts'
import { Inbox } from './mailbox/folder.ts'
import { median, type Row } from './report.ts'

/** Filters that look at the subject, and at who sent it: both match every message. */
const filters = [
  ['by subject', { field: 'subject', value: 'e' }, sql`content.subject ilike '%e%'`],
  [
    'by sender',
    { field: 'from', value: '@' },
    sql`(content.from_name ilike '%@%' or content.from_address ilike '%@%')`,
  ],
] as const

/** Others' requests beside a run: so many times so many, or until the run has ended. */
const [turns, requestsOfTurn] = [5, 2_000]

/** A run of a filter that stars every message of a large folder, against one UPDATE that does the same; what others' requests take
 *  meanwhile. */
export async function filterRuns({ messages = 100_000, rounds = 3 } = {}): Promise<Row[]> {
  await using world = await World.start({ env: { MAILROOM_ROLES: 'api,mx' } })
  const organization = await world.organization({ plan: 'self_hosted' })
  const { id: mailboxId } = await organization.mailbox('ada')
  const inbox = new Inbox(world, { organizationId: organization.id, mailboxId })
  // They stay on the queue of the index for search, which flags are not in: what a run writes is the same.
  await inbox.growTo(messages)
  await using client = new Client(organization)
  const rows: Row[] = []
  for (const [what, fields, matching] of filters) {
    const ratios: number[] = []
    const bare: number[] = []
    const [ours, floors]: [number[], number[]] = [[], []]
    const filter = { name: what, op: 'contains', action: 'star', ...fields }
    const { id } = (await organization.request('POST', '/v1/filters', filter)).body
    // Until the code is compiled.
    await runAlone(world, organization, id)
    for (let round = 0; round < rounds; round++) {
      await unstar(world)
      const floor = await timed(() => starAndTell(world, matching))
      const done = await whatIsDone(world)
      await unstar(world)
      const alone = await timed(() => star(world, matching))
      await unstar(world)
      const run = await timed(() => runAlone(world, organization, id))
      assert.deepEqual(await whatIsDone(world), done)
      floors.push(floor)
      ours.push(run)
      ratios.push(floor / run)
      bare.push(alone / run)
    }
    const from = `${rate(messages, ours)} against ${rate(messages, floors)} messages a second`
    rows.push({ what: `rate of a run ${what}`, value: median(ratios), unit: '×', least: 0.5, from })
    rows.push({ what: '  of an UPDATE that leaves no events and cannot be undone', value: median(bare), unit: '×' })
    await unstar(world)
    rows.push(...(await beside(world, organization, client, id)).map((row) => ({ ...row, what: `  ${row.what}` })))
  }
  return rows
}

/** One UPDATE that does the same: it leaves the counters, the events, and the record by which it could be undone. */
async function starAndTell(world: World, matching: RawBuilder<unknown>): Promise<void> {
  await atLength(
    world,
    sql`
    with actor as (
      select actor_kind, actor_id, actor_name from filter_runs order by created_at desc limit 1
    ), starred as (
      update mail_messages message set flagged = true, modseq = folder.modseq + 1
      from mail_folders folder, mail_contents content
      where folder.id = message.folder_id and folder.name = 'inbox' and content.id = message.content_id and ${matching}
      returning folder.organization_id, folder.mailbox_id, folder.id, message.uid, message.id as message_id
    ), counted as (
      update mail_folders set modseq = modseq + 1 where id in (select id from starred)
    ), told as (
      insert into events (position, organization_id, type, mailbox_id, actor_kind, actor_id, actor_name, data)
      select pg_current_xact_id()::text::bigint + coalesce((select base from event_log where only_row), 0), organization_id,
        'message.changed', mailbox_id, actor.*,
        jsonb_build_object('folder', 'inbox', 'uid', uid, 'id', message_id, 'starred', true)
      from starred, actor
    ), change as (
      insert into changes (organization_id, mailboxes, kind, actor_kind, actor_id, actor_name, messages, state)
      select organization_id, array[mailbox_id], 'filters', actor.*, (select count(*) from starred), 'done'
      from starred, actor limit 1 returning id
    )
    insert into change_parts (change_id, mailbox_id, folder_key, folder, uids, flagged, added, removed)
    select change.id, mailbox_id, starred.id, 'inbox', array_agg(uid order by uid), true, '{}', '{}'
    from starred, change group by change.id, mailbox_id, starred.id`,
  )
}

async function star(world: World, matching: RawBuilder<unknown>): Promise<void> {
  await atLength(
    world,
    sql`
    update mail_messages message set flagged = true, modseq = folder.modseq + 1
    from mail_folders folder, mail_contents content
    where folder.id = message.folder_id and folder.name = 'inbox' and content.id = message.content_id and ${matching}`,
  )
}

/** What a run and its floor must leave alike. */
async function whatIsDone({ db }: World): Promise<unknown> {
  const { rows } = await sql`
    select (select count(*) from mail_messages where flagged) as starred, event.*, change.*, part.*
    from (
      select count(*) as events, sum(hashtext(concat_ws(' ', organization_id, type, mailbox_id, actor_kind, actor_id, actor_name, data))::bigint) as told
      from events
    ) event, (
      select count(*) as changes, sum(messages) as changed from changes where state = 'done'
    ) change, (
      select count(*) as recorded, sum(hashtext(concat_ws(' ', mailbox_id, folder_key, folder, uid, seen, flagged))::bigint) as undoable
      from change_parts, unnest(uids) uid
    ) part`.execute(db)
  return rows
}

/** As it was, without what changes have left in the table. */
async function unstar(world: World): Promise<void> {
  await atLength(world, sql`update mail_messages set flagged = false where flagged`)
  await atLength(world, sql`delete from events`)
  await atLength(world, sql`delete from changes`)
  for (const table of ['mail_messages', 'events']) await atLength(world, sql`vacuum full analyze ${sql.table(table)}`)
}

/** Runs a statement that may take longer than those of a service. */
async function atLength({ db, database }: World, statement: RawBuilder<unknown>): Promise<void> {
  const { sql: text, parameters } = statement.compile(db)
  const client = await database.pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query(text, [...parameters])
    await client.query('reset statement_timeout')
  } finally {
    client.release()
  }
}

/** Begins a run and has it done by a runner that works as in a service. */
async function runAlone(world: World, organization: TestOrganization, filterId: string): Promise<void> {
  const id = await begin(organization, filterId)
  await using _ = startRunner(world)
  while (!(await hasEnded(world, id))) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function begin(organization: TestOrganization, filterId: string): Promise<string> {
  return (await organization.request('POST', `/v1/filters/${filterId}/runs`, {})).body.id
}

function startRunner({ db, foreground, database: { embedded } }: World): FilterRunner {
  const runner = new FilterRunner({ db, foreground, embedded, log: pino({ level: 'silent' }) })
  runner.start()
  return runner
}

async function hasEnded({ db }: World, id: string): Promise<boolean> {
  const columns = ['state', 'finished_at'] as const
  const run = await db.selectFrom('filter_runs').select(columns).where('id', '=', id).executeTakeFirstOrThrow()
  if (run.state === 'failed') throw new Error('The run failed')
  return run.finished_at !== null
}

/** Others' requests beside a run and without it, in turns, and the longest hold of the event loop. */
async function beside(world: World, organization: TestOrganization, client: Client, filterId: string): Promise<Row[]> {
  // A hundred at a time, with the run and without: the first waits for its connection.
  const some = async () => (await client.ask(100, [{ path: '/v1/labels' }])).times
  const [alone, during]: [number[], number[]] = [[], []]
  await some()
  using watch = new HoldWatch()
  let longest = 0
  const id = await begin(organization, filterId)
  for (let turn = 0; turn < turns && !(await hasEnded(world, id)); turn++) {
    for (let requests = 0; requests < requestsOfTurn; requests += 100) alone.push(...(await some()))
    watch.reset()
    await using _ = startRunner(world)
    for (let requests = 0; requests < requestsOfTurn && !(await hasEnded(world, id)); requests += 100)
      during.push(...(await some()))
    longest = Math.max(longest, await watch.settle())
  }
  await organization.request('POST', `/v1/filter-runs/${id}/cancel`)
  await using runner = startRunner(world)
  await runner.processAll()
  const [one, other] = [percentile(alone), percentile(during)]
  return [
    {
      what: "others' requests meanwhile, 99th percentile",
      value: other / one,
      unit: '×',
      most: 2,
      from: `${other.toFixed(1)} ms against ${one.toFixed(1)}, of ${during.length}`,
    },
    { what: 'longest hold of the event loop', value: longest, unit: 'ms', most: 50 },
  ]
}

function percentile(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}

function rate(messages: number, ms: readonly number[]): string {
  return ((messages / median(ms)) * 1_000).toFixed(0)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}
