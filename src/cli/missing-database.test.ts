import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#/config/config.ts'
import { DirectoryInUse, lockDirectory } from '#/db/directory-lock.ts'
import { assertDatabaseExists } from './missing-database.ts'

const scratch = mkdtempSync(join(tmpdir(), 'mailroom-nothing-'))
after(() => rm(scratch, { recursive: true }))

const unnamed = (dataDir: string) => ({ ...readConfig({}), dataDir })

test('where nobody has named a database one that is there is taken, and none is made', async () => {
  const dataDir = join(scratch, 'unnamed')
  await assert.rejects(assertDatabaseExists(unnamed(dataDir)), /neither DATABASE_URL nor MAILROOM_DATA_DIR is set/)
  assert.deepEqual(readdirSync(scratch), [])
  mkdirSync(join(dataDir, 'database'), { recursive: true })
  await assertDatabaseExists(unnamed(dataDir))
})

test('a directory that somebody has named need not be there', async () => {
  await assertDatabaseExists(readConfig({ MAILROOM_DATA_DIR: join(scratch, 'named') }))
})

test('a service that is just making its database is waited for', async () => {
  const dataDir = join(scratch, 'starting')
  const making = lockDirectory(dataDir)
  await assert.rejects(assertDatabaseExists(unnamed(dataDir)), DirectoryInUse)
  making[Symbol.dispose]()
  await assert.rejects(assertDatabaseExists(unnamed(dataDir)), /there is no database in/)
})
