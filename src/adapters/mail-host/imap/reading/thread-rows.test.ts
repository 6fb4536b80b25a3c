import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { authorAmong, parseAddresses } from '#/mime/address/address-list.ts'
import { readHeaders } from '#/mime/header/headers.ts'
import { threadIds } from '#/mime/header/references.ts'
import { idHashes, idHashKey } from '#/mime/id-hash.ts'
import { MessageReader } from '#/mime/reader.ts'
import { isNotice } from '#/mime/report/report-fields.ts'
import { ofFile } from '#test/of-file.ts'
import { threadHeaders } from '#test/threads/folders.ts'
import { readPlainHeader } from './plain-header.ts'
import { ThreadColumns } from './thread-columns.ts'
import { ThreadRowsReader } from './thread-rows.ts'

const key = idHashKey('any')
const reader = ofFile(new MessageReader())

const from = fc.constantFrom(
  '',
  'From: Ann <Ann@Example.test>\r\n',
  'FROM: "Doe, Ann" <ann@example.test>\r\n',
  'From:ann@example.test\r\n',
  'From:\r\n\t<ann@example.test> \r\n',
  'From: =?utf-8?q?=C3=84nn?= <ann@example.test>\r\n',
  'From: \xc3\x84nn <ann@example.test>\r\n',
  'From: "An\\"n" <ann@example.test>\r\n',
  'From: Ann (ann@other.test) <ann@example.test>\r\n',
  'From: ann@example.test (Ann)\r\n',
  'From: ann@example.test, bob@example.test\r\n',
  'From: a@b <ann@example.test>\r\n',
  'From: Ann Doe ann@example.test\r\n',
  'From: Ann\r\n',
  'From: Doe, Ann <ann@example.test>\r\n',
  'From: <>\r\n',
  'From: <@x:ann@example.test>\r\n',
  'From: ann@example.test>\r\n',
  'From: us: ann@example.test;\r\n',
  'From: Ann <ann@example.test>\r\nFrom: bob@example.test\r\n',
  'From: "ann@example.test"\r\n',
  'From: "Ann"<ann@example.test>\r\n',
  'From: Ann <ann @example.test>\r\n',
)

const contentType = fc.constantFrom(
  '',
  '',
  'Content-Type: text/plain; charset=utf-8\r\n',
  'content-type:multipart/mixed;\r\n\tboundary="<a@x>"\r\n',
  'Content-Type: text/plain; name="\xe9"\r\n',
  'Content-Type:\r\n',
  'Content-Type: text/html\r\nContent-Type: text/plain\r\n',
  'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n',
  'X-Mailroom-Own-ID: <1@here.example>\r\n\t<1@relay.example>\r\n',
  'Content-Type: Multipart/Report; report-type=disposition-notification; boundary=b\r\n',
)

/** What is put into a header somewhere, in place of some of its bytes. */
const broken = fc.record({
  at: fc.nat({ max: 200 }),
  removed: fc.nat({ max: 2 }),
  added: fc.constantFrom('', ' ', '\t', '\n', '\r', '\r\n', '\r\n ', ':', '<', '>', '@', '"', '\0', '\x80', 'A'),
})

