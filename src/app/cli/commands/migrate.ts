import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { command } from '../command.ts'
import { minute, table } from '../table.ts'

/** Every command applies migrations before it runs, so this one only lists them. */
export const migrateCommand = command({
  name: 'migrate',
  summary: 'Bring the database up to date, as serve does when it starts, and list its migrations',
  operands: [],
  options: {},
  run: async ({ database: { db } }) => {
    const data = await appliedMigrations(db)
    const rows = data.map(({ name, applied_at }) => [name, minute(applied_at)])
    return { value: { data }, text: table(['MIGRATION', 'APPLIED'], rows, 'None.') }
  },
})

async function appliedMigrations(db: Db): Promise<{ name: string; applied_at: Date }[]> {
  const { rows } = await sql<{ name: string; applied_at: Date }>`
    select name, applied_at from schema_migrations order by name collate "C"`.execute(db)
  return rows
}
