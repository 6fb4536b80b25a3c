import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Applied } from '#/ports/mail-host.ts'
import { filteredByField, readFilteredBy } from './filtered-by.ts'

const filter_id = '0199f0a2-0000-7000-8000-000000000001'
const message = Buffer.from('Received: from a\r\nSubject: x\r\n\r\nHello\r\n')

test('what filters did is read back, whatever they are called, and where the message begins', () => {
  const applied: Applied[] = Array.from({ length: 9 }, (_, index) => {
    return { filter_id, name: `Ä "b"\r\n c\u{1f600} ${index}`, action: 'label', argument: null }
  })
  const others: Applied[] = [
    { filter_id, name: 'n', action: 'move', argument: '..', error: 'No such folder' },
    { filter_id, name: 'n', action: 'star', argument: null, personal: true },
  ]
  applied.push(...others)
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
  const field = filteredByField([{ filter_id, name: 'n', action: 'star', argument: null }])
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

const usual = { filter_id, name: 'n', action: 'star', argument: null }
for (const [what, value] of [
  ['no list', {}],
  ['null', null],
  ['a list of nothing', []],
  ['a list of numbers', [1, 2]],
  ['a list of null', [null]],
  ['a filter without a name', [{ ...usual, name: undefined }]],
  ['an id that is none', [{ ...usual, filter_id: 'f' }]],
  ['an action that is a list', [{ ...usual, action: ['star'] }]],
  ['an argument that is a number', [{ ...usual, argument: 5 }]],
  ['an error that is an object', [{ ...usual, error: {} }]],
  ['personal, in words', [{ ...usual, personal: 'yes' }]],
  ['one that is right before one that is not', [usual, { filter_id }]],
] as const) {
  test(`a field of the right form is part of the message where it holds ${what}`, () => {
    const field = Buffer.from(`X-Mailroom-Filtered-By: ${Buffer.from(JSON.stringify(value)).toString('base64')}\r\n`)
    assert.deepEqual(readFilteredBy(Buffer.concat([field, message])), { filteredBy: [], length: 0 })
  })
}

test('whatever JSON the field holds, what is read of it is what filters did', () => {
  const some = fc.record(
    { filter_id: fc.constantFrom(filter_id, 'f'), name: fc.jsonValue(), action: fc.string(), argument: fc.jsonValue() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(some)), (value) => {
      const field = Buffer.from(`X-Mailroom-Filtered-By: ${Buffer.from(JSON.stringify(value)).toString('base64')}\r\n`)
      for (const one of readFilteredBy(Buffer.concat([field, message])).filteredBy) {
        assert.deepEqual([one.filter_id, typeof one.name, typeof one.action], [filter_id, 'string', 'string'])
        assert.ok(one.argument === null || typeof one.argument === 'string')
      }
    }),
  )
})
