import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { Rejection } from '#/smtp/protocol/reply.ts'
import { isReceipt, namedSenders } from './author.ts'

const read = (header: string) => readMessage(Buffer.from(`${header}\r\n\r\nHello\r\n`))

for (const [header, authors, sender] of [
  ['From: Ada <Ada@Example.COM>', 'ada@example.com'],
  ['From: "x@bank.test, Inc." <ada@example.com>', 'ada@example.com'],
  ['From: ada@b\xc3\xbccher.example', 'ada@xn--bcher-kva.example'],
  ['From: ceo@bank.test, ada@example.com', 'ceo@bank.test ada@example.com'],
  ['From: <ceo@bank.test><ada@example.com>', 'ceo@bank.test ada@example.com'],
  ['From: ceo@bank.test; ada@example.com', 'ceo@bank.test ada@example.com'],
  ['From: ceo@bank.test <ada@example.com>', 'ada@example.com ceo@bank.test'],
  ['From: "ceo@bank.test" <ada@example.com>', 'ada@example.com'],
  ['From: =?utf-8?q?=3Cceo=40bank.test=3E?= <ada@example.com>', 'ada@example.com ceo@bank.test'],
  ['From: ada@example.com\r\nSender: bot@x.test', 'ada@example.com', 'bot@x.test'],
] as [string, string, string?][])
  test(`read: ${JSON.stringify(header)}`, () => {
    const message = readMessage(Buffer.from(`${header}\r\n\r\n`, 'latin1'))
    const expected = authors.split(' ')
    assert.deepEqual(namedSenders(message), { authors: expected, all: [...expected, ...(sender ? [sender] : [])] })
  })

for (const header of [
  'Subject: nobody',
  'From:',
  'From: Ada',
  'From: ada@example.com, Bob',
  'From: undisclosed:;',
  'From: ada@example.com\r\nFrom: ada@example.com',
  'From: ada@example.com\r\nSender: a@x.test\r\nSender: b@x.test',
  'From: ada@example.com\r\nSender: ',
  `From: ${Array.from({ length: 51 }, (_, at) => `a${at}@x.test`).join(', ')}`,
])
  test(`refused: ${JSON.stringify(header.slice(0, 80))}`, () => {
    assert.throws(() => namedSenders(read(header)), Rejection)
  })

test('a read receipt is one by its Content-Type', () => {
  const type = (value: string) => isReceipt(read(`Content-Type: ${value}`))
  assert.equal(type('multipart/report; report-type=disposition-notification; boundary=x'), true)
  assert.equal(type('Multipart/Report;\r\n boundary=x;\r\n\treport-type="disposition-notification"'), true)
  assert.equal(type('multipart/report; report-type=delivery-status'), false)
  assert.equal(type('text/plain; x="multipart/report; report-type=disposition-notification"'), false)
})
