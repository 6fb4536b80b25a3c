import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { checksumsIn, readMigrations } from './migrate.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const list = 'src/base/db/migrations/checksums.txt'

test('every migration has the statements with which it first landed', async () => {
  const landed = await checksumsIn(join(root, list))
  const migrations = await readMigrations()
  assert.deepEqual(
    migrations.map(({ name, checksum }) => `${name} ${checksum}`),
    landed.map((line) => line.join(' ')),
    `Append the line of a new migration to ${list}. What a migration does that has landed must not change: add another one`,
  )
})

// A clone without history, or a copy without Git, has nothing to compare with.
test('lines are only ever added to the end of the list of checksums', async () => {
  if (!existsSync(join(root, '.git'))) return
  const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout
  const commits = (await git('log', '--reverse', '--format=%H', '--', list)).split('\n').filter((line) => line !== '')
  let before = ''
  for (const commit of commits) {
    const text = await git('show', `${commit}:${list}`)
    assert.ok(text.startsWith(before), `${commit} changed a line of ${list}`)
    before = text
  }
})
