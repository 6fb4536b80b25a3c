import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { threadHeaders } from '#test/mail/threads/folders.ts'

/** A message as octets, one character each. */
export type Octets = string

const corpus = new URL('../world/corpus/', import.meta.url)
const seeds = readdirSync(corpus)
  .filter((name) => name.endsWith('.eml'))
  .sort()
  .map((name) => readFileSync(new URL(name, corpus), 'latin1'))

const bits = [
  ...['\r\n', '\n', '\r', '\0', '--', ' ', '\t', ':', ';', '=', '"', '<', '>', '(', '\r\n.\r\n', '\r\n\r\n', '\xff'],
  ...['=?utf-8?q?', '?=', 'Content-Type: multipart/mixed; boundary=b\r\n', 'Message-ID: <a@x>\r\n', '&#0;', '=3D'],
  '=\r\n',
]

/** A message of the corpus after some accidents on its way. */
export const mutated: fc.Arbitrary<Octets> = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(
      fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat(40), put: fc.constantFrom('', ...bits) }),
      { minLength: 1, maxLength: 8 },
    ),
  )
  .map(([seed, changes]) =>
    changes.reduce((text, { at, cut, put }) => {
      const place = Math.floor(at * text.length)
      return text.slice(0, place) + put + text.slice(place + cut)
    }, seed),
  )

const octet = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: octet, maxLength: 12 }),
  fc.constantFrom(
    ...['ann@x.example', 'Ann', '"A, B"', '<a@x>', '(x', 'a: b;', ',', '=?utf-8?B?w7w=?=', '=?x?Q?=00=0D=0A?=', '@'],
  ),
)
const words = fc
  .array(word, { maxLength: 6 })
  .chain((all) => fc.constantFrom(' ', '', ', ', '\r\n ', ' \r\n\t').map((gap) => all.join(gap)))

const field = fc
  .tuple(
    fc.constantFrom(
      ...['From', 'To', 'Cc', 'Sender', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'References', 'In-Reply-To'],
      ...['MIME-Version', 'Received', 'Return-Path', 'List-Id', 'DKIM-Signature', 'Authentication-Results', 'X', ' '],
      '',
    ),
    fc.constantFrom(': ', ':', ' : ', ':\r\n '),
    words,
  )
  .map((parts) => `${parts.join('')}\r\n`)

const boundary = fc.constantFrom('b', 'b b', 'b'.repeat(70), "=_'()+_,-./:=?", 'bb', '', '"', 'ü')
const type = fc.constantFrom(
  ...['text/plain', 'text/html', 'image/png', 'application/pdf', 'message/rfc822', 'text/calendar', 'x/y', 'TEXT', ''],
)
const parameter = fc.constantFrom(
  ...['; charset=utf-8', '; charset=iso-2022-jp', '; charset=utf-7', '; charset="no-such"'],
  '; format=flowed; delsp=yes',
  ...["; name*0*=utf-8''%C3%BC; name*1=b", '; name="../../x"', '; name="=?utf-8?q?=00?="', '; name=', ';;;', ''],
)
const encoding = fc.constantFrom('7bit', '8bit', 'base64', 'quoted-printable', 'x-uuencode', 'binary', '')
const disposition = fc.constantFrom('', 'attachment', 'inline', 'attachment; filename="a\\"b.txt"', 'x; filename*=x')
const text = fc.oneof(
  fc.string({ unit: octet, maxLength: 300 }),
  fc.lorem({ mode: 'sentences', maxCount: 8 }),
  fc.base64String({ maxLength: 400 }),
  fc.constantFrom(
    ...['<p>Hello <b>you</b><script>', '> quoted\r\n> more\r\nreply', 'On Monday Ann wrote:\r\n> x', '=3D=\r\n=C3'],
    '.',
  ),
)

const leaf = fc
  .tuple(type, parameter, encoding, disposition, text)
  .map(([kind, more, coded, shown, body]) =>
    [
      kind === '' ? '' : `Content-Type: ${kind}${more}\r\n`,
      coded === '' ? '' : `Content-Transfer-Encoding: ${coded}\r\n`,
      shown === '' ? '' : `Content-Disposition: ${shown}\r\nContent-ID: <c@x>\r\n`,
      `\r\n${body}\r\n`,
    ].join(''),
  )

