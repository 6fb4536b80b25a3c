import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { repeatedGrowsTooFast } from '#test/world/observe/growth.ts'
import { attachmentBytes, readContent } from './body/content.ts'
import { readMessage } from './read-message.ts'

test('a message is read once for everything that is kept of it', () => {
  const raw = Buffer.from(
    [
      ...['From: Ann <ann@a.example>, ben@b.example', 'Sender: carl@c.example', 'To: d@d.example', 'To: e@e.example'],
      ...['Cc: f@f.example', 'Reply-To: g@g.example', 'Subject: =?utf-8?q?Hello=2C?=', ' world'],
      ...['Message-ID: <own@a.example>', 'References: <root@x> <mid@x>', 'In-Reply-To: <mid@x>', '', 'Words.'],
    ].join('\r\n'),
  )
  const { headers, ...message } = readMessage(raw)
  const bare = (address: string) => ({ name: '', address })
  assert.deepEqual(message, {
    raw,
    messageId: '<own@a.example>',
    threadRoot: '<root@x>',
    strong: ['<root@x>', '<mid@x>'],
    weak: [],
    subject: 'Hello, world',
    from: { name: 'Ann', address: 'ann@a.example' },
    sender: [{ name: 'Ann', address: 'ann@a.example' }, bare('ben@b.example'), bare('carl@c.example')],
    to: [bare('d@d.example'), bare('e@e.example')],
    cc: [bare('f@f.example')],
    replyTo: [bare('g@g.example')],
    hasAttachment: false,
    preview: 'Words.',
  })
  assert.equal(headers.count('to'), 2)
})

for (const [from, name, address] of [
  ['Lee, Ann <ann@a.example>', 'Ann', 'ann@a.example'],
  ['Lee, Ann, Dr. <ann@a.example>, Ben <ben@b.example>', 'Dr.', 'ann@a.example'],
  ['"The Team" ann: Lee;, <ann@a.example>', '', 'ann@a.example'],
  ['Lee\r\nFrom: Lee, Ben <ben@b.example>', 'Ben', 'ben@b.example'],
  ['Lee, Ann', 'Lee', ''],
] as const)
  test(`the author of From: ${from} is the first who has an address`, () =>
    assert.deepEqual(readMessage(Buffer.from(`From: ${from}\r\n\r\n`)).from, { name, address }))

test('a message of nothing is a message', () => {
  const { messageId, threadRoot, subject, from, preview, hasAttachment } = readMessage(Buffer.alloc(0))
  assert.deepEqual([messageId, threadRoot, subject, from, preview, hasAttachment], [null, null, '', null, '', false])
})

test('a byte-order mark in front of the header does not hide the author', () => {
  const bytes = Buffer.from('Received: by x\r\n\ufeffFrom: Ann <a@x.example>\r\nTo: b@x.example\r\n\r\nHi')
  assert.deepEqual(readMessage(bytes).from, { name: 'Ann', address: 'a@x.example' })
})

