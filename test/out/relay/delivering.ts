import assert from 'node:assert/strict'
import type { Delivery } from '#/out/relay/relay.ts'
import { each } from '#test/world/each.ts'
import { testCertificate } from '#test/world/sockets/certificate.ts'
import type { Taken } from '#test/world/sockets/sink.ts'
import { at, letter, short, type TestIt, type TrialOptions } from './bench.ts'

const eightBit = 'Subject: x\r\n\r\nÄ\r\n'
const plainly = { parameters: '' }
const utf8 = 'SIZE=25 BODY=8BITMIME SMTPUTF8'
const rewritten = 'SRS0=HHH=TT=orig.example=bob..x.@us.example'

/** Accepted messages. */
export function delivers(testIt: TestIt): void {
  testIt('a message arrives as it was given', {}, async ({ deliver, sink, ends }) => {
    const text = 'Subject: Dots\r\n\r\n.\r\n..\r\n.one\r\nÄ\r\n\r\n.'
    const outcomes = await deliver(letter(text))
    assert.deepEqual(outcomes, [
      {
        recipient: 'ada@dest.test',
        result: 'delivered',
        reply: '250 2.0.0 Taken',
        status: '2.0.0',
        reason: 'mx.dest.test accepted the message',
        host: 'mx.dest.test',
        ambiguous: false,
      },
    ])
    assert.deepEqual(
      sink.taken.map(({ from, to, bytes }) => [from, to, bytes.toString()]),
      [['ann@us.example', ['ada@dest.test'], `${text}\r\n`]],
    )
    assert.deepEqual(ends, [['ada@dest.test']])
  })

  for (const [what, extensions] of [
    ['pipelined', ['PIPELINING']],
    ['one command at a time', []],
  ] as const)
    testIt(`several recipients get one message, ${what}`, { extensions }, async ({ deliver, sink, ends }) => {
      const recipients = Array.from({ length: 50 }, (_, n) => `r${n}@dest.test`)
      const outcomes = await deliver({ recipients })
      assert.deepEqual(
        each(outcomes, 'recipient', 'result'),
        recipients.map((recipient) => [recipient, 'delivered']),
      )
      assert.deepEqual(each(sink.taken, 'to'), [recipients])
      assert.deepEqual(ends, [recipients])
    })

  for (const [what, options, given, taken] of [
    [
      'a recipient that is named twice is named once to the server',
      ...[{}, { recipients: ['ada@dest.test', 'ada@dest.test'] }, { to: ['ada@dest.test'] }],
    ],
    ['the null sender stays null', {}, { sender: '' }, { from: '' }],
    ['an empty message arrives', {}, letter(''), { bytes: Buffer.of() }],
    ['a server that knows no EHLO is greeted with HELO', { act: at('ehlo', '502 What is that?') }, {}, plainly],
    ['8-bit mail is declared where that is possible', {}, letter(eightBit), { parameters: 'SIZE=18 BODY=8BITMIME' }],
    [
      '8-bit mail is sent unchanged where it cannot be declared',
      ...[{ extensions: [] }, letter(eightBit), { ...plainly, bytes: Buffer.from(eightBit) }],
    ],
    [
      'an internationalised recipient asks for SMTPUTF8',
      ...[{}, { recipients: ['jürgen@dest.test'] }, { to: ['jürgen@dest.test'], parameters: utf8 }],
    ],
    ['an internationalised message asks for SMTPUTF8', {}, { smtpUtf8: true }, { parameters: utf8 }],
    [
      'an internationalised domain is sent in its ASCII form',
      ...[{ extensions: [] }, { sender: 'ann@bücher.example' }, { from: 'ann@xn--bcher-kva.example' }],
    ],
    ['TLS is used where it is offered, whoever made the certificate', { tls: testCertificate }, {}, { tls: true }],
    [
      'if TLS is offered and fails, mail is sent without',
      ...[{ tls: testCertificate, act: at('starttls', '454 4.7.0 Not now') }, {}, { tls: false }],
    ],
    [
      'a quoted local part and a rewritten sender are addresses',
      ...[{}, { sender: rewritten, recipients: ['"a b"@dest.test'] }, { from: rewritten, to: ['"a b"@dest.test'] }],
    ],
  ] as readonly (readonly [string, TrialOptions, Partial<Delivery>, Partial<Taken>])[])
    testIt(what, options, async ({ deliver, sink }) => {
      assert.deepEqual(new Set(short(await deliver(given))), new Set(['delivered 2.0.0']))
      assert.deepEqual({ ...sink.taken[0], ...taken }, sink.taken[0])
      assert.equal(sink.taken.length, 1)
    })

  testIt('a large message arrives whole, whatever its pieces', {}, async ({ deliver, sink }) => {
    const octets = Buffer.from('A line that is not alone.\r\n.\r\n'.repeat(100_000))
    await deliver({
      ...letter(octets),
      async *content() {
        for (let at = 0; at < octets.length; at += 65_521) yield octets.subarray(at, at + 65_521)
      },
    })
    assert.ok(sink.taken[0]?.bytes.equals(octets))
  })

  testIt('without SMTPUTF8 it is refused', { extensions: ['8BITMIME'] }, async ({ deliver, sink, ends }) => {
    assert.deepEqual(short(await deliver({ smtpUtf8: true })), ['refused 5.6.7'])
    assert.deepEqual(short(await deliver({ sender: 'jürgen@us.example' })), ['refused 5.6.7'])
    assert.deepEqual(ends, [])
    assert.ok(!sink.lines.some((line) => line.startsWith('MAIL')))
  })

  testIt('what is too large is refused before it is sent', { extensions: ['SIZE 1000'] }, async ({ deliver, sink }) => {
    assert.deepEqual(short(await deliver({ size: 1001 })), ['refused 5.3.4'])
    assert.ok(!sink.lines.some((line) => line.startsWith('MAIL')))
    assert.deepEqual(short(await deliver({ size: 1000 })), ['delivered 2.0.0'])
    assert.equal(sink.taken[0]?.parameters, 'SIZE=1000')
  })

  for (const recipient of [
    ...['ada@dest.test>\r\nRCPT TO:<eve@dest.test', 'ada\r\nRSET\r\n@dest.test', 'ada@dest.test ORCPT=x'],
    ...['a b@dest.test', 'a>b@dest.test', 'ada\0@dest.test', '"a\r\nb"@dest.test', 'ada@de st.test', 'ada@'],
    ...['@dest.test', 'ada', ''],
  ])
    testIt(`${JSON.stringify(recipient)} is no recipient, and harms no other`, {}, async ({ deliver, sink }) => {
      const outcomes = await deliver({ recipients: ['ada@dest.test', recipient] })
      assert.deepEqual(short(outcomes), ['delivered 2.0.0', 'refused 5.1.3'])
      assert.deepEqual(sink.taken[0]?.to, ['ada@dest.test'])
    })

  testIt('what is no sender is refused before anybody is asked', {}, async ({ deliver, sink }) => {
    for (const sender of ['ann@us.example>\r\nRSET', 'ann', 'ann @us.example'])
      assert.deepEqual(short(await deliver({ sender })), ['refused 5.1.7'])
    assert.equal(sink.connections, 0)
  })
}
