import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { draftId, draftMessageId, draftNamed, foreignKey, foreignUid, newKey } from './identity.ts'

const summary = { uid: 17, messageId: '<x@laptop.example>', receivedAt: new Date(1_000), sizeBytes: 100 }

test('an id names a mailbox and a key', () => {
  const name = { mailboxId: randomUUID(), key: newKey() }
  assert.match(draftId(name), /^[\w-]{43}$/)
  assert.deepEqual(draftNamed(draftId(name)), name)
})

for (const text of ['', 'x', `${'A'.repeat(42)}B`, 'A'.repeat(44), randomUUID(), 'é'.repeat(43)])
  test(`no draft has the id ${JSON.stringify(text)}`, () =>
    assert.throws(() => draftNamed(text), { code: 'not_found' }))

test('a message of another program has a key that names its uid, and that no other message has', () => {
  const key = foreignKey(summary)
  assert.equal(foreignUid(key), 17)
  for (const change of [{ uid: 18 }, { messageId: null }, { receivedAt: new Date(2_000) }, { sizeBytes: 101 }])
    assert.notEqual(foreignKey({ ...summary, ...change }), key)
})

test('a message that bears the Message-ID of a draft is one of another program', () => {
  const key = newKey()
  const messageId = draftMessageId(key, 'example.com')
  assert.deepEqual([foreignUid(foreignKey({ ...summary, messageId })), foreignUid(key)], [17, undefined])
})
