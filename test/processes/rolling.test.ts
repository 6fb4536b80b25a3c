// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Role, roles } from '#/app/config/roles.ts'
import { readMigrations } from '#/base/db/migrate.ts'
import type { Db } from '#/base/db/schema.ts'
import { emptyDatabaseHome } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { startService } from '#test/world/service.ts'
import { accountFor, assertKept } from './accounts.ts'
import { Fleet } from './fleet.ts'
import { Load } from './load.ts'

// The embedded database has one process.
if (process.env.TEST_DATABASE_URL !== undefined) {
  test('one process of each role after the other is replaced: nothing is lost, and no request fails but where nobody listens', async () => {
    await using fleet = await Fleet.start()
    using load = Load.on(fleet)
    await Promise.all(roles.map((role) => replaceAll(fleet, role)))
    await load.stop()
    const account = await accountFor(fleet, load)
    assertKept(account)
    // No worker was cut off at the end of data, so nothing was sent twice.
    assert.deepEqual([account.mail.duplicated, account.sent.duplicated], [[], []])
    assert.deepEqual(
      [...load.programs.failures.keys()].filter((failure) => failure !== 'ECONNREFUSED'),
      [],
    )
    // "I am going", between two messages.
    assert.deepEqual(
      [...load.senders.refused.keys()].filter((reply) => reply !== '421 4.3.2'),
      [],
    )
    assert.deepEqual(fleet.complaints, [])
  })

  test('those of an older version go on while a newer one has migrated the database, and are refused only at a start', async () => {
    await using fleet = await Fleet.start({ numbers: { api: 1, mx: 1, worker: 1 } })
    using load = Load.on(fleet)
    await load.senders.see(60, 'acknowledged')
    await migrateFurther(fleet.db)
    await load.senders.see(60, 'acknowledged')
    await load.stop()
    assertKept(await accountFor(fleet, load))
    assert.deepEqual([load.programs.failures.size, load.senders.refused.size, fleet.complaints], [0, 0, []])
    await assert.rejects(
      startService(fleet.env),
      /has migration 999-newer\.sql, which this version of Mailroom does not know: it was made by a newer one/,
    )
  })

  test('four processes that start at once on an empty database migrate it once', async () => {
    await using home = await emptyDatabaseHome()
    const services = await Promise.all(
      ['api', 'mx', 'worker', 'api,mx,worker'].map((some) => startService(home.env, ['serve', '--roles', some])),
    )
    await using database = await home.open()
    const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name collate "C"`.execute(
      database.db,
    )
    assert.deepEqual(each(rows, 'name'), each(await readMigrations(), 'name'))
    for (const service of services) {
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
      assert.doesNotMatch(service.written(), /^\{"level":[456]0/m)
    }
  })
}

/** A migration as in a newer version: it only adds. */
async function migrateFurther(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`.execute(
    db,
  )
  for (const { name } of rows) await sql`alter table ${sql.table(name)} add column newer text`.execute(db)
  await sql`insert into schema_migrations (name, checksum) values ('999-newer.sql', '')`.execute(db)
}

/** Replaces one after the other. The new process runs before the old one stops. */
async function replaceAll(fleet: Fleet, role: Role): Promise<void> {
  for (const old of [...fleet.of(role)]) {
    await fleet.add(role)
    await fleet.stop(old)
  }
}
