import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { testDatabase } from '#test/world/database/database.ts'
import { noteHostName } from './host-name.ts'

for (const [what, names, warned] of [
  ['the first process is told nothing', ['mx.one.example'], []],
  ['one with the same name is told nothing', ['mx.one.example', 'mx.one.example'], []],
  ['one with another name is told', ['mx.one.example', 'mx.two.example'], ['mx.one.example']],
  ['once, where all have it', ['mx.one.example', 'mx.two.example', 'mx.two.example'], ['mx.one.example']],
  ['and so is the next with the first', ['one.example', 'two.example', 'one.example'], ['one.example', 'two.example']],
] as const) {
  test(`of the host name that processes before it had: ${what}`, async () => {
    await using database = await testDatabase()
    await sql`insert into installation (secret_fingerprint) values ('x')`.execute(database.db)
    const lines: { before: string }[] = []
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
    for (const name of names) await noteHostName(database.db, name, log)
    assert.deepEqual(
      lines.map(({ before }) => before),
      warned,
    )
  })
}
