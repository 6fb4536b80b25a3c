import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DirectoryInUse, lockDirectory } from '#/base/db/directory-lock.ts'
import { directoryOfFile } from '#test/world/of-file.ts'

const parent = directoryOfFile()
const holder = fileURLToPath(new URL('./fixtures/hold-lock.ts', import.meta.url))

test('a missing data directory is made for its owner alone', async () => {
  const directory = join(parent, 'var', 'data')
  using _lock = lockDirectory(directory)
  assert.equal((await stat(directory)).mode & 0o777, 0o700)
})

test('what cannot be a data directory is named, with what to do', async () => {
  const file = join(parent, 'file')
  await writeFile(file, '')
  assert.throws(() => lockDirectory(file), /file is a file: set MAILROOM_DATA_DIR to a directory$/)
  assert.throws(() => lockDirectory(join(file, 'data')), /file\/data cannot be created \(ENOTDIR\)/)
  // A directory where the lock should be stands for one that may not be written to, which root may always.
  await mkdir(join(parent, 'closed', 'lock'), { recursive: true })
  assert.throws(() => lockDirectory(join(parent, 'closed')), /closed cannot be written to/)
})

test('a data directory has one holder at a time, also within a process', () => {
  const directory = join(parent, 'one')
  {
    using _lock = lockDirectory(directory)
    assert.throws(() => lockDirectory(directory), DirectoryInUse)
  }
  lockDirectory(directory)[Symbol.dispose]()
})

test('another process gets an error that names the directory in use, and the lock once the holder is killed', async (t) => {
  const directory = join(parent, 'two')
  const child = spawn(process.execPath, ['--expose-gc', holder, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  assert.throws(() => lockDirectory(directory), DirectoryInUse)
  assert.throws(() => lockDirectory(directory), new RegExp(directory))
  child.kill('SIGKILL')
  await once(child, 'exit')
  lockDirectory(directory)[Symbol.dispose]()
})

test('a data directory that cannot be made or locked is named', () =>
  assert.throws(() => lockDirectory('/dev/null/data'), /\/dev\/null\/data/))
