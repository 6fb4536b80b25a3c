import assert from 'node:assert/strict'
import { on } from 'node:events'
import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mock, type TestContext, test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { serverLog } from './log.ts'

/** As many lines as are more than may wait. */
const many = 3_000
const line = { text: 'x'.repeat(1_000) }

const directory = directoryOfFile()

/** Something happens each time a log is written. */
function writes(t: TestContext) {
  const watcher = fs.watch(directory)
  t.after(() => watcher.close())
  return on(watcher, 'change')
}

test('while the log cannot be written lines wait and are dropped, and later a line says how many', async (t) => {
  const path = join(directory, 'full')
  const { log, droppedLines } = serverLog('info', path)
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const failed = Promise.withResolvers<void>()
  const { write: original } = fs
  const write = mock.method(fs, 'write', (...given: unknown[]) => {
    // The reporter of the tests writes to a file too.
    if (fs.fstatSync(given[0] as number).ino !== fs.statSync(path).ino) return Reflect.apply(original, fs, given)
    const done = given.at(-1) as (error: Error) => void
    setImmediate(() => done(full))
    failed.resolve()
  })
  for (let n = 0; n < many; n++) log.info(line)
  await failed.promise
  for (let n = 0; n < many; n++) log.info(line)
  assert.ok(droppedLines() > many)
  const written = writes(t)
  write.mock.restore()
  for await (const _ of written) {
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
    const missing = lines.find((one) => one.includes('lines are missing'))
    if (missing === undefined) continue
    assert.equal(JSON.parse(missing).lines, droppedLines())
    assert.equal(lines.length + droppedLines(), 2 * many + 1)
    break
  }
})

test('for journald each line begins with its priority', async (t) => {
  const path = join(directory, 'journal')
  const written = writes(t)
  const { log } = serverLog('debug', path, { journal: true })
  log.info('one')
  log.child({ of: 'another' }).warn('two')
  log.error('three')
  log.debug('four')
  for await (const _ of written) {
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
    if (lines.length < 4) continue
    const said = lines.map((line) => `${line.slice(0, 3)} ${JSON.parse(line.slice(3)).msg}`)
    assert.deepEqual(said, ['<6> one', '<4> two', '<3> three', '<7> four'])
    break
  }
})
