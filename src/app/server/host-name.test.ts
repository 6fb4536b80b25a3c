import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { testDatabase } from '#test/world/database/database.ts'
import { noteHostName } from './host-name.ts'

test('a process is told the host name of the one before, if it has another', async () => {
  await using database = await testDatabase()
  await sql`insert into installation (secret_fingerprint, id_hash_key) values ('x', 'x')`.execute(database.db)
  const told: string[] = []
  const log = pino({}, { write: (line) => void told.push(JSON.parse(line).before) })
  for (const [name, expected] of [
    ['one.example', []],
    ['one.example', []],
    ['two.example', ['one.example']],
    ['two.example', []],
    ['one.example', ['two.example']],
  ] as const) {
    await noteHostName(database.db, name, log)
    assert.deepEqual(told.splice(0), expected)
  }
})
