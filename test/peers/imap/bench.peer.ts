import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imap } from '../../../bench/imap.ts'

test('the bench "imap" measures', async () => {
  const sizes = { messages: 300, rounds: 1, appended: 5, octets: 300_000, synced: 20, idle: 20, arrivals: 3 }
  for (const { what, value } of await imap(sizes)) assert.ok(Number.isFinite(value), what)
})
