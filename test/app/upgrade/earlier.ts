import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type pg from 'pg'
import { migrate, readMigrations } from '#/base/db/migrate.ts'
import type { Database } from '#/base/db/open.ts'
import { movableTables, quoted } from '#/base/db/transfer/catalogue.ts'
import { type Entry, entriesOf, type Header } from '#/base/db/transfer/file.ts'
import { RowStore } from '#/base/db/transfer/row-store.ts'
import { emptyDatabase } from '#test/world/database/database.ts'

/** A database as an earlier version left it: by the migrations that it had, under the checksums that it gave them, with the rows of
 *  an installation that it served. `file` was written by its `export`. */
export async function earlierDatabase(file: string): Promise<Database> {
  await using making = new AsyncDisposableStack()
  const database = making.use(await emptyDatabase())
  const entries = entriesOf(createReadStream(join(import.meta.dirname, file)).pipe(createGunzip()))
  const { value } = await entries.next()
  if (!value || !('header' in value)) throw new Error(`${file} has no header`)
  await migrateAsThen(database, value.header)
  const client = await database.pool.connect()
  try {
    await store(client, entries)
  } finally {
    client.release()
  }
  const made = making.move()
  return { ...database, [Symbol.asyncDispose]: () => made.disposeAsync() }
}

/** Past constraints and triggers: the rows have been through them. */
async function store(client: pg.ClientBase, entries: AsyncIterable<Entry>): Promise<void> {
  const tables = await movableTables(client)
  await client.query('set session_replication_role = replica')
  for (const { name } of tables) await client.query(`delete from ${quoted(name)}`)
  const rows = new RowStore(client, async () => {})
  for await (const entry of entries) {
    if ('row' in entry) await rows.add(entry.row)
    else await rows.flush()
    if ('table' in entry) {
      const table = tables.find(({ name }) => name === entry.table)
      if (!table) throw new Error(`The migrations of the earlier version make no table ${entry.table}`)
      rows.into(table)
    }
    if ('sequences' in entry)
      for (const [name, next] of entry.sequences)
        await client.query(`alter sequence ${quoted(name)} restart with ${BigInt(next)}`)
  }
  await client.query('reset session_replication_role')
}

async function migrateAsThen({ pool }: Database, { migrations }: Header): Promise<void> {
  const now = await readMigrations()
  const then = migrations.map(([name, checksum], at) => {
    const migration = now[at]
    if (migration?.name !== name) throw new Error(`Migration ${name} of the earlier version is gone`)
    return { ...migration, checksum }
  })
  await migrate(pool, then)
}