/** A part, or parts of parts: closed, left open, or under another boundary than was said. */
const part: fc.Memo<Octets> = fc.memo((depth) =>
  depth <= 1
    ? leaf
    : fc.oneof(
        leaf,
        fc
          .record({
            subtype: fc.constantFrom('mixed', 'alternative', 'related', 'signed', 'digest', 'x'),
            said: boundary,
            other: fc.option(boundary, { freq: 8 }),
            inner: fc.array(part(depth - 1), { maxLength: 4 }),
            end: fc.constantFrom('--\r\n', '--\r\nepilogue\r\n', '', '\r\n'),
          })
          .map(({ subtype, said, other, inner, end }) => {
            const line = `--${other ?? said}`
            const head = `Content-Type: multipart/${subtype}; boundary="${said}"\r\n\r\n`
            return `${head}${inner.map((one) => `${line}\r\n${one}`).join('')}${line}${end}`
          }),
      ),
)

const made: fc.Arbitrary<Octets> = fc
  .tuple(fc.array(field, { maxLength: 8 }), threadHeaders, part(4))
  .map(([fields, threading, rest]) => Buffer.from(threading).toString('latin1') + fields.join('') + rest)

const mixed = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
const nest = (level: number) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`
const many = (count: number, one: (place: number) => string) =>
  Array.from({ length: count }, (_, place) => one(place)).join('')

/** Little to send and much to do, so many times over. */
const bombs: Readonly<Record<string, (count: number) => Octets>> = {
  'parts in parts': (count) => many(count, nest),
  'messages in messages': (count) => 'Content-Type: message/rfc822\r\n\r\n'.repeat(count),
  parts: (count) => mixed + '--b\r\n\r\nx\r\n'.repeat(count),
  boundaries: (count) => mixed + '--b\r\n'.repeat(count),
  'nearly boundaries': (count) => many(31, nest) + '--bb\r\n'.repeat(count),
  fields: (count) => many(count, (place) => `A${place}: 1\r\n`),
  'lines of one field': (count) => `Subject: x\r\n${' \r\n'.repeat(count)}\r\n`,
  'one line': (count) => `Subject: ${'x'.repeat(100 * count)}\r\n\r\n`,
  addresses: (count) => `From: a@b.example\r\nTo: ${'ann@example.com, '.repeat(count)}\r\n\r\n`,
  'groups in groups': (count) => `From: ${'a:'.repeat(count)}\r\nTo: ${'a:'.repeat(count)}\r\n\r\n`,
  'brackets and parentheses': (count) => `From: ${'(<'.repeat(count)}\r\nReferences: ${'(<'.repeat(count)}\r\n\r\n`,
  'encoded words': (count) => `Subject: ${'=?utf-8?q?=C3=BC?= '.repeat(count)}\r\n\r\n`,
  parameters: (count) => `Content-Type: text/plain${'; a*1*=%41'.repeat(count)}\r\n\r\n`,
  references: (count) => `References: ${many(count, (place) => `<${place}@x.example>\r\n `)}\r\n\r\n`,
  tags: (count) => `Content-Type: text/html\r\n\r\n${'<blockquote a="'.repeat(count)}`,
  'character references': (count) => `Content-Type: text/html\r\n\r\n${'&#x110000;'.repeat(count)}`,
  'From fields': (count) => 'From: a@b.example\r\n'.repeat(count),
  hops: (count) => 'Received: from a by b; Thu, 1 Jan 1970 00:00:00 +0000\r\n'.repeat(count),
  signatures: (count) => 'DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=s; h=from; bh=x; b=x\r\n'.repeat(count),
}

const size = fc.oneof(
  { weight: 20, arbitrary: fc.nat(2_000) },
  { weight: 5, arbitrary: fc.nat(20_000) },
  { weight: 1, arbitrary: fc.nat(100_000) },
)
const bomb = fc.tuple(fc.constantFrom(...Object.keys(bombs)), size).map(([name, count]) => bombs[name]?.(count) ?? '')

/** Messages of all kinds; nine of ten at least with the line ends that SMTP takes. */
export const fuzzedMessages: fc.Arbitrary<Octets> = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: mutated }, { weight: 5, arbitrary: made }, { weight: 1, arbitrary: bomb }),
    fc.nat(9),
  )
  .map(([octets, care]) => (care === 0 ? octets : octets.replaceAll('\0', '').replace(/\r\n|\r|\n/g, '\r\n')))
