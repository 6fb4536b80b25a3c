// On both databases: a catalog of a server may be that of all its databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseHome, databaseOfFile } from './database.ts'
import { emptied, initialOf } from './reset.ts'

test('a database of which a test has changed rows is emptied, whatever other databases there are, and none whose schema it has changed', async () => {
  const { pool } = await databaseOfFile()
  const initial = await initialOf(pool)
  await using _other = await databaseHome()
  await pool.query("insert into plans values ('some', 1, 1, 1, 1)")
  assert.equal(await emptied(pool, initial), false, 'rows of migrations')
  await pool.query("delete from plans where name = 'some'")
  await pool.query("insert into organizations (name, plan) values ('some', 'free')")
  assert.equal(await emptied(pool, initial), true)
  assert.deepEqual((await pool.query('select from organizations')).rows, [])
  await pool.query('create table more ()')
  assert.equal(await emptied(pool, initial), false)
})
