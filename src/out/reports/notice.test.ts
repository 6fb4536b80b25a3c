import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { readContent } from '#/formats/mime/body/content.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { readReport } from '#/formats/mime/report/delivery-report.ts'
import type { News } from '#/out/delivery/dependencies.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { notice } from './notice.ts'

const message: QueuedMessage = {
  ...{ id: '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55', organizationId: '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c56' },
  ...{ mailboxId: '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c57', kind: 'sent', sender: 'ada@example.com' },
  ...{ smtpUtf8: false, eightBit: false, sizeBytes: 100, concealed: false, state: 'queued' },
  ...{ queuedAt: new Date('2026-11-21T07:44:33Z'), sendAt: null, allowanceDue: 0, verdict: null },
}
const header = 'Subject: Hello\r\nTo: bob@example.net\r\n'
const parts = {
  ...{ hostname: 'mx.mailroom.test', to: 'ada@example.com', at: new Date('2026-11-21T08:00:00Z') },
  about: { header, references: ['<0@example.com>', '<1@example.com>'], subject: 'Hello' },
}
const outcome: Outcome = {
  ...{ recipient: 'bob@example.net', result: 'refused', reply: '550 5.1.1 No such address here', status: '5.1.1' },
  ...{ reason: 'Nobody there has that address', host: 'mx.example.net', ambiguous: false },
}

function written(kind: News['kind'], change: Partial<Outcome> = {}, attempts = 3): string {
  const about = [{ outcome: { ...outcome, ...change }, attempts, ambiguousAt: null }]
  return notice(message, { kind, about }, parts).toString()
}

test('it is a report that programs can read, and that no program answers', () => {
  const text = written('failed')
  assert.match(text, /^Content-Type: multipart\/report; report-type=delivery-status; boundary="/m)
  assert.match(text, /^Auto-Submitted: auto-replied\r$/m)
  const fields = [
    ...['Reporting-MTA: dns; mx.mailroom.test', 'Arrival-Date: Sat, 21 Nov 2026 07:44:33 +0000', ''],
    ...['Final-Recipient: rfc822; bob@example.net', 'Action: failed', 'Status: 5.1.1'],
    ...['Remote-MTA: dns; mx.example.net', 'Diagnostic-Code: smtp; 550 5.1.1 No such address here', ''],
  ]
  assert.ok(text.includes(`message/delivery-status\r\n\r\n${fields.join('\r\n')}`), text)
})

for (const [what, recipient, expected] of [
  ['beyond ASCII', 'zoë@bücher.example', 'utf-8; zo\\x{EB}@b\\x{FC}cher.example'],
  ['with a sign of its own encoding', 'zoë+a=b@example.net', 'utf-8; zo\\x{EB}\\x{2B}a\\x{3D}b@example.net'],
  ['beyond the first plane', '🙂@example.net', 'utf-8; \\x{1F642}@example.net'],
  ['of ASCII alone', 'ann+x@example.net', 'rfc822; ann+x@example.net'],
] as const)
  test(`it names an address ${what}, which programs read again`, () => {
    const text = written('failed', { recipient, reply: '550 5.1.1 Keine Zustellung für zoë' })
    assert.ok(text.includes(`\r\nFinal-Recipient: ${expected}\r\n`), text)
    assert.match(text, /^[\x00-\x7f]*$/)
    const report = readReport(readMessage(Buffer.from(text)))
    const [read] = report?.kind === 'delivery' ? report.recipients : []
    assert.ok(read?.names.includes(canonicalAddress(recipient) ?? ''), String(read?.names))
  })

test('it belongs to the conversation of the message that it is about', () => {
  const { strong, from } = readMessage(Buffer.from(written('failed')))
  assert.deepEqual([strong, from?.address], [['<0@example.com>', '<1@example.com>'], 'mailer-daemon@mx.mailroom.test'])
})

test('it shows the header of the message, and none of its body', () => {
  const { attachments } = readContent(Buffer.from(written('failed')))
  const shown = attachments.find(({ content_type }) => content_type === 'text/rfc822-headers')
  assert.equal(shown?.size_bytes, header.length)
})

test('it names recipients whose delivery is ambiguous', () => {
  const about = [{ outcome, attempts: 3, ambiguousAt: new Date('2026-11-21T07:50:00Z') }]
  const { text } = readContent(notice(message, { kind: 'failed', about }, parts))
  assert.match(text ?? '', /It may have arrived: .* to bob@example\.net, and no reply had come by 2026-11-21T07:50:00/)
  assert.doesNotMatch(readContent(Buffer.from(written('failed'))).text ?? '', /may have arrived/)
})

test('it says how often it was tried', () => {
  assert.match(written('failed', {}, 1), /Tried once\./)
  assert.match(written('failed', {}, 3), /Tried 3 times\./)
})

for (const [what, kind, status, expected] of [
  ['a failure after a last attempt that was deferred is permanent', 'failed', '4.7.1', '5.7.1'],
  ['a delay is temporary', 'delayed', '4.7.1', '4.7.1'],
  ['a status that is none says nothing', 'failed', 'nonsense', '5.0.0'],
] as const)
  test(what, () => assert.match(written(kind, { status }), new RegExp(`^Status: ${expected}\\r$`, 'm')))

test('whatever a peer says stays within its line', () => {
  const piece = fc.constantFrom('\r\n', '\n', '\r', '\0', '--', '\u2028', 'Action: delivered', ': ', 'ü', '\ud800')
  const hostile = fc.array(piece)
  fc.assert(
    fc.property(hostile, hostile, hostile, (reply, host, recipient) => {
      const change = { reply: reply.join(''), host: host.join(''), recipient: `${recipient.join('')}@x` }
      const text = written('failed', change)
      const parts = text.split(/^--=_.*$/gm)
      assert.equal(parts.length, 5)
      assert.equal(parts[2]?.match(/^Action: .*$/gm)?.join(), 'Action: failed')
    }),
  )
})
