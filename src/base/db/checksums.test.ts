import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readMigrations } from './migrate.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const list = 'src/base/db/migrations/landed.txt'

test('every migration has the statements with which it first landed', async () => {
  const migrations = await readMigrations()
  assert.equal(
    migrations.map(({ name, checksum }) => `${name} ${checksum}\n`).join(''),
    await readFile(join(root, list), 'utf8'),
    `Append the line of a new migration to ${list}. What a migration does that has landed must not change: add another one`,
  )
})

// A clone without history, or a copy without Git, has nothing to compare with.
test('lines are only ever added to the end of the list of migrations', async () => {
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
