import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodingOf } from './enqueue.ts'

for (const [what, message, smtpUtf8, eightBit] of [
  ['in ASCII needs no extension', { text: 'Hello', to: 'a@x' }, false, false],
  ['with other octets needs SMTPUTF8 and 8BITMIME', { text: 'Grüße', to: 'a@x' }, true, true],
  ['whose header is ASCII needs 8BITMIME alone', { text: 'Grüße', utf8Header: false, to: 'a@x' }, false, true],
  ['to an internationalised address needs SMTPUTF8', { text: 'Hello', to: 'jürg@x' }, true, false],
  ['that says so of its header needs SMTPUTF8', { text: 'Hello', utf8Header: true, to: 'a@x' }, true, false],
] as const)
  test(`a message ${what}`, () => {
    const { text, to, ...header } = message
    const encoding = encodingOf({ raw: Buffer.from(text), recipients: [{ recipient: to }], ...header })
    assert.deepEqual(encoding, { smtpUtf8, eightBit })
  })
