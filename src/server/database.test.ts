import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { freePort } from '#test/sockets/free-port.ts'
import { openWhenThere } from './database.ts'

test('the start fails without a database, after one log line that it waits', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const url = `postgres://user:hunter2@127.0.0.1:${await freePort()}/mailroom`
  await assert.rejects(openWhenThere({ url }, log, 700), /ECONNREFUSED/)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /ECONNREFUSED.*the database does not answer; waiting for it/)
  assert.ok(!lines.join().includes('hunter2'))
})
