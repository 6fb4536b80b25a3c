import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '#/app/config/config.ts'
import { openKeyring, retire, secretsFor } from '#/base/secrets/open.ts'
import { databaseOfFile, testDatabase } from '#test/world/database/database.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { secretFinding } from './secret.ts'

const scratch = directoryOfFile()
const first = 'the first secret of thirty-two characters'
const second = 'another secret of thirty-two characters'

const database = await databaseOfFile()

function look(env: Record<string, string>) {
  return secretFinding(readConfig({ MAILROOM_DATA_DIR: scratch, ...env }), database.db)
}

test('the secret in force in the database is ok, and so is any secret for an unused database', async () => {
  const { db } = database
  assert.equal((await look({ MAILROOM_SECRET: second })).state, 'ok')
  await openKeyring(db, [first])
  assert.equal((await look({ MAILROOM_SECRET: first })).state, 'ok')
})

test('another secret, or none, is a problem; no finding shows a secret', async () => {
  await openKeyring(database.db, [first])
  const wrong = await look({ MAILROOM_SECRET: second })
  assert.equal(wrong.state, 'problem')
  assert.equal(wrong.found, 'MAILROOM_SECRET does not have the secret that is in force for this database')
  assert.match(wrong.fix ?? '', /^Set MAILROOM_SECRET as for the other processes/)
  assert.equal((await look({})).state, 'problem')
  writeFileSync(join(scratch, 'secret'), `${second}\n`, { mode: 0o600 })
  const file = await look({})
  assert.deepEqual([file.state, file.found.startsWith(join(scratch, 'secret'))], ['problem', true])
  writeFileSync(join(scratch, 'secret'), `${first}\n`)
  assert.equal((await look({})).state, 'ok')
  assert.ok(!JSON.stringify([wrong, file]).includes(second))
})

test('a new secret that is not in force yet is a warning, and so is an unfinished change', async () => {
  const { db } = database
  const keyring = await openKeyring(db, [first])
  const both = { MAILROOM_SECRET: second, MAILROOM_SECRET_PREVIOUS: first }
  const early = await look(both)
  assert.deepEqual([early.state, early.found], ['warning', 'the new secret in MAILROOM_SECRET is not in force yet'])
  await db.transaction().execute((tx) => retire(tx, keyring, second))
  const halfway = await look(both)
  assert.deepEqual([halfway.state, halfway.found], ['warning', 'the change of the secret is not finished'])
})

test('no secret is generated for a database that has one', async () => {
  await using empty = await testDatabase()
  const config = readConfig({ MAILROOM_DATA_DIR: join(scratch, 'new') })
  const made = await secretsFor(empty.db, config)
  assert.equal((await openKeyring(empty.db, made)).inForce.text, made[0])
  const elsewhere = readConfig({ MAILROOM_DATA_DIR: join(scratch, 'elsewhere') })
  await assert.rejects(secretsFor(empty.db, elsewhere), /The secret of this database is missing: set MAILROOM_SECRET/)
  await assert.rejects(secretsFor(empty.db, elsewhere), /missing/, 'nor the second time')
})
