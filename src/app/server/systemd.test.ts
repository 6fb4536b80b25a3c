import assert from 'node:assert/strict'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { leadsToJournal, notify, priority } from './systemd.ts'

test("journald's stream is recognized by its device and inode", () => {
  const fd = openSync(import.meta.filename, 'r')
  const { dev, ino } = fstatSync(fd)
  assert.equal(leadsToJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, fd), true)
  assert.equal(leadsToJournal({ JOURNAL_STREAM: `${dev}:${ino + 1}` }, fd), false)
  assert.equal(leadsToJournal({}, fd), false)
  closeSync(fd)
})

test('each level has a priority of journald', () => {
  assert.deepEqual([60, 50, 40, 30, 20, 10].map(priority), ['<2>', '<3>', '<4>', '<6>', '<7>', '<7>'])
})

test('without systemd nothing is sent, and a failure to send is reported', async () => {
  const said: string[] = []
  const hear = (why: string) => void said.push(why)
  await notify({ PATH: '/nowhere' }, 'READY=1', hear)
  assert.deepEqual(said, [])
  await notify({ PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere/notify' }, 'READY=1', hear)
  assert.equal(said.length, 1)
})
