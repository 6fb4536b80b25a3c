// On a server: the embedded database has no channel that another process could use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '#test/world/database/database.ts'

test('whoever listens to a channel in a process shares one connection, until nobody does any more', async () => {
  await using database = await testDatabase()
  const { db, listen } = database
  assert(listen)
  const heard: string[] = []
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const all = Promise.withResolvers<void>()
  const hears = (number: 0 | 1) => (text?: string) => {
    if (text === undefined || text === '') return begun[number].resolve()
    heard.push(`${number} ${text}`)
    if (heard.length === 2) all.resolve()
  }
  const [one, other] = [listen('a_channel', hears(0)), listen('a_channel', hears(1))]
  await Promise.all(begun.map(({ promise }) => promise))
  const connections = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where query = 'listen a_channel' and datname = current_database()`.execute(db)
    return rows.length
  }
  assert.equal(await connections(), 1)
  await sql`select pg_notify('a_channel', 'hello')`.execute(db)
  await all.promise
  assert.deepEqual(heard, ['0 hello', '1 hello'])
  await one[Symbol.asyncDispose]()
  assert.equal(await connections(), 1)
  await other[Symbol.asyncDispose]()
})
