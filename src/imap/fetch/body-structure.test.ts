import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Entity, readEntity } from '#/formats/mime/entity/entity.ts'
import { structureText } from './body-structure.ts'

const told = { isExtended: true, knowsGlobal: true }

function rawOf(text: string): Buffer {
  return Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1')
}

const mixed = 'Content-Type: multipart/mixed; boundary=b\n\n'
const ofMixed = '"mixed" ("boundary" "b") NIL NIL NIL)'
const none = 'NIL NIL NIL NIL'
/** A text without fields of its own, with its octets and lines. */
const plain = (octets: number, lines: number) =>
  `("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" ${octets} ${lines} ${none})`
const noEnvelope = `(${Array(10).fill('NIL').join(' ')})`
const titled = (subject: string) => `(NIL "${subject}" ${Array(8).fill('NIL').join(' ')})`

for (const [what, message, expected] of [
  ['no MIME', 'Subject: x\n\nHello\nyou', plain(10, 1)],
  ['no body', 'Subject: x\n', plain(0, 0)],
  ['an empty body', 'Subject: x\n\n', plain(0, 0)],
  [
    'every field',
    'Content-Type: TEXT/Html; Charset="UTF-8"; format=flowed\nContent-Transfer-Encoding: QUOTED-PRINTABLE\nContent-ID: <a@x.test>\n' +
      'Content-Description: an =?utf-8?q?=C3=B6?=\nContent-MD5: abc==\nContent-Disposition: inline; filename="a b.txt"\n' +
      'Content-Language: en, de\nContent-Location: http://x.test/\n y\n\n<p>\n',
    '("TEXT" "Html" ("charset" "UTF-8" "format" "flowed") "<a@x.test>" "an =?utf-8?q?=C3=B6?=" "QUOTED-PRINTABLE" 5 1 ' +
      '"abc==" ("inline" ("filename" "a b.txt")) ("en" "de") "http://x.test/ y")',
  ],
  [
    'two parts, and text before and after them',
    `${mixed}before\n--b\n\none\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA\nAAAA\n--b--\nafter`,
    `(${plain(3, 0)}("image" "png" NIL NIL NIL "base64" 10 ${none}) ${ofMixed}`,
  ],
  [
    'fields of a multipart',
    'Content-Type: Multipart/Mixed; boundary=b\nContent-Language: en\nContent-Location: x\nContent-Disposition: inline\n\n--b\n\na\n--b--',
    `(${plain(1, 0)} "Mixed" ("boundary" "b") ("inline" NIL) ("en") "x")`,
  ],
  [
    'parameters as they are written',
    "Content-Type: image/png; name*0*=utf-8''a%20; name*1=b\nContent-Disposition: attachment; filename*=utf-8''%C3%B6\n\n",
    `("image" "png" ("name*0*" "utf-8''a%20" "name*1" "b") NIL NIL "7bit" 0 NIL ("attachment" ("filename*" "utf-8''%C3%B6")) NIL NIL)`,
  ],
  [
    'quotes and octets in parameters',
    'Content-Type: image/png; name="a\\"b\\\\c"; x=J\xf6rg; y=\n\n',
    '("image" "png" ("name" "a\\"b\\\\c" "x" {4}\r\nJ\xf6rg "y" "") NIL NIL "7bit" 0 NIL NIL NIL NIL)',
  ],
  [
    'empty fields',
    'Content-Type: text/plain\nContent-ID:\nContent-Description:\nContent-Transfer-Encoding:\nContent-Language:\nContent-Disposition:\n\nx',
    '("text" "plain" ("charset" "us-ascii") "" "" "7bit" 1 0 NIL ("" NIL) NIL NIL)',
  ],
  [
    'an enclosed message',
    `${mixed}--b\nContent-Type: message/rfc822\n\nSubject: in\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\np\n--c\n\nq\n--c--\n\n--b--`,
    `(("message" "rfc822" NIL NIL NIL "7bit" 91 ${titled('in')} (${plain(1, 0)}${plain(1, 0)} "alternative" ("boundary" "c") NIL NIL NIL) 10 ${none}) ${ofMixed}`,
  ],
  [
    'a message as the whole body',
    'Content-Type: message/rfc822\n\nSubject: in\n\nbody\n',
    `("message" "rfc822" NIL NIL NIL "7bit" 21 ${titled('in')} ${plain(6, 1)} 3 ${none})`,
  ],
  [
    'an empty message',
    'Content-Type: message/rfc822\n\n',
    `("message" "rfc822" NIL NIL NIL "7bit" 0 ${noEnvelope} ${plain(0, 0)} 0 ${none})`,
  ],
  [
    'messages of a digest',
    'Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: in\n\nhey\n--b\nContent-Type: text/plain\n\nx\n--b--',
    `(("message" "rfc822" NIL NIL NIL "7bit" 18 ${titled('in')} ${plain(3, 0)} 2 ${none})${plain(1, 0)} "digest" ("boundary" "b") NIL NIL NIL)`,
  ],
  ['a multipart without a boundary, which is a text', 'Content-Type: multipart/mixed\n\nHello\n', plain(7, 1)],
  ['a multipart with an empty boundary', 'Content-Type: multipart/mixed; boundary=""\n\nHello\n', plain(7, 1)],
  ['a multipart without any delimiter', `${mixed}Hello\n`, plain(7, 1)],
  ['a multipart without a body', mixed, plain(0, 0)],
  ['a multipart of the last delimiter alone', `${mixed}--b--\n`, `(${plain(0, 0)} ${ofMixed}`],
  ['a part that does not end', `${mixed}--b\n\none\n`, `(${plain(5, 1)} ${ofMixed}`],
  ['a part of nothing', `${mixed}--b\n--b--`, `(${plain(0, 0)} ${ofMixed}`],
  [
    'an outer delimiter that ends inner parts',
    `${mixed}--b\nContent-Type: multipart/x; boundary=c\n\n--c\n\none\n--b\n\ntwo\n--b--`,
    `((${plain(3, 0)} "x" ("boundary" "c") NIL NIL NIL)${plain(3, 0)} ${ofMixed}`,
  ],
  [
    'two types, the last of which holds',
    'Content-Type: text/plain\nContent-Type: text/html\n\nx',
    '("text" "html" ("charset" "us-ascii") NIL NIL "7bit" 1 0 NIL NIL NIL NIL)',
  ],
  ['a type that is none', 'Content-Type: foo; a=b\n\nx', `("application" "octet-stream" NIL NIL NIL "7bit" 1 ${none})`],
  ['a type of white space', 'Content-Type: \n\nx', plain(1, 0)],
  [
    'comments',
    'Content-Type: text/plain (c); charset=a (d)\nContent-Transfer-Encoding: 8bit (c)\n\nx',
    '("text" "plain" ("charset" "a") NIL NIL "8bit" 1 0 NIL NIL NIL NIL)',
  ],
] as const) {
  test(`a body structure is told with ${what}`, () => {
    assert.equal(structureText(readEntity(rawOf(message)), told), expected)
  })
}

