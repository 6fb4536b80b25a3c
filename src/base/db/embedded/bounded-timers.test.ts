import assert from 'node:assert/strict'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { testDatabase } from '#test/world/database/database.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { boundTimers } from './bounded-timers.ts'
import { openCluster } from './durable-file-system.ts'

// On one database: the embedded one.

const days = 86_400_000
const directory = directoryOfFile()

test('a clock that is set back by forty days does not make the alarms of the database overflow', async () => {
  await using cleaning = new AsyncDisposableStack()
  await (await testDatabase({ directory }))[Symbol.asyncDispose]()

  const { setTimeout } = globalThis
  cleaning.defer(async () => {
    globalThis.setTimeout = setTimeout
  })
  const far = Promise.withResolvers<number>()
  globalThis.setTimeout = ((callback: () => void, delay = 0) => {
    if (delay > days) far.resolve(delay)
    return setTimeout(callback, delay)
  }) as typeof setTimeout
  boundTimers()

  await using engine = await openCluster(join(directory, 'database'))
  await engine.exec("set idle_in_transaction_session_timeout = '100ms'")
  await engine.exec('begin')
  const now = Date.now
  const clock = mock.method(Date, 'now', () => now() - 40 * days)
  cleaning.defer(async () => clock.mock.restore())
  assert.ok((await far.promise) < 2 ** 31)
  clock.mock.restore()
})
