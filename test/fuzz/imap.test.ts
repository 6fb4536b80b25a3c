// On both databases: what mail programs make up reaches each driver.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzzImap } from './imap.ts'

test('whatever mail programs send, each command is answered, and the store stays in order', async () => {
  const answers = await fuzzImap(600, Number(process.env.TEST_SEED ?? 1))
  for (const status of ['OK', 'NO', 'BAD']) assert.ok((answers.get(status) ?? 0) > 20, status)
})
