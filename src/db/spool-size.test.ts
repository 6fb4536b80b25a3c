// On both databases: a migration runs on each version of PostgreSQL.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '#test/world/database/database.ts'
import { migrate, readMigrations } from './migrate.ts'

const database = await emptyDatabase()
after(() => database[Symbol.asyncDispose]())

const organization = '00000000-0000-4000-8000-000000000001'

test('what waits for the mail server is counted from migration 23 on, with what was there before', async () => {
  const { pool } = database
  const migrations = await readMigrations()
  await migrate(
    pool,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => name.startsWith('023-')),
    ),
  )
  const insert = (size: number) =>
    pool.query(
      `insert into mail_spool (organization_id, mailbox_id, folder, size_bytes, received_at, seen, flagged, keywords, filtered_by)
        select organization_id, id, 'inbox', $1, now(), false, false, '{}', '[]' from mailboxes`,
      [size],
    )
  await pool.query(`
    insert into organizations (id, name, plan) values ('${organization}', 'Engines', 'self_hosted');
    insert into domains (organization_id, domain, status) values ('${organization}', 'engines.test', 'verified');
    insert into mailboxes (organization_id, domain_id, local_part, address)
      select organization_id, id, 'ada', 'ada@engines.test' from domains`)
  await insert(1_000)
  await insert(200)
  await migrate(pool, migrations)
  await insert(30)
  const { rows } = await pool.query('select sum(bytes)::integer as bytes from mail_spool_shares')
  assert.deepEqual(rows, [{ bytes: 1_230 }])
  const { rows: shares } = await pool.query(
    'select organization_id, sum(bytes)::integer as bytes from mail_spool_organizations group by organization_id',
  )
  assert.deepEqual(shares, [{ organization_id: organization, bytes: 1_230 }])
})
