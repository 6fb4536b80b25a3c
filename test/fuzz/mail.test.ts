// On both databases: what senders make up is stored, by each driver.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzzMail } from './mail.ts'

test('messages of all kinds, sound and broken, are stored and can be read, or are refused', async () => {
  const replies = await fuzzMail(60, Number(process.env.TEST_SEED ?? 1))
  assert.ok((replies.get('250 2.6.0') ?? 0) > 30, 'most are taken')
})
