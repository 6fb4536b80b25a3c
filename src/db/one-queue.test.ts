// On both databases: a migration runs on each version of PostgreSQL.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '#test/world/database/database.ts'
import { migrate, readMigrations } from './migrate.ts'

const database = await emptyDatabase()
after(() => database[Symbol.asyncDispose]())

const id = (n: number) => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`
const organization = id(0)

/** Of the queue of scheduled messages: what each stood at, and what it becomes. */
const scheduled = [
  ['waits for its time', "'pending', 0, 0, '2030-01-01Z', null, false, null, null, null"],
  ['a worker has claimed', "'sending', 1, 0, '2030-01-01Z', '2029-01-01Z', false, null, null, null"],
  ['was deferred before it left', "'sending', 2, 0, '2030-02-01Z', null, false, null, 'Full', null"],
  ['ended a worker before it left', "'sending', 2, 1, '2030-02-01Z', null, false, null, null, null"],
  ['has failed', "'failed', 3, 0, null, null, false, null, 'No', '2029-02-01Z'"],
  ['waits in the outbound queue', "'sending', 1, 0, null, null, true, null, 'Later', null"],
  ['is being sent', "'sending', 1, 0, null, null, true, null, null, null"],
  ['somebody has, its copy pending', "'sent', 1, 0, null, null, true, '2029-03-01Z', null, null"],
  ['some have, and some wait for', "'sent', 1, 0, null, null, true, '2029-03-01Z', null, null"],
] as const

/** Of the outbound queue: the recipient's old columns, and which of the messages above it is of. */
const outbound = [
  [6, "'', 'waiting', false, false, 1, 0, '2030-03-01Z'"],
  [7, "'', 'sending', true, false, 1, 0, '2030-03-02Z'"],
  [9, "'x.example', 'waiting', false, true, 2, 1, '2030-03-03Z'"],
  [21, "'x.example', 'waiting', false, false, 0, 0, '2030-03-04Z'"],
  [22, "'x.example', 'sending', false, true, 3, 2, '2030-03-05Z'"],
] as const

test('migration 45 carries what waits in either queue into one', async () => {
  const { pool } = database
  const migrations = await readMigrations()
  const at = migrations.findIndex(({ name }) => name.startsWith('045-'))
  await migrate(pool, migrations.slice(0, at))
  await pool.query(`
    insert into organizations (id, name, plan) values ('${organization}', 'Engines', 'self_hosted');
    insert into outbound_messages (id, organization_id, kind, sender, smtp_utf8, eight_bit, size_bytes, created_at,
        expires_at)
      select id::uuid, '${organization}', kind, 's@here', false, false, 16, '2029-06-01Z', '2029-06-06Z'
      from (values ('${id(6)}', 'scheduled'), ('${id(7)}', 'scheduled'), ('${id(8)}', 'scheduled'),
        ('${id(9)}', 'scheduled'), ('${id(21)}', 'sent'), ('${id(22)}', 'relayed')) as one (id, kind);
    insert into outbound_pieces (message_id, number, bytes) select id, 0, uuid_send(id) from outbound_messages;
    insert into scheduled_messages (id, organization_id, sender, "to", cc, bcc, subject, recipients, fields,
        attachment_count, message_id, size_bytes, scheduled_by, send_at, created_at, status, attempts, cut_short, due_at,
        claimed_until, queued, copy_due_at, last_error, failed_at)
      select one.id::uuid, '${organization}', 's@here', '{a@x}', '{}', '{}', 'Grüße', '{a@x.example,b@x.example}', null, 1,
        'm', 16, 'member', '2030-01-01Z', '2028-01-01Z', status, attempts, cut_short, due_at::timestamptz,
        claimed_until::timestamptz, queued, copy_due_at::timestamptz, last_error, failed_at::timestamptz
      from (values ${scheduled.map(([, values], n) => `('${id(n + 1)}', ${values})`).join()}) as one (id, status, attempts,
        cut_short, due_at, claimed_until, queued, copy_due_at, last_error, failed_at);
    update scheduled_messages set "to" = null, cc = null, bcc = null, subject = null, fields = '\\x02' where id = '${id(5)}';
    insert into scheduled_pieces (scheduled_id, number, bytes) select id, 0, uuid_send(id) from scheduled_messages;
    insert into outbound_recipients (message_id, organization_id, recipient, route, state, dotted, suspect, attempts,
        cut_short, due_at, epoch)
      select message_id::uuid, '${organization}', 'a@x.example', route, state, dotted, suspect, attempts, cut_short,
        due_at::timestamptz, 5
      from (values ${outbound.map(([n, values]) => `('${id(n)}', ${values})`).join()}) as one (message_id, route, state,
        dotted, suspect, attempts, cut_short, due_at)`)
  await migrate(pool, migrations.slice(0, at + 1))

  const messages = await pool.query(`
    select right(id::text, 2)::integer as n, state, allowance_due, last_error, failed_at is not null as failed,
      copy_due_at is not null as copy, queued_at::date::text as queued
    from outbound_messages order by id`)
  assert.deepEqual(
    messages.rows.map((row) => Object.values(row)),
    [
      [1, 'scheduled', 2, null, false, false, '2030-01-01'],
      [2, 'sending', 2, null, false, false, '2030-01-01'],
      [3, 'sending', 2, 'Full', false, false, '2030-01-01'],
      [4, 'sending', 2, null, false, false, '2030-01-01'],
      [5, 'failed', 2, 'No', true, false, '2030-01-01'],
      [6, 'sending', 0, 'Later', false, false, '2029-06-01'],
      [7, 'sending', 0, null, false, false, '2029-06-01'],
      [8, 'copy_pending', 0, null, false, true, '2029-06-01'],
      [9, 'copy_pending', 0, null, false, true, '2029-06-01'],
      [21, 'queued', 0, null, false, false, '2029-06-01'],
      [22, 'queued', 0, null, false, false, '2029-06-01'],
    ],
  )
  const listed = await pool.query(`
    select distinct created_at::date::text as created, send_at::date::text as sent, attachment_count, scheduled_by,
      fields_sealed, case when fields_sealed then encode(fields, 'hex') else convert_from(fields, 'UTF8')::jsonb ->> 'subject' end
    from outbound_messages where send_at is not null order by fields_sealed`)
  assert.deepEqual(
    listed.rows.map((row) => Object.values(row)),
    [
      ['2028-01-01', '2030-01-01', 1, 'member', false, 'Grüße'],
      ['2028-01-01', '2030-01-01', 1, 'member', true, '02'],
    ],
  )
  const recipients = await pool.query(`
    select right(message_id::text, 2)::integer as n, recipient, route, state, end_of_data_sent, attempts, cut_short,
      due_at::date::text as due, leased_until::date::text as leased
    from outbound_recipients order by message_id, recipient`)
  const both = (n: number, ...rest: unknown[]) => ['a@x.example', 'b@x.example'].map((one) => [n, one, '', ...rest])
  assert.deepEqual(
    recipients.rows.map((row) => Object.values(row)),
    [
      ...both(1, 'held', false, 0, 0, '2030-01-01', null),
      ...both(2, 'sending', false, 1, 0, '2030-01-01', '2029-01-01'),
      ...both(3, 'waiting', false, 2, 0, '2030-02-01', null),
      ...both(4, 'suspect', false, 2, 1, '2030-02-01', null),
      ...both(5, 'held', false, 3, 0, '2030-01-01', null),
      [6, 'a@x.example', '', 'waiting', false, 1, 0, '2030-03-01', null],
      [7, 'a@x.example', '', 'sending', true, 1, 0, '2030-03-02', '2030-03-02'],
      [9, 'a@x.example', 'x.example', 'suspect', false, 2, 1, '2030-03-03', null],
      [21, 'a@x.example', 'x.example', 'waiting', false, 0, 0, '2030-03-04', null],
      [22, 'a@x.example', 'x.example', 'sending', false, 3, 2, '2030-03-05', '2030-03-05'],
    ],
  )
  const pieces = await pool.query(`
    select count(*)::integer as count, bool_and(bytes = uuid_send(message_id)) as same from outbound_pieces`)
  assert.deepEqual(pieces.rows, [{ count: 11, same: true }])
  const usage = await pool.query('select messages, bytes::integer from scheduled_usage')
  assert.deepEqual(usage.rows, [{ messages: 9, bytes: 9 * 16 }])
})
