import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { takesLess } from '#test/observe/cpu-time.ts'
import { attachmentBytes, readContent } from './body/content.ts'
import { readMessage } from './message.ts'

test('a message is read once for everything that is kept of it', () => {
  const raw = Buffer.from(
    [
      'From: Ann <ann@a.example>, ben@b.example',
      'Sender: carl@c.example',
      'To: d@d.example',
      'To: e@e.example',
      'Cc: f@f.example',
      'Reply-To: g@g.example',
      'Subject: =?utf-8?q?Hello=2C?=',
      ' world',
      'Message-ID: <own@a.example>',
      'References: <root@x> <mid@x>',
      'In-Reply-To: <mid@x>',
      '',
      'Words.',
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
] as const) {
  test(`the author of From: ${from} is the first who has an address`, () => {
    assert.deepEqual(readMessage(Buffer.from(`From: ${from}\r\n\r\n`)).from, { name, address })
  })
}

test('a message of nothing is a message', () => {
  const { messageId, threadRoot, subject, from, preview, hasAttachment } = readMessage(Buffer.alloc(0))
  assert.deepEqual([messageId, threadRoot, subject, from, preview, hasAttachment], [null, null, '', null, '', false])
})

test('a byte-order mark in front of the header does not hide the author', () => {
  const bytes = Buffer.from('Received: by x\r\n\ufeffFrom: Ann <a@x.example>\r\nTo: b@x.example\r\n\r\nHi')
  assert.deepEqual(readMessage(bytes).from, { name: 'Ann', address: 'a@x.example' })
})

const MiB = 1024 * 1024
const fill = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes)
const mixed = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
const picture = `${mixed}--b\r\nContent-Type: image/png\r\nContent-ID: <1>\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n`
const nest = (level: number, boundary: string) =>
  `Content-Type: multipart/mixed; boundary=${boundary}${level}\r\n\r\n--${boundary}${level}\r\n`
const nested = (depth: number) => Array.from({ length: depth }, (_, level) => nest(level, 'b')).join('')
const names = [
  'From',
  'Sender',
  'To',
  'Cc',
  'Reply-To',
  'Subject',
  'References',
  'In-Reply-To',
  'Message-ID',
  'Content-Type',
]
const everywhere = (value: string) => names.map((name) => `${name}: ${value}\r\n`).join('')

/** Each of them made so that reading it naively takes seconds, or all there is of stack. */
const bombs: readonly (readonly [string, () => string])[] = [
  ['2,000 nested parts', () => nested(2_000)],
  ['20,000 parts', () => mixed + '--b\r\n\r\nx\r\n'.repeat(20_000)],
  ['25 MiB of boundaries', () => mixed + fill('--b\r\n', 25 * MiB)],
  ['25 MiB of what is nearly a boundary, 31 deep', () => nested(31) + fill('--bb\n', 25 * MiB)],
  ['25 MiB of dashes', () => mixed + fill('-', 25 * MiB)],
  ['25 MiB of lines that start with dashes', () => mixed + fill('--\n', 25 * MiB)],
  ['1,000 parts with 25 MiB of headers', () => mixed + fill(`--b\r\n${'A: 1\r\n'.repeat(4_200)}`, 25 * MiB)],
  ['25 MiB of one line', () => mixed + fill('x', 25 * MiB)],
  ['25 MiB of empty lines', () => mixed + fill('\n', 25 * MiB)],
  ['100,000 header fields', () => 'A: 1\r\n'.repeat(100_000)],
  ['25 MiB of header fields', () => fill('A:\n', 25 * MiB)],
  ['25 MiB of continuation lines', () => `A: 1\r\n${fill(' \n', 25 * MiB)}`],
  ['a header line of 10 MB', () => `Subject: ${fill('x', 10_000_000)}\r\n\r\nbody`],
  ['a subject of 8 MB of encoded words', () => `Subject: ${fill('=?utf-8?q?=C3=BC?= ', 8_000_000)}\r\n\r\n`],
  ['a subject of 8 MB of beginnings of encoded words', () => `Subject: ${fill('=?', 8_000_000)}\r\n\r\n`],
  ['50,000 addresses', () => everywhere(fill('ann@example.com, ', 850_000))],
  ['40 KB of groups in groups', () => everywhere(fill('a:', 40_000))],
  ['800 KB of encoded words without an end everywhere', () => everywhere(fill('=?a?q?b ', 800_000))],
  ['800 KB of encoded words that run into one another everywhere', () => everywhere(fill('=?a?q?=?', 800_000))],
  ['800 KB of question marks with escapes everywhere', () => everywhere(`=?a?q?${fill('?=AA', 800_000)}`)],
  ['8 MB of groups in groups', () => `To: ${fill('a:', 8_000_000)}\r\n\r\n`],
  ['800 KB of opening brackets everywhere', () => everywhere(fill('<', 800_000))],
  ['800 KB of opening parentheses everywhere', () => everywhere(fill('(', 800_000))],
  ['800 KB of quotes everywhere', () => everywhere(fill('"\\', 800_000))],
  ['800 KB of @ everywhere', () => everywhere(fill('@ ', 800_000))],
  ['800 KB of parameters', () => `Content-Type: multipart/mixed${fill('; a*1*=%41', 800_000)}\r\n\r\n`],
  ['800 KB of quotes in a parameter', () => `Content-Type: multipart/mixed; boundary="${fill('\\"', 800_000)}\r\n\r\n`],
  [
    '100,000 references',
    () => `References: ${Array.from({ length: 100_000 }, (_, place) => `<${place}@x.example>`).join('\r\n ')}\r\n\r\n`,
  ],
  ['8 MB of ids', () => `References: ${fill('<a@b>', 8_000_000)}\r\n\r\n`],
  ['8 MB of ids in 10,000 fields', () => `References: ${'<a@>'.repeat(200)}\r\n`.repeat(10_000)],
  ['25 MiB of text', () => `\r\n${fill('All work and no play. ', 25 * MiB)}`],
  ['25 MiB of quotation', () => `\r\n${fill('> \n', 25 * MiB)}`],
  ['25 MiB of attributions', () => `\r\n${fill('On\n:\n>\n', 25 * MiB)}`],
  ['25 MiB of open tags', () => `Content-Type: text/html\r\n\r\n${fill('<a ', 25 * MiB)}`],
  ['25 MiB of tags with open quotes', () => `Content-Type: text/html\r\n\r\n${fill('<a b="', 25 * MiB)}`],
  ['25 MiB of open comments', () => `Content-Type: text/html\r\n\r\n${fill('<!-- ', 25 * MiB)}`],
  ['25 MiB of ampersands', () => `Content-Type: text/html\r\n\r\n${fill('&#', 25 * MiB)}`],
  ['25 MiB of pictures in HTML', () => `${picture}${fill('<img src="cid:1">', 25 * MiB)}`],
  ['25 MiB of pictures without an end in HTML', () => `${picture}${fill("<img src='cid:1", 25 * MiB)}`],
  ['25 MiB of blockquotes', () => `Content-Type: text/html\r\n\r\n${fill('<blockquote>', 25 * MiB)}`],
  ['25 MiB of equals signs', () => `Content-Transfer-Encoding: quoted-printable\r\n\r\n${fill('=', 25 * MiB)}`],
  ['25 MiB of padding', () => `Content-Transfer-Encoding: base64\r\n\r\n${fill('A=', 25 * MiB)}`],
  ['25 MiB of lines in uuencode', () => `Content-Transfer-Encoding: x-uuencode\r\n\r\n${fill('_\n', 25 * MiB)}`],
  ['25 MiB of delimiters with text behind them', () => mixed + fill('--b x\n', 25 * MiB)],
  ['1,000 text parts of one character', () => mixed + '--b\r\n\r\nx\r\n'.repeat(998)],
]

for (const [what, make] of bombs) {
  test(`reading ${what} as it arrives holds the event loop for less than 100 ms`, async () => {
    const raw = Buffer.from(make(), 'latin1')
    assert.ok(await takesLess(100, () => readMessage(raw)))
  })
}

const corpus = new URL('../../test/corpus/', import.meta.url)
const seeds = readdirSync(corpus)
  .filter((name) => name.endsWith('.eml'))
  .map((name) => readFileSync(new URL(name, corpus)))

test('whatever is done to a message on its way, it is read without failing', () => {
  const bits = [
    '\r\n',
    '\n',
    '\r',
    '\0',
    '--',
    ' ',
    '\t',
    ':',
    ';',
    '=',
    '"',
    '<',
    '>',
    '(',
    '=?utf-8?q?',
    '?=',
    '\xff',
    'Content-Type: multipart/mixed; boundary=b\r\n',
  ]
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(40),
    put: fc.constantFrom('', ...bits),
  })
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

for (const [what, octets, subject, name, address] of [
  [
    'KOI8-R, single-octet',
    'Content-Type: text/plain; charset=koi8-r\r\nSubject: \xf0\xd2\xc9\r\nFrom: \xf0\xc5\xd4\xd2 <petr@x.example>',
    'При',
    'Петр',
    'petr@x.example',
  ],
  [
    'GBK, of two octets',
    'Content-Type: text/plain; charset=gb2312\r\nSubject: \xc4\xe3\xba\xc3\r\nFrom: \xc4\xe3 <a@x.example>',
    '你好',
    '你',
    'a@x.example',
  ],
  [
    'UTF-8 whatever the body is in',
    'Content-Type: text/plain; charset=koi8-r\r\nSubject: Gr\xc3\xbc\xc3\x9fe\r\nFrom: <a@x.example>',
    'Grüße',
    '',
    'a@x.example',
  ],
  [
    'ISO-2022-JP by its escape sequences',
    'Subject: \x1b$B$3$s\x1b(B\r\nFrom: \x1b$B$3$s\x1b(B <a@x.example>',
    'こん',
    'こん',
    'a@x.example',
  ],
  [
    'the charset of an encoded word where they are in one',
    'Content-Type: text/plain; charset=koi8-r\r\nSubject: =?iso-8859-1?q?Gr\xfc\xdfe?= \xf0\xd2\xc9\r\nFrom: =?iso-8859-1?Q?J\xf6rg?= <j@x.example>',
    'Grüße При',
    'Jörg',
    'j@x.example',
  ],
  [
    'windows-1252 where the body says nothing',
    'Subject: Gr\xfc\xdfe\r\nFrom: J\xf6rg <j@x.example>',
    'Grüße',
    'Jörg',
    'j@x.example',
  ],
  [
    'the charset of the first text of several parts',
    'Content-Type: multipart/mixed; boundary=b\r\nSubject: \xf0\xd2\r\nFrom: <a@x.example>\r\n\r\n--b\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\nx\r\n--b--',
    'Пр',
    '',
    'a@x.example',
  ],
] as const) {
  test(`octets above 127 in a header are read in ${what}`, () => {
    const message = readMessage(Buffer.from(octets.includes('\r\n\r\n') ? octets : `${octets}\r\n\r\nx`, 'latin1'))
    assert.deepEqual([message.subject, message.from?.name, message.from?.address], [subject, name, address])
  })
}

test('no charset hides the address of an author', () => {
  // In Shift_JIS 0x81 takes the @ into a character of its own.
  const raw = 'Content-Type: text/plain; charset=shift_jis\r\nFrom: ceo\x81@bank.example\r\n\r\nx'
  const { from } = readMessage(Buffer.from(raw, 'latin1'))
  assert.match(from?.address ?? '', /@bank\.example$/)
  for (const charset of ['utf-16le', 'utf-7', 'hz-gb-2312', 'iso-2022-jp', 'no-such']) {
    const other = readMessage(
      Buffer.from(`Content-Type: text/plain; charset=${charset}\r\nFrom: J\xf6rg <j@x.example>\r\n\r\nx`, 'latin1'),
    )
    assert.equal(other.from?.address, 'j@x.example', charset)
  }
})
