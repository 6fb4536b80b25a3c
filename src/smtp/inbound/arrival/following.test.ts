import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieceBytes } from '#/base/event-loop/pieces.ts'
import type { Message } from '#/formats/mime/message.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { BounceAddresses } from '#/out/sent/bounce-address.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import { keyring } from '#test/world/installation.ts'
import { letter } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import type { Reception } from '../reception.ts'
import type { Destination } from '../recipients/destinations.ts'
import { digestOf, returnedFollowUps } from './following.ts'

const [named, nameless] = ['Message-ID: <1@x>\r\n\r\n', 'Subject: x\r\n\r\n'].map((text) => Buffer.from(text))
const digest = (id: string, bytes = named, { runs = 1, mark }: { runs?: number; mark?: Buffer } = {}) =>
  digestOf(
    { id } as Envelope,
    readMessage(bytes as Buffer) as Message,
    bytes as Buffer,
    Array.from({ length: runs }, (): Destination[] => []),
    mark,
  )

test('a message that names itself is known by its octets, however many', async () => {
  assert.deepEqual(await digest('a'), await digest('b'))
  const large = (end: string) => Buffer.concat([named as Buffer, Buffer.alloc(2 * pieceBytes, 'x'), Buffer.from(end)])
  assert.deepEqual(await digest('a', large('1')), await digest('b', large('1')))
  assert.notDeepEqual(await digest('a', large('1')), await digest('a', large('2')))
})

test('one that does not is another each time, unless it is stored in several runs', async () => {
  assert.notDeepEqual(await digest('a', nameless), await digest('b', nameless))
  assert.deepEqual(await digest('a', nameless, { runs: 2 }), await digest('b', nameless, { runs: 2 }))
})

test('a mark makes it another than the message that has the octets of the mark', async () => {
  const mark = named
  assert.ok(mark)
  assert.deepEqual(await digest('a', nameless, { mark }), await digest('b', named, { mark }))
  assert.notDeepEqual(await digest('a', nameless, { mark }), await digest('a', mark))
})

const bounceAddresses = new BounceAddresses(keyring)
const recipient = bounceAddresses.of({
  ...{ id: '0190a6f0-0000-7000-8000-000000000000', organizationId: 'o', sender: 'ada@here.example' },
})
const parts = [
  ...['--=_b', 'Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\n'],
  ...['--=_b', 'Content-Type: text/rfc822-headers\r\n\r\nSubject: Hello\r\n', '--=_b--\r\n'],
]
const feedback = 'multipart/report; report-type=feedback-report; boundary="=_b"'
const complaint = letter({ 'MIME-Version': '1.0', 'Content-Type': feedback }, parts.join('\r\n'))

for (const [what, text, disposition, result, believed] of [
  ['a notice', deliveryReport(), 'none', 'pass', true],
  ['a notice that its author’s domain disowns', deliveryReport(), 'quarantine', 'fail', false],
  ['a notice whose author is no address', deliveryReport(), 'quarantine', 'permerror', true],
  ['a complaint', complaint, 'none', 'pass', true],
  ['a complaint that its author’s domain disowns', complaint, 'quarantine', 'fail', false],
  ['a complaint whose author is no address', complaint, 'quarantine', 'permerror', false],
  ['a report of delivery', deliveryReport('delivered'), 'none', 'pass', false],
  ['any other message', letter(), 'none', 'pass', false],
] as const)
  test(`${what}, at a bounce address, ${believed ? 'is' : 'is not'} noted of what was sent`, () => {
    const arrived = {
      envelope: { recipients: [{ organizationId: 'o', recipient }] } as unknown as Envelope,
      message: readMessage(Buffer.from(text)),
      verdict: {
        spf: { result: 'none', domain: '', identity: 'mailfrom' },
        ...{ dkim: [], disposition },
        dmarc: { result, domain: 'away.example', policy: 'none', dkimAligned: false },
      },
    } as const
    const noted = returnedFollowUps({ bounceAddresses } as Reception, arrived)
    assert.equal(noted.length, believed ? 1 : 0)
  })
