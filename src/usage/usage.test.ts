import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from './usage.ts'

test('What remains never goes below zero', () => {
  const over = { used: 30, limit: 3 }
  const { mailboxes, domains, storage, sending } = present({
    plan: 'free',
    mailboxes: over,
    domains: over,
    storage: over,
    sending: over,
  })
  assert.deepEqual(
    [mailboxes.remaining, domains.remaining, storage.remaining_bytes, sending.remaining_today],
    [0, 0, 0, 0],
  )
})