test('threads get the same of a header, whether it is read by its bytes or with care', () => {
  const whole = fc
    .tuple(from, threadHeaders, contentType)
    .map((fields) => fieldsOf(fields.join('')))
    .chain((fields) => fc.shuffledSubarray(fields, { minLength: fields.length }))
    .map((fields) => `${fields.join('')}\r\n`)
  const header = fc
    .tuple(whole, fc.oneof(fc.constant([]), fc.array(broken, { maxLength: 3 })))
    .map(([text, breaks]) => {
      const broke = breaks.reduce(
        (left, { at, removed, added }) => left.slice(0, at) + added + left.slice(at + removed),
        text,
      )
      return Buffer.from(broke, 'latin1')
    })
  const property = fc.property(fc.array(header, { maxLength: 5 }), (headers) => {
    const rows = new ThreadRowsReader(key, reader)
    for (const [index, bytes] of headers.entries()) {
      rows.add(bytes, { uid: index + 1, seen: index === 1, receivedAt: index, start: 0, end: bytes.length })
    }
    assert.deepEqual(rows.rows(), expected(headers))
    const notices = headers.flatMap((bytes, index) => (isNotice(readHeaders(bytes).headers) ? [index + 1] : []))
    assert.deepEqual(rows.notices, notices)
    const returned = { messageId: '<r@x>', strong: ['<s@x>', '<t@x>'], weak: ['<w>'], root: null }
    for (const uid of notices) rows.addReturned(uid, returned)
    assert.deepEqual(rows.rows(), expected(headers, new Set(notices)))
  })
  fc.assert(property, { numRuns: 3_000 })
})

function fieldsOf(header: string): string[] {
  return header.split(/(?<=\r\n)(?=[^ \t])/)
}

/** As the mail host in the database has it. */
function expected(headers: readonly Buffer[], notices = new Set<number>()): ReturnType<ThreadRowsReader['rows']> {
  const read = headers.map((bytes, index) => {
    const { headers: fields } = readHeaders(bytes)
    const author = authorAmong(parseAddresses(fields.last('from') ?? ''))
    const { messageId, strong, weak } = threadIds(fields)
    return {
      sender: Buffer.from(author?.address.toLowerCase() ?? ''),
      id: messageId === null ? Buffer.alloc(8) : idHashes(key, [messageId]),
      strong: idHashes(key, notices.has(index + 1) ? [...strong, '<s@x>', '<t@x>', '<r@x>'] : strong),
      weak: idHashes(key, notices.has(index + 1) ? [...weak, '<w>'] : weak),
    }
  })
  const column = (name: 'sender' | 'strong' | 'weak' | 'id') => Buffer.concat(read.map((one) => one[name]))
  const lengths = (name: 'sender' | 'strong' | 'weak') => Uint32Array.from(read, (one) => one[name].length)
  return {
    uid: Uint32Array.from(read, (_, index) => index + 1),
    seen: Uint8Array.from(read, (_, index) => (index === 1 ? 1 : 0)),
    receivedAt: Float64Array.from(read, (_, index) => index),
    id: column('id'),
    sender: column('sender'),
    senderLength: lengths('sender'),
    strong: column('strong'),
    strongLength: lengths('strong'),
    weak: column('weak'),
    weakLength: lengths('weak'),
  }
}

for (const [what, text] of [
  [
    'a reply',
    'Message-ID: <c@x>\r\nReferences: <a@x>\r\n\t<b@x> <a@x>\r\nIn-Reply-To: <b@x>\r\nFrom: Ann <a@x.test>\r\n\r\n',
  ],
  ['a first message', 'from: "Doe, Ann" <a@x.test>\r\nMessage-Id:  <a.b-c+d@x>\r\n\r\n'],
  ['the type of its text', 'Content-Type: text/plain;\r\n charset=utf-8\r\nMessage-ID: <a@x>\r\n\r\n'],
  ['a folded id', 'Message-ID:\r\n <a@x>\r\n\r\n'],
] as const) {
  test(`what nearly all mailers write needs no care: ${what}`, () => {
    const columns = new ThreadColumns()
    columns.begin(1, false, 0)
    assert.ok(readPlainHeader(Buffer.from(text), 0, text.length, key, columns))
  })
}

test('a message may name 100,000 ids', async () => {
  const ids = Array.from({ length: 100_000 }, (_, index) => `<${index}@x>`)
  const bytes = Buffer.from(`References: ${ids.join('\r\n ')}\r\n\r\n`)
  const rows = new ThreadRowsReader(key, reader)
  await rows.add(bytes, { uid: 1, seen: false, receivedAt: 0, start: 0, end: bytes.length })
  assert.deepEqual(rows.rows().strong, idHashes(key, ids))
})
