import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Refusal } from '#/errors.ts'
import { draftId, draftMessageId, draftNamed, foreignUid, keyOf, newKey } from './identity.ts'

const domain = 'example.com'
const summary = { uid: 17, messageId: '<x@laptop.example>', receivedAt: new Date(1_000), sizeBytes: 100 }

test('an id names a mailbox and a key', () => {
  const name = { mailboxId: randomUUID(), key: newKey() }
  assert.match(draftId(name), /^[\w-]{43}$/)
  assert.deepEqual(draftNamed(draftId(name)), name)
})

for (const text of ['', 'x', `${'A'.repeat(42)}B`, 'A'.repeat(44), randomUUID(), 'é'.repeat(43)])
  test(`no draft has the id ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => draftNamed(text),
      (error) => error instanceof Refusal && error.code === 'not_found',
    )
  })

test('the Message-ID of a draft names its key, wherever its message lies', () => {
  const key = newKey()
  const messageId = draftMessageId(key, domain)
  assert.deepEqual([keyOf({ ...summary, messageId }, domain), foreignUid(key)], [key, undefined])
})

test('a message of another program has a key that names its uid, and that no other message has', () => {
  const key = keyOf(summary, domain)
  assert.equal(foreignUid(key), 17)
  for (const change of [{ uid: 18 }, { messageId: null }, { receivedAt: new Date(2_000) }, { sizeBytes: 101 }])
    assert.notEqual(keyOf({ ...summary, ...change }, domain), key)
  assert.equal(keyOf({ ...summary, messageId: draftMessageId(key, domain), uid: 30 }, domain), key)
})

test('the draft of another mailbox, copied here, is a message like any other', () => {
  const messageId = draftMessageId(newKey(), 'elsewhere.example')
  assert.equal(foreignUid(keyOf({ ...summary, messageId }, domain)), 17)
})
