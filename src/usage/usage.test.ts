import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from './usage.ts'

const usage = {
  plan: 'team',
  mailboxes: { used: 2, limit: 25 },
  domains: { used: 1, limit: 5 },
  storage: { used: 1_000, limit: 4_000 },
  sending: { used: 10, limit: 2_000 },
}

test('Usage shows what is used, the limit and what remains', () =>
  assert.deepEqual(present(usage), {
    plan: 'team',
    mailboxes: { used: 2, limit: 25, remaining: 23 },
    domains: { used: 1, limit: 5, remaining: 4 },
    storage: { used_bytes: 1_000, limit_bytes: 4_000, remaining_bytes: 3_000 },
    sending: { sent_today: 10, limit_per_day: 2_000, remaining_today: 1_990 },
  }))

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