test('BODY has no extension data, and a message/global is a file for who does not know it', () => {
  const message = `Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/global\nContent-MD5: x\n\nSubject: in\n\nx\n--b--`
  assert.equal(
    structureText(readEntity(rawOf(message)), { isExtended: false, knowsGlobal: true }),
    `(("message" "global" NIL NIL NIL "7bit" 16 ${titled('in')} ("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 1 0) 2) "mixed")`,
  )
  assert.equal(
    structureText(readEntity(rawOf(message)), { isExtended: false, knowsGlobal: false }),
    '(("message" "global" NIL NIL NIL "7bit" 16) "mixed")',
  )
})

/** How many entities there are, and how deep. */
function extent(entity: Entity): { count: number; depth: number } {
  const inner = [...entity.parts, ...(entity.message ? [entity.message.root] : [])].map(extent)
  return {
    count: inner.reduce((sum, { count }) => sum + count, 1),
    depth: Math.max(0, ...inner.map(({ depth }) => depth)) + 1,
  }
}

for (const [what, message, most] of [
  ['messages in messages', 'Content-Type: message/rfc822\n\n'.repeat(5_000), { count: 40, depth: 40 }],
  [
    'multiparts in multiparts in messages',
    Array.from(
      { length: 400 },
      (_, n) => `Content-Type: multipart/x; boundary=b${n}\n\n--b${n}\nContent-Type: message/rfc822\n\n`,
    ).join(''),
    { count: 1_000, depth: 100 },
  ],
  [
    'more parts than anybody reads',
    `${mixed}${'--b\nContent-Type: message/rfc822\n\n--x\n'.repeat(5_000)}`,
    { count: 2_100, depth: 4 },
  ],
  ['parameters of megabytes', `Content-Type: image/png; ${'a=b; '.repeat(400_000)}\n\n`, { count: 1, depth: 1 }],
  [
    'fields of megabytes in each part',
    `${mixed}${`--b\nContent-Description: ${'x'.repeat(20_000)}\n\n`.repeat(100)}`,
    { count: 110, depth: 2 },
  ],
] as const) {
  test(`a body structure stays small with ${what}`, () => {
    const entity = readEntity(rawOf(message))
    const { count, depth } = extent(entity)
    assert.ok(count <= most.count && depth <= most.depth, `${count} entities, ${depth} deep`)
    assert.ok(JSON.stringify(entity).length < 1 << 20)
    assert.ok(structureText(entity, told).length < 1 << 20)
  })
}

test('headers and bodies of parts are slices of the message, in order and within what holds them', () => {
  const line = fc.constantFrom(
    ...['--b', '--b--', '--c', '--c--', '', 'Content-Type: multipart/mixed; boundary=b'],
    'Content-Type: multipart/digest; boundary=c',
    ...['Content-Type: message/rfc822', 'Content-Type: text/plain', 'Subject: x', ' folded', 'words'],
    'Content-Transfer-Encoding: base64',
  )
  const check = (entity: Entity, from: number, end: number) => {
    assert.ok(from <= entity.header && entity.header <= entity.start && entity.start <= entity.end && entity.end <= end)
    let at = entity.start
    for (const part of entity.parts) {
      check(part, at, entity.end)
      at = part.end
    }
    if (entity.message) check(entity.message.root, entity.start, entity.end)
  }
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const raw = rawOf(lines.join('\n'))
      check(readEntity(raw, true), 0, raw.length)
    }),
    { numRuns: 2_000 },
  )
})
