import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { directoryOfFile } from '#test/world/of-file.ts'
import { archive } from './archive.ts'

const run = promisify(execFile)
const scratch = directoryOfFile()

async function dataDirectory(): Promise<string> {
  const directory = mkdtempSync(join(scratch, 'data-'))
  for (const path of ['global', 'base/5', 'pg_wal']) await mkdir(join(directory, 'database', path), { recursive: true })
  for (const path of ['global/pg_control', 'global/1260', 'base/5/a\nb', 'pg_wal/2', 'pg_wal/1', 'PG_VERSION'])
    await writeFile(join(directory, 'database', path), path)
  for (const path of ['secret', 'lock', 'older.tar']) await writeFile(join(directory, path), path)
  return directory
}

const never = new AbortController().signal

test('the log comes last and in order, and what is not of the installation not at all', async () => {
  const directory = await dataDirectory()
  const file = join(directory, 'backup: of ours.tar')
  await archive(directory, file, never)
  const { stdout } = await run('tar', ['--list', '--force-local', '--file', file])
  const names = stdout.split('\n').filter((name) => name !== '' && !name.endsWith('/'))
  assert.deepEqual(names.slice(-2), ['database/pg_wal/1', 'database/pg_wal/2'])
  assert.deepEqual(names.slice(0, -2).sort(), [
    ...['database/PG_VERSION', 'database/base/5/a\\nb', 'database/global/1260', 'database/global/pg_control'],
    'secret',
  ])
})

test('what is broken off, or cannot be written, leaves no file', async () => {
  const directory = await dataDirectory()
  const left = ['lock', 'older.tar', 'secret']
  const reason = new Error('The database is being closed')
  await assert.rejects(archive(directory, join(directory, 'backup.tar'), AbortSignal.abort(reason)))
  assert.deepEqual(readdirSync(directory).sort(), ['database', ...left])
  await rm(join(directory, 'database'), { recursive: true })
  const halfway = archive(directory, join(directory, 'backup.tar'), never)
  await assert.rejects(halfway, /tar could not write .*database: Cannot stat/s)
  assert.deepEqual(readdirSync(directory).sort(), left)
})

test('what a backup that was killed has left is replaced', async () => {
  const directory = await dataDirectory()
  const file = join(directory, 'backup.tar')
  await writeFile(`${file}.new`, 'half of it')
  await archive(directory, file, never)
  assert.ok(!readdirSync(directory).includes('backup.tar.new'))
  await run('tar', ['--list', '--file', file])
})
