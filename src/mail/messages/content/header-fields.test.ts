import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** The header of a message in a mailbox of its own. */
async function headersOf(bytes: Buffer | string) {
  const { organization, address, id } = await world.mailbox('ada')
  const filter = { filter_id: '0199f0a2-0000-7000-8000-000000000001', name: 'f', action: 'star', argument: null }
  const copy = {
    ...{ mailbox: { organizationId: organization.id, mailboxId: id }, folder: 'inbox', receivedAt: new Date() },
    ...{ message: readMessage(Buffer.from(bytes)), seen: false, flagged: false, keywords: [], filteredBy: [filter] },
  }
  await world.store([copy])
  return await organization.request('GET', `/v1/messages/1/headers?mailbox=${address}`)
}

test('GET /v1/messages/{uid}/headers gives each field as it is written, and decoded', async () => {
  const written =
    'Received: from a\r\n\tby b\r\nreceived: second\r\nSUBJECT:=?utf-8?q?Z=C3=BC?=\r\n =?utf-8?q?rich?= \r\n' +
    'X-Empty:\r\nno field\r\nTo : ada@x.test\r\nX-Control: a\x07b\r\n\r\nBody: no\r\n'
  const { status, body } = await headersOf(written)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    data: [
      { name: 'Received', raw: 'from a\r\n\tby b', value: 'from a by b' },
      { name: 'received', raw: 'second', value: 'second' },
      { name: 'SUBJECT', raw: '=?utf-8?q?Z=C3=BC?=\r\n =?utf-8?q?rich?=', value: 'Zürich' },
      { name: 'X-Empty', raw: '', value: '' },
      { name: 'To', raw: 'ada@x.test', value: 'ada@x.test' },
      { name: 'X-Control', raw: 'a\x07b', value: 'ab' },
    ],
    complete: true,
  })
})

test('octets that are not UTF-8 are one character each, and are decoded as far as they can be', async () => {
  const { body } = await headersOf(Buffer.from('Subject: Z\xfcrich\r\n\r\nx\r\n', 'latin1'))
  assert.deepEqual(body.data, [{ name: 'Subject', raw: 'Z\xfcrich', value: 'Zürich' }])
})

for (const [what, bytes, most] of [
  ['two thousand fields', `${'X: y\r\n'.repeat(2_000)}\r\nHello`, 1_000],
  ['a field of a megabyte', `Subject: x\r\nX: ${'y'.repeat(1 << 20)}\r\n\r\nHello`, 1],
  ['a field of a thousand folds, long', `Subject: x\r\nX: ${' y\r\n'.repeat(1 << 17)}\r\nHello`, 1],
] as const)
  test(`of a header with ${what} only the beginning is shown`, async () => {
    const { status, body } = await headersOf(bytes)
    assert.deepEqual([status, body.data.length, body.complete], [200, most, false])
  })

test('a header without a body is complete', async () => {
  const { body } = await headersOf('Subject: x\r\nX: y\r\n')
  assert.deepEqual([body.data.length, body.complete], [2, true])
})

test('a large message shows its whole header', async () => {
  const { body } = await headersOf(`Subject: x\r\n\r\n${'text\r\n'.repeat(1 << 19)}`)
  assert.deepEqual([body.data, body.complete], [[{ name: 'Subject', raw: 'x', value: 'x' }], true])
})