/** Of so many bytes each bomb would go off. */
const most = 6 * 1024 * 1024
const fill = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes)
const many = (count: number, one: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => one(at)).join('\r\n ')
const mixed = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
const html = 'Content-Type: text/html\r\n\r\n'
const picture = `${mixed}--b\r\nContent-Type: image/png\r\nContent-ID: <1>\r\n\r\n--b\r\n${html}`
const nest = (level: number) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`
const nested = (depth: number) => Array.from({ length: depth }, (_, level) => nest(level)).join('')
const names = 'From Sender To Cc Reply-To Subject References In-Reply-To Message-ID Content-Type'.split(' ')
const everywhere = (value: string) => names.map((name) => `${name}: ${value}\r\n`).join('')
const transferred = (encoding: string) => `Content-Transfer-Encoding: ${encoding}\r\n\r\n`

/** Each of them made so that reading it naively takes seconds, or all there is of stack. */
const bombs: readonly (readonly [what: string, bytes: number, make: (bytes: number) => string])[] = [
  ['nested parts', 100_000, (bytes) => nested(bytes / 50)],
  ['parts', 200_000, (bytes) => mixed + fill('--b\r\n\r\nx\r\n', bytes)],
  ['boundaries', most, (bytes) => mixed + fill('--b\r\n', bytes)],
  ['what is nearly a boundary, 31 deep', most, (bytes) => nested(31) + fill('--bb\n', bytes)],
  ['dashes', most, (bytes) => mixed + fill('-', bytes)],
  ['lines that start with dashes', most, (bytes) => mixed + fill('--\n', bytes)],
  ['parts with long headers', most, (bytes) => mixed + fill(`--b\r\n${'A: 1\r\n'.repeat(4_200)}`, bytes)],
  ['one line', most, (bytes) => mixed + fill('x', bytes)],
  ['empty lines', most, (bytes) => mixed + fill('\n', bytes)],
  ['header fields', 600_000, (bytes) => fill('A: 1\r\n', bytes)],
  ['header fields', most, (bytes) => fill('A:\n', bytes)],
  ['continuation lines', most, (bytes) => `A: 1\r\n${fill(' \n', bytes)}`],
  ['a header line', most, (bytes) => `Subject: ${fill('x', bytes)}\r\n\r\nbody`],
  ['a subject of encoded words', most, (bytes) => `Subject: ${fill('=?utf-8?q?=C3=BC?= ', bytes)}\r\n\r\n`],
  ['a subject of beginnings of encoded words', most, (bytes) => `Subject: ${fill('=?', bytes)}\r\n\r\n`],
  ['addresses', 850_000, (bytes) => everywhere(fill('ann@example.com, ', bytes))],
  ['groups in groups', 40_000, (bytes) => everywhere(fill('a:', bytes))],
  ['encoded words without an end everywhere', 800_000, (bytes) => everywhere(fill('=?a?q?b ', bytes))],
  ['encoded words that run into one another everywhere', 800_000, (bytes) => everywhere(fill('=?a?q?=?', bytes))],
  ['question marks with escapes everywhere', 800_000, (bytes) => everywhere(`=?a?q?${fill('?=AA', bytes)}`)],
  ['groups in groups', most, (bytes) => `To: ${fill('a:', bytes)}\r\n\r\n`],
  ['opening brackets everywhere', 800_000, (bytes) => everywhere(fill('<', bytes))],
  ['opening parentheses everywhere', 800_000, (bytes) => everywhere(fill('(', bytes))],
  ['quotes everywhere', 800_000, (bytes) => everywhere(fill('"\\', bytes))],
  ['@ everywhere', 800_000, (bytes) => everywhere(fill('@ ', bytes))],
  ['parameters', 800_000, (bytes) => `Content-Type: multipart/mixed${fill('; a*1*=%41', bytes)}\r\n\r\n`],
  [
    'quotes in parameters',
    800_000,
    (bytes) => `Content-Type: multipart/mixed; boundary="${fill('\\"', bytes)}\r\n\r\n`,
  ],
  ['references', 1_600_000, (bytes) => `References: ${many(bytes / 16, (at) => `<${at}@x.example>`)}\r\n\r\n`],
  ['ids', most, (bytes) => `References: ${fill('<a@b>', bytes)}\r\n\r\n`],
  ['ids in many fields', most, (bytes) => fill(`References: ${'<a@>'.repeat(200)}\r\n`, bytes)],
  ['text', most, (bytes) => `\r\n${fill('All work and no play. ', bytes)}`],
  ['quotation', most, (bytes) => `\r\n${fill('> \n', bytes)}`],
  ['attributions', most, (bytes) => `\r\n${fill('On\n:\n>\n', bytes)}`],
  ['open tags', most, (bytes) => html + fill('<a ', bytes)],
  ['tags with open quotes', most, (bytes) => html + fill('<a b="', bytes)],
  ['open comments', most, (bytes) => html + fill('<!-- ', bytes)],
  ['ampersands', most, (bytes) => html + fill('&#', bytes)],
  ['pictures in HTML', most, (bytes) => picture + fill('<img src="cid:1">', bytes)],
  ['pictures without an end in HTML', most, (bytes) => picture + fill("<img src='cid:1", bytes)],
  ['blockquotes', most, (bytes) => html + fill('<blockquote>', bytes)],
  ['equals signs', most, (bytes) => transferred('quoted-printable') + fill('=', bytes)],
  ['padding', most, (bytes) => transferred('base64') + fill('A=', bytes)],
  ['lines in uuencode', most, (bytes) => transferred('x-uuencode') + fill('_\n', bytes)],
  ['delimiters with text behind them', most, (bytes) => mixed + fill('--b x\n', bytes)],
]

for (const [what, bytes, make] of bombs)
  test(`the time for reading ${what} grows no faster than the message`, () =>
    assert.ok(!repeatedGrowsTooFast((text) => readMessage(Buffer.from(text, 'latin1')), bytes, make)))

