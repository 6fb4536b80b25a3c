import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { mock, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openCluster } from '#/base/db/embedded/durable-file-system.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { directoryOfFile } from '#test/world/of-file.ts'

// On one database: the embedded one.

const parent = directoryOfFile()

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
}

async function closedDatabase(name: string): Promise<string> {
  const directory = join(parent, name)
  await (await testDatabase({ directory }))[Symbol.asyncDispose]()
  return directory
}

test('a commit is one fsync, and a read none', async () => {
  const directory = await closedDatabase('counted')
  const fsync = mock.method(fs, 'fsyncSync')
  await using engine = await openCluster(join(directory, 'database'))
  await engine.exec('create table numbers (n integer)')
  const before = fsync.mock.callCount()
  for (let n = 0; n < 20; n++) await engine.query('insert into numbers values ($1)', [n])
  assert.equal(fsync.mock.callCount() - before, 20)
  await engine.query('select * from numbers')
  assert.equal(fsync.mock.callCount() - before, 20)
  fsync.mock.restore()
})

test('kill -9 in a stream of commits loses none that was acknowledged', async () => {
  const directory = await closedDatabase('killed')
  for (const [round, killAfter] of [150, 3].entries()) {
    const args = [fixture('commit-on-and-on.ts'), directory, String(round)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const acknowledged: number[] = []
    for await (const line of createInterface(child.stdout)) {
      acknowledged.push(Number(line))
      if (acknowledged.length === killAfter) child.kill('SIGKILL')
    }
    await using database = await testDatabase({ directory })
    const text = 'select n from numbers where round = $1 order by n'
    const { rows } = await database.pool.query<{ n: number }>(text, [round])
    const stored = rows.map(({ n }) => n)
    assert.deepEqual(stored.slice(0, acknowledged.length), acknowledged)
    const besides = stored.length - acknowledged.length
    assert.ok(besides <= 1, `at most the one that was under way is there besides, not ${besides}`)
  }
})

test('when an fsync fails its commit is refused, and the database continues with all that it acknowledged', async () => {
  const directory = await closedDatabase('failing')
  const args = ['--import', fixture('fail-fsync-once.ts'), fixture('insert-over-a-failed-fsync.ts'), directory]
  const env = { ...process.env, FAIL_FSYNC_WHILE: join(parent, 'fail') }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  const said: { acknowledged: number[]; refused: string[]; stored: number[] } = JSON.parse(stdout)
  const { acknowledged, refused, stored } = said
  assert.match(refused[0] ?? '', /PANIC: {2}could not fsync/)
  assert.deepEqual(acknowledged.slice(0, 10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const lost = acknowledged.filter((n) => !stored.includes(n))
  const unexpected = stored.filter((n) => !acknowledged.includes(n) && n !== 10)
  assert.deepEqual({ lost, unexpected }, { lost: [], unexpected: [] })
})
