import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { letter } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { mayReturn } from './returning.ts'

for (const [what, text, expected] of [
  ['a report of non-delivery', deliveryReport(), true],
  ['one that says it was sent by a program', deliveryReport('failed', { 'Auto-Submitted': 'auto-replied' }), true],
  ['an automatic answer', letter({ 'Auto-Submitted': 'auto-replied' }), true],
  ['a report of delivery', deliveryReport('delivered'), false],
  ['a message that says it was sent by a person', letter({ 'Auto-Submitted': 'no' }), false],
  ['any other message', letter(), false],
] as const)
  test(`to the author of forwarded mail ${what} ${expected ? 'goes back' : 'does not go'}`, () =>
    assert.equal(mayReturn(readMessage(Buffer.from(text))), expected))