const corpus = new URL('../../../test/world/corpus/', import.meta.url)
const seeds = readdirSync(corpus)
  .filter((name) => name.endsWith('.eml'))
  .map((name) => readFileSync(new URL(name, corpus)))

test('whatever is done to a message on its way, it is read without failing', () => {
  const bits = [
    ...['\r\n', '\n', '\r', '\0', '--', ' ', '\t', ':', ';', '=', '"', '<', '>', '(', '=?utf-8?q?', '?=', '\xff'],
    'Content-Type: multipart/mixed; boundary=b\r\n',
  ]
  const at = fc.double({ min: 0, max: 1, noNaN: true })
  const change = fc.record({ at, cut: fc.nat(40), put: fc.constantFrom('', ...bits) })
  fc.assert(
    fc.property(fc.constantFrom(...seeds), fc.array(change, { minLength: 1, maxLength: 8 }), (seed, changes) => {
      let text = seed.toString('latin1')
      for (const { at, cut, put } of changes) {
        const place = Math.floor(at * text.length)
        text = text.slice(0, place) + put + text.slice(place + cut)
      }
      const raw = Buffer.from(text, 'latin1')
      const message = readMessage(raw)
      const content = readContent(raw)
      for (const { id, size_bytes } of content.attachments)
        assert.equal(attachmentBytes(raw, id)?.bytes.length, size_bytes)
      const { raw: _, headers: __, ...kept } = message
      const said = JSON.stringify([kept, content])
      assert.ok(said.isWellFormed())
      assert.doesNotMatch(said, /\\u00(?:0|1|7f|8|9)|[\x7f-\x9f]/)
      assert.doesNotMatch(said, /\\ud[89a-f]/i)
    }),
    { numRuns: 2_000 },
  )
})

const said = (subject: string, from: string, charset?: string) =>
  `${charset === undefined ? '' : `Content-Type: text/plain; charset=${charset}\r\n`}Subject: ${subject}\r\nFrom: ${from}\r\n`
const parted = said('\xf0\xd2', '<a@x>').concat(
  mixed,
  '--b\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\nx\r\n--b--',
)
const escaped = '\x1b$B$3$s\x1b(B'
for (const [what, octets, subject, name] of [
  ['KOI8-R, single-octet', said('\xf0\xd2\xc9', '\xf0\xc5\xd4\xd2 <a@x>', 'koi8-r'), 'При', 'Петр'],
  ['GBK, of two octets', said('\xc4\xe3\xba\xc3', '\xc4\xe3 <a@x>', 'gb2312'), '你好', '你'],
  ['UTF-8 whatever the body is in', said('Gr\xc3\xbc\xc3\x9fe', '<a@x>', 'koi8-r'), 'Grüße', ''],
  ['ISO-2022-JP by its escape sequences', said(escaped, `${escaped} <a@x>`), 'こん', 'こん'],
  [
    'the charset of an encoded word where they are in one',
    said('=?iso-8859-1?q?Gr\xfc\xdfe?= \xf0\xd2\xc9', '=?iso-8859-1?Q?J\xf6rg?= <a@x>', 'koi8-r'),
    'Grüße При',
    'Jörg',
  ],
  ['windows-1252 where the body says nothing', said('Gr\xfc\xdfe', 'J\xf6rg <a@x>'), 'Grüße', 'Jörg'],
  ['the charset of the first text of several parts', parted, 'Пр', ''],
] as const)
  test(`octets above 127 in a header are read in ${what}`, () => {
    const { subject: read, from } = readMessage(Buffer.from(octets === parted ? octets : `${octets}\r\nx`, 'latin1'))
    assert.deepEqual([read, from?.name, from?.address], [subject, name, 'a@x'])
  })

test('no charset hides the address of an author', () => {
  // In Shift_JIS 0x81 takes the @ into a character of its own.
  const raw = 'Content-Type: text/plain; charset=shift_jis\r\nFrom: ceo\x81@bank.example\r\n\r\nx'
  const { from } = readMessage(Buffer.from(raw, 'latin1'))
  assert.match(from?.address ?? '', /@bank\.example$/)
  for (const charset of ['utf-16le', 'utf-7', 'hz-gb-2312', 'iso-2022-jp', 'no-such']) {
    const { from: other } = readMessage(Buffer.from(`${said('', 'J\xf6rg <j@x.example>', charset)}\r\nx`, 'latin1'))
    assert.equal(other?.address, 'j@x.example', charset)
  }
})
