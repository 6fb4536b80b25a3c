import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '#/app/config/config.ts'
import { DirectoryInUse, lockDirectory } from '#/base/db/directory-lock.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { assertDatabaseExists } from './missing-database.ts'

const scratch = directoryOfFile()

const unnamed = (dataDir: string) => ({ ...readConfig({}), dataDir })

test('if no database is named, an existing one is used, and none is created', async () => {
  const dataDir = join(scratch, 'unnamed')
  await assert.rejects(assertDatabaseExists(unnamed(dataDir)), /neither DATABASE_URL nor MAILROOM_DATA_DIR is set/)
  assert.deepEqual(readdirSync(scratch), [])
  mkdirSync(join(dataDir, 'database'), { recursive: true })
  await assertDatabaseExists(unnamed(dataDir))
})

test('a named directory need not exist', () =>
  assertDatabaseExists(readConfig({ MAILROOM_DATA_DIR: join(scratch, 'named') })))

test('the command waits for a service that is creating its database', async () => {
  const dataDir = join(scratch, 'starting')
  const making = lockDirectory(dataDir)
  await assert.rejects(assertDatabaseExists(unnamed(dataDir)), DirectoryInUse)
  making[Symbol.dispose]()
  await assert.rejects(assertDatabaseExists(unnamed(dataDir)), /there is no database in/)
})
