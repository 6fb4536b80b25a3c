import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readMessage } from '#/formats/mime/read-message.ts'
import { completeMessage } from './complete-message.ts'

const at = new Date('2026-11-22T12:00:00Z')
const taker = { hostname: 'mx.example', protocol: 'ESMTPSA', id: 'abc', at }
const trace = 'Received: by mx.example with ESMTPSA id abc;\r\n\tSun, 22 Nov 2026 12:00:00 +0000\r\n'

function made(text: string) {
  const { raw, secret, messageId } = completeMessage(readMessage(Buffer.from(text)), '<new@example.com>', taker)
  return { raw: Buffer.concat(raw).toString(), secret: Buffer.concat(secret).toString(), messageId }
}

const dated = 'Date: Sat, 21 Nov 2026 12:00:00 +0000\r\nMessage-ID: <1@example.com>\r\n'

test('a whole message stays as it came, behind a trace that names neither its author nor a place', () => {
  const text = `From: ada@example.com\r\n${dated}\r\nHello\r\n`
  assert.deepEqual(made(text), { raw: trace + text, secret: '', messageId: '<1@example.com>' })
})

test('Bcc is for Sent alone, folded and however often it stands there', () => {
  const others = 'bcc: y@example.com,\r\n z@example.com\r\n'
  const text = `From: ada@example.com\r\n${others}${dated}Resent-Bcc: w@example.com\r\n\r\nBcc: text\r\n`
  const { raw, secret } = made(`Bcc: x@example.com\r\n${text}`)
  assert.equal(raw, `${trace}From: ada@example.com\r\n${dated}\r\nBcc: text\r\n`)
  assert.equal(secret, `Bcc: x@example.com\r\n${others}Resent-Bcc: w@example.com\r\n`)
})

test('a Date and a Message-ID are added where they lack, and one that is none is replaced', () => {
  const added = 'Date: Sun, 22 Nov 2026 12:00:00 +0000\r\nMessage-ID: <new@example.com>\r\n'
  for (const field of ['', 'Message-ID:\r\n', 'Message-ID: <>\r\n'])
    assert.deepEqual(made(`From: ada@example.com\r\n${field}\r\nHello\r\n`), {
      raw: `${trace}${added}From: ada@example.com\r\n\r\nHello\r\n`,
      secret: '',
      messageId: '<new@example.com>',
    })
})

test('a header that ends with the message ends there', () => {
  const header = `From: ada@example.com\r\n${dated}`
  assert.equal(made(`${header}Bcc: x@example.com`).raw, trace + header)
})

test('whatever the fields, no recipient is shown a Bcc, and the body is as it was', () => {
  const name = fc.constantFrom('From', 'Bcc', 'BCC', 'Resent-Bcc', 'X-Bcc', 'Subject', 'Return-Path', 'Date')
  const field = fc.tuple(name, fc.constantFrom('a@b.test', 'a@b.test,\r\n c@b.test', '', 'x\r\n\ty'))
  const text = fc.constantFrom('', 'Bcc: x\r\n', '\r\nText\r\n')
  fc.assert(
    fc.property(fc.array(field, { maxLength: 8 }), text, (fields, body) => {
      const header = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      const { raw } = made(`${header}\r\n${body}`)
      assert.ok(raw.endsWith(`\r\n\r\n${body}`))
      assert.doesNotMatch(raw.slice(0, raw.length - body.length), /^(resent-)?bcc:|^return-path:/im)
    }),
  )
})
