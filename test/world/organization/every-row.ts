import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { TestOrganization } from './test-organization.ts'

/** What every request writes, and what is written later of what others have written. */
const elsewhere = ['api_keys', 'member_sessions', 'idempotency_keys', 'request_uses', 'event_log', 'events']

/** Asserts that nothing that an organization has is other after the requests than before. */
export async function assertUnchanged(organization: TestOrganization, asking: () => Promise<void>): Promise<void> {
  // What is on its way arrives before.
  await organization.world.outbound.processAll()
  const before = await everyRow(organization)
  await asking()
  const after = await everyRow(organization)
  assert.ok(before.size > 20)
  assert.deepEqual(
    [...before.keys()].filter((table) => before.get(table) !== after.get(table)),
    [],
  )
}

/** All rows by table, as text. A refusal for a missing scope is noted in the audit trail. */
async function everyRow({ id, world: { db } }: TestOrganization): Promise<Map<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where column_name = 'organization_id' and table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  const all = new Map<string, string>()
  for (const { name } of tables.filter((one) => !elsewhere.includes(one.name))) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(one)::text as row from ${sql.table(name)} one where organization_id = ${id} order by 1`.execute(
      db,
    )
    const kept = rows.filter(({ row }) => !row.includes('"action": "request.forbidden"'))
    all.set(name, kept.map(({ row }) => row).join('\n'))
  }
  return all
}
