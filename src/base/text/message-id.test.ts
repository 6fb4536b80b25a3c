import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicId, readPublicId } from './message-id.ts'

for (const [id, text] of [
  [1, 'm1'],
  [35, 'mz'],
  [36, 'm10'],
  [Number.MAX_SAFE_INTEGER, 'm2gosa7pa2gv'],
] as const) {
  test(`the message with the number ${id} is called ${text}`, () => {
    assert.deepEqual([publicId(id), readPublicId(text)], [text, id])
  })
}

for (const text of ['', 'm', 'm0', 'm01', 'M1', 'mA', '1', 'm-1', 'm1 ', 'm2gosa7pa2gw', 'mzzzzzzzzzzzz']) {
  test(`no message is called ${JSON.stringify(text)}`, () => assert.equal(readPublicId(text), undefined))
}
