import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { samples } from '#test/world/letters/reports/samples.ts'
import { headerFacts } from '../header/header-facts.ts'
import { ownIdField } from '../header/own-ids.ts'
import type { Message } from '../message.ts'
import { naming, readMessage } from '../read-message.ts'
import { noticeBytes } from './returned.ts'

function saidIn({ raw, headers }: Message): string {
  const said = headerFacts(raw, headers).undelivered
  return said ? `${said.about} ${said.recipients.map(({ names, status }) => `${names} ${status}`)}` : 'nothing'
}

test('a report of every server that sends one for programs names the message that it returns', () => {
  for (const { name, raw, says } of samples) {
    const message = readMessage(raw)
    const isReport =
      name.startsWith('mixed') ||
      /^content-type: multipart\/report;(?:\s*boundary=[^;]*;)?\s*report-type="?delivery-status/im.test(head(raw))
    assert.deepEqual(message.strong, isReport ? ['<plan-1@here.example>'] : [], name)
    const failed = isReport && says.includes(' failed ')
    const said = failed ? /^<plan-1@here\.example> .+ (?:[45]\.\d+\.\d+|null)/ : /^nothing$/
    assert.match(saidIn(message), said, name)
  }
})

function head(raw: Buffer): string {
  return raw.toString('latin1').split(/\r?\n\r?\n/)[0] ?? ''
}

/** A notice in its usual form. */
function notice({ fields = '', status = '', type = 'text/rfc822-headers', returned = '' }): Message {
  const parts = [
    'text/plain\r\n\r\nSorry.',
    `message/delivery-status\r\n\r\nReporting-MTA: dns; mx.x\r\n\r\n${status}`,
    `${type}\r\n\r\n${returned}`,
  ]
  const body = parts.map((part) => `--b\r\nContent-Type: ${part}\r\n`).join('')
  const content = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b'
  return readMessage(Buffer.from(`${fields}${content}\r\n\r\n${body}--b--\r\n`))
}
const failed = 'Final-Recipient: rfc822; bob@there.example\r\nAction: failed\r\nStatus: 5.1.1\r\n'

test('it names the whole chain, after what it names itself', () => {
  const returned = 'References: <1@x> <2>\r\nIn-Reply-To: <2@x>\r\nMessage-ID: <3@x>\r\n'
  const { messageId, strong, weak, threadRoot } = notice({ fields: 'Message-ID: <n@x>\r\n', returned })
  assert.deepEqual([messageId, threadRoot, strong, weak], ['<n@x>', '<1@x>', ['<1@x>', '<2@x>', '<3@x>'], ['<2>']])
  const own = notice({ fields: 'In-Reply-To: <3@x>\r\n', type: 'message/rfc822', returned: `${returned}\r\nText` })
  assert.deepEqual([own.threadRoot, own.strong], ['<3@x>', ['<3@x>', '<1@x>', '<2@x>']])
})

test('one about a message that a relay gave another id names ours', () => {
  const returned = 'Message-ID: <Given@relay.example>\r\n'
  const ids = [{ own: '<1@here.example>', given: '<given@relay.example>' }]
  const said = notice({ fields: ownIdField(ids), status: failed, returned })
  assert.deepEqual(said.strong, ['<1@here.example>', '<Given@relay.example>'])
  assert.match(saidIn(said), /^<1@here\.example> bob/)
  // A message that was read before the field was in front of it.
  assert.deepEqual(naming(notice({ status: failed, returned }), ids).strong, said.strong)
})

test('an id without an @ connects weakly', () => {
  const { strong, weak } = notice({ returned: 'Message-ID: <abc>\r\n' })
  assert.deepEqual([strong, weak], [[], ['<abc>']])
})

test('without a returned header it is about what it answers', () => {
  const answer = { fields: 'References: <1@x>\r\nIn-Reply-To: <2@x>\r\n', status: failed, type: 'text/plain' }
  assert.equal(saidIn(notice(answer)), '<2@x> bob@there.example 5.1.1')
  assert.equal(saidIn(notice({ ...answer, fields: '' })), 'nothing')
})

for (const [what, content] of [
  ['a message that carries another', 'multipart/mixed; boundary=b'],
  ['a report that a message was read', 'multipart/report; report-type=disposition-notification; boundary=b'],
  ['a complaint', 'multipart/report; report-type=feedback-report; boundary=b'],
  ['a notice without its parts', 'multipart/report; report-type=delivery-status'],
] as const)
  test(`${what} names only what its header does`, () => {
    const body = '--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <1@x>\r\n\r\n--b--\r\n'
    assert.deepEqual(readMessage(Buffer.from(`Content-Type: ${content}\r\n\r\n${body}`)).strong, [])
  })

test('what stands far behind is not read, as no mail host need fetch it', () => {
  const { strong } = notice({ status: 'x'.repeat(noticeBytes), returned: 'Message-ID: <1@x>\r\n' })
  assert.deepEqual(strong, [])
})

test('of a report with thousands of recipients so many are kept as can be stored with each message', () => {
  const status = Array.from({ length: 500 }, (_, at) => failed.replace('bob', `bob${at}`)).join('\r\n')
  const { raw, headers } = notice({ fields: 'In-Reply-To: <1@x>\r\n', status })
  assert.equal(headerFacts(raw, headers).undelivered?.recipients.length, 50)
})

test('whatever a report holds, it is read without failing, and what it says can be stored', () => {
  const piece = fc.constantFrom('\0', '\ud800', '\xff', '<', '>', '@', '\r\n', '\r\n\r\n', '--b\r\n', ';', '\\x{0}')
  const deep = 'Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n'.repeat(100)
  const cuts = fc.array(fc.tuple(fc.nat(), piece), { maxLength: 20 })
  fc.assert(
    fc.property(fc.constantFrom(...samples), cuts, ({ raw }, holes) => {
      const text = holes.reduce((left, [at, added]) => {
        const place = at % left.length
        return left.slice(0, place) + added + left.slice(place)
      }, raw.toString('latin1'))
      for (const bytes of [text, text + deep].map((one) => Buffer.from(one, 'latin1'))) {
        const message = readMessage(bytes)
        const said = JSON.stringify(headerFacts(bytes, message.headers).undelivered ?? null)
        assert.doesNotMatch(said, /\\u0000|\\ud[89a-f]/)
      }
    }),
    { numRuns: 500 },
  )
})
