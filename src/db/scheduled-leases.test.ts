// On both databases: a migration runs on each version of PostgreSQL.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '#test/world/database/database.ts'
import { migrate, readMigrations } from './migrate.ts'

const database = await emptyDatabase()
after(() => database[Symbol.asyncDispose]())

const ids = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const [organization, waits, claimed, waitsInQueue, goes, owed, failed] = [0, 1, 2, 3, 4, 5, 6].map(ids)
const [first, second, third] = [7, 8, 9].map(ids)

test('scheduled messages that are under way keep their place when migration 22 changes their columns', async () => {
  const { pool } = database
  const migrations = await readMigrations()
  const at = migrations.findIndex(({ name }) => name.startsWith('022-'))
  await migrate(pool, migrations.slice(0, at))
  await pool.query(`
    insert into organizations (id, name, plan) values ('${organization}', 'Engines', 'self_hosted');
    insert into outbound_messages (id, organization_id, kind, sender, message_id, subject, smtp_utf8, eight_bit,
        size_bytes, expires_at)
      select unnest('{${first},${second},${third}}'::uuid[]), '${organization}', 'scheduled', 's', 'm', 'in queue', false,
        false, 3, now();
    insert into outbound_pieces (message_id, number, bytes) select id, 0, uuid_send(id) from outbound_messages;
    insert into outbound_recipients (message_id, organization_id, recipient, route, state) values
      ('${first}', '${organization}', 'a@x.example', '', 'waiting'),
      ('${second}', '${organization}', 'b@x.example', '', 'dotted');
    insert into scheduled_messages (id, organization_id, sender, "to", cc, bcc, recipients, subject, attachment_count,
        message_id, size_bytes, scheduled_by, send_at, created_at, status, due_at, in_hand, outbound_id, failed_at)
      select id::uuid, '${organization}', 's', '{}', '{}', '{}', '{}', '', 0, 'm', 3, 'api_key', now(), now(), status,
        due_at::timestamptz, in_hand, outbound_id::uuid, failed_at::timestamptz
      from (values
        ('${waits}', 'pending', '2030-01-01Z', false, null, null),
        ('${claimed}', 'sending', '2030-01-02Z', true, null, null),
        ('${waitsInQueue}', 'sending', '2030-01-03Z', false, '${first}', null),
        ('${goes}', 'sending', '2030-01-04Z', false, '${second}', null),
        ('${owed}', 'sent', '2030-01-05Z', false, '${third}', null),
        ('${failed}', 'failed', '2030-01-06Z', false, null, '2030-01-07Z')
      ) as row (id, status, due_at, in_hand, outbound_id, failed_at)`)
  await migrate(pool, migrations.slice(0, at + 1))

  const listed = await pool.query(`
    select id, status, due_at::date::text as due, claimed_until::date::text as claimed, queued,
      copy_due_at::date::text as copy from scheduled_messages order by id`)
  assert.deepEqual(
    listed.rows.map(({ id, status, due, claimed, queued, copy }) => [id, status, due, claimed, queued, copy]),
    [
      [waits, 'pending', '2030-01-01', null, false, null],
      [claimed, 'sending', '2030-01-02', '2030-01-02', false, null],
      [waitsInQueue, 'sending', null, null, true, null],
      [goes, 'sending', null, null, true, null],
      [owed, 'sent', null, null, true, '2030-01-05'],
      [failed, 'failed', null, null, false, null],
    ],
  )
  const inQueue = await pool.query(`
    select message.id, recipient, state, dotted, piece.bytes = uuid_send(old.id) as "samePiece"
    from outbound_messages message
    join (values ('${waitsInQueue}', '${first}'), ('${goes}', '${second}'), ('${owed}', '${third}')) as known (new, old_id)
      on known.new::uuid = message.id
    cross join lateral (select known.old_id::uuid as id) old
    join outbound_pieces piece on piece.message_id = message.id
    left join outbound_recipients recipient on recipient.message_id = message.id
    order by message.id`)
  assert.deepEqual(
    inQueue.rows.map(({ id, recipient, state, dotted, samePiece }) => [id, recipient, state, dotted, samePiece]),
    [
      [waitsInQueue, 'a@x.example', 'waiting', false, true],
      [goes, 'b@x.example', 'sending', true, true],
      [owed, null, null, null, true],
    ],
  )
})
