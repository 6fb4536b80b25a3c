import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dovecot } from '../../../bench/dovecot.ts'

test('the bench "dovecot" measures', async () => {
  for (const { what, value } of await dovecot({ messages: 3_000, rounds: 1, looks: 1 })) {
    assert.ok(Number.isFinite(value) && value >= 0, what)
  }
})
