import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from './usage.ts'

test('What remains never goes below zero', () => {
  const over = { used: 30, limit: 3 }
  const all = { mailboxes: over, domains: over, storage: over, sending: over }
  const { mailboxes, domains, storage, sending } = present({ plan: 'free', ...all })
  assert.deepEqual([mailboxes.remaining, domains.remaining], [0, 0])
  assert.deepEqual([storage.remaining_bytes, sending.remaining_today], [0, 0])
})
