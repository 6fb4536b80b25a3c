import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letter } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { readMessage } from '../read-message.ts'
import { isNonDeliveryReport } from './report.ts'
import { isAutomatic } from './report-fields.ts'

const isReport = (raw: string) => isNonDeliveryReport(readMessage(Buffer.from(raw)))
const daemon = { From: 'MAILER-DAEMON@far.example' }
const qmail = 'Hi. This is the qmail-send program at far.example.\nI’m afraid I wasn’t able to deliver your message.'
const disposition = 'message/disposition-notification'
const ann = { From: 'Ann <ann@far.example>', Subject: 'Look' }

for (const [what, raw] of [
  ['a report of failure', deliveryReport('failed')],
  ['a report of delay, however it is written', deliveryReport('Delayed')],
  ['a report about addresses in UTF-8', deliveryReport().replace('message/delivery', 'message/global-delivery')],
  ['a report behind a long text', deliveryReport().replace('Sorry.', 'Sorry.\r\n'.repeat(10_000))],
  ['a report of Exim’s', letter({ ...daemon, 'X-Failed-Recipients': 'ada@away.example' })],
  ['a report of qmail’s', letter(daemon, qmail)],
  ['one in HTML', letter({ ...daemon, 'Content-Type': 'text/html' }, qmail)],
  ['a report without an action that has a status', deliveryReport('')],
  ['a report of OpenSMTPD’s', deliveryReport().replace('multipart/report', 'multipart/mixed')],
  ['a report of WorkMail’s', deliveryReport().replace('message/delivery-status', 'text/plain')],
  ['a report whose time is over', deliveryReport('expired').replace(/Status: .*/, 'Status:')],
] as const)
  test(`${what} is a report of non-delivery`, () => assert.equal(isReport(raw), true))

for (const [what, raw] of [
  ['an ordinary message', letter()],
  ['an ordinary message from a daemon', letter(daemon)],
  ['what begins as qmail does and is from somebody', letter({}, qmail)],
  ['a report of delivery', deliveryReport('delivered')],
  ['a report of reading', deliveryReport('failed').replace('message/delivery-status', disposition)],
  ['a status within an ordinary message', deliveryReport('failed', ann).replace('multipart/report', 'multipart/mixed')],
  ['a report without its parts', letter({ 'Content-Type': 'multipart/report; boundary=b' }, 'Action: failed')],
] as const)
  test(`${what} is not a report of non-delivery`, () => assert.equal(isReport(raw), false))

for (const [value, automatic] of [
  [undefined, false],
  ['no', false],
  ['No; x=y', false],
  ['(comment) no', false],
  ['auto-replied', true],
  ['auto-generated; x=y', true],
  ['', true],
] as const)
  test(`Auto-Submitted: ${value}`, () => {
    const { headers } = readMessage(Buffer.from(letter({ 'Auto-Submitted': value })))
    assert.equal(isAutomatic(headers), automatic)
  })
