// On both databases: a migration locks out others, and runs on each version of PostgreSQL.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { type Migration, migrate, readMigrations } from '#/base/db/migrate.ts'
import { emptyDatabase } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { ofFile } from '#test/world/of-file.ts'

const first: Migration = { name: '001-first.sql', sql: 'create table first (n integer)', checksum: 'a' }
const second: Migration = { name: '002-second.sql', sql: 'create table second (n integer)', checksum: 'b' }
const third: Migration = { name: '003-third.sql', sql: 'create table third (n integer)', checksum: 'c' }

const database = ofFile(await emptyDatabase())
afterEach(() => database.pool.query('drop schema public cascade; create schema public'))

async function applied(): Promise<string[]> {
  const text = 'select name from schema_migrations order by applied_at, name'
  return each((await database.pool.query<{ name: string }>(text)).rows, 'name')
}

test('the program’s own migrations apply, each once and in order', async () => {
  await migrate(database.pool)
  await migrate(database.pool)
  const names = (await readMigrations()).map(({ name }) => name)
  assert.deepEqual(await applied(), names)
  assert.deepEqual(names, names.toSorted())
})

test('processes that start together apply each migration once', async () => {
  await Promise.all(Array.from({ length: 8 }, () => migrate(database.pool, [first, second, third])))
  assert.deepEqual(await applied(), [first.name, second.name, third.name])
})

test('a migration that fails leaves nothing of itself, is named, and can be put right', async () => {
  const broken = { ...second, sql: 'create table second (n integer); select 1 / 0' }
  await assert.rejects(migrate(database.pool, [first, broken]), /002-second\.sql failed: division by zero/)
  assert.deepEqual(await applied(), [first.name])
  await migrate(database.pool, [first, second])
})

for (const [what, migrations, complaint] of [
  ['was changed after it was applied', [first, { ...second, checksum: 'other' }], /002-second\.sql was changed/],
  ['is of a newer program', [first], /has migration 002-second\.sql, which this version of Mailroom does not know/],
  ['was left out', [first, { ...third, name: '001-then.sql' }, second], /has migration 002-second.* not 001-then\.sql/],
] as const)
  test(`a database is left as it is when a migration ${what}`, async () => {
    await migrate(database.pool, [first, second])
    await assert.rejects(migrate(database.pool, [...migrations, third]), complaint)
    assert.deepEqual(await applied(), [first.name, second.name])
  })
