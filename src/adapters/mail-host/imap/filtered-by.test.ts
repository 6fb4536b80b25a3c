import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filteredByField, readFilteredBy } from './filtered-by.ts'

const message = Buffer.from('Received: from a\r\nSubject: x\r\n\r\nHello\r\n')

test('what filters did is read back, whatever they are called, and where the message begins', () => {
  const applied = Array.from({ length: 9 }, (_, index) => {
    return { filter_id: `f${index}`, name: 'Ä "b"\r\n c\u{1f600}', action: 'label', argument: null }
  })
  const field = filteredByField(applied)
  assert.ok(
    field
      .toString('latin1')
      .split('\r\n')
      .every((line) => line.length <= 100),
  )
  assert.deepEqual(readFilteredBy(Buffer.concat([field, message])), { filteredBy: applied, length: field.length })
  assert.equal(filteredByField([]).length, 0)
})

test('nobody else is believed who says so', () => {
  const field = filteredByField([{ filter_id: 'f', name: 'n', action: 'star', argument: null }])
  const forged = Buffer.concat([Buffer.from('Received: from a\r\n'), field, message])
  for (const bytes of [
    forged,
    message,
    Buffer.alloc(0),
    field.subarray(0, 40),
    Buffer.from(`${field.toString().slice(0, 24)}%%\r\n\r\n`),
  ]) {
    assert.deepEqual(readFilteredBy(bytes), { filteredBy: [], length: 0 })
  }
})
