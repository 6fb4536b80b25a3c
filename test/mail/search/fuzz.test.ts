import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoints } from '#/base/text/text.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const { organization, id: mailboxId } = await world.mailbox('ada')
const keyword = (await organization.request('POST', '/v1/labels', { name: 'Work' })).body.keyword
const mailbox = { organizationId: organization.id, mailboxId }
// What the index may take for a sign of its own, as words of messages.
const texts = [
  "o'x \\ :* & | ! <-> '' \\'",
  'a/ o/x m/ i/ cc/ann',
  '東京 ไทย 🙂 \u0301',
  "'; drop table labels; --",
  '',
]
const copies = texts.map((text, number) => ({
  ...{ mailbox, folder: 'inbox', receivedAt: new Date(number * 1_000), seen: false, flagged: false },
  ...{ keywords: [], filteredBy: [] },
  message: readMessage(Buffer.from(`Subject: ${text}\r\nCc: "${text}" <a@b.example>\r\n\r\n${text}`)),
}))
await world.store(copies)
await world.searchIndexer?.processAll()

const names = [
  ...['subject', 'from', 'to', 'cc', 'filename', 'label', 'in', 'has', 'is', 'before', 'after', 'older_than'],
  ...['newer_than', 'larger', 'smaller', 'message_id', 'form', 'constructor', '__proto__'],
]
const values = [
  ...['x', 'a', 'work', 'inbox', 'anywhere', 'Projects/Apollo', 'attachment', 'unread', 'starred', '2026-11-21'],
  ...['9999-12-31', '0001-01-01', '1970-01-01', '0d', '9999y', '9999999999G', '0', '-1', '<a@b.example>', '東', 'ไทย'],
  ...['\u0301', '🙂', "o'x", '\\', ':*', '&', '|', '!', '%', '_', '$1', "''", '/', 'x'.repeat(70), 'İ', 'ß', 'ﬁ', '½'],
]
const fitting = [
  ...['label:work', 'in:inbox', 'in:anywhere', 'in:"Projects/Apollo"', 'has:attachment', 'is:unread', 'is:starred'],
  ...['before:9999-12-31', 'after:1970-01-01', 'older_than:9999y', 'newer_than:0d', 'larger:9999999999G', 'smaller:0'],
  ...['message_id:<a@b.example>', `cc:"o'x"`, 'subject:a/', 'from:(a OR b)', 'filename:x.pdf', '(x -y)', '-(x OR -東)'],
]
const term = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...fitting) },
  { weight: 6, arbitrary: fc.constantFrom(...values) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...names), fc.constantFrom(...values))
      .map(([name, value]) => `${name}:${value}`),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((all) => `"${all.join(' ')}"`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
)
const sign = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom(' ', ' ', ' ', ' -') },
  { weight: 1, arbitrary: fc.constantFrom(' OR ', ' (', ') ', ' from:(', '-(', '', ' "', ' AND ') },
)
const query = fc
  .array(fc.tuple(sign, term), { minLength: 1, maxLength: 5 })
  .map((all) => all.flat().join('').slice(0, 1_000))

test('any query is answered, or refused with its place', async () => {
  const seen = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom(1, 25), async (given, limit) => {
      const q = given.replaceAll('work', keyword)
      const { status, body, bytes } = await organization.request(
        'GET',
        `/v1/search?${new URLSearchParams({ q, limit: `${limit}` })}`,
      )
      seen.set(status, (seen.get(status) ?? 0) + 1)
      if (status === 429) return world.advance(60_000)
      assert.ok(status === 200 || status === 400, `${JSON.stringify(q)}: ${bytes}`)
      if (status === 200) {
        assert.deepEqual([body.partial, body.indexing, body.data.length <= limit], [false, false, true], q)
        return
      }
      assert.deepEqual([body.error.code, body.error.field], ['invalid_request', 'q'], q)
      const [, at] = /\(character (\d+) of q\)$/.exec(body.error.message) ?? []
      // What is no line of text is refused before it is read as a query.
      if (at === undefined)
        assert.match(body.error.message, /empty|control|line|surrogate|character/i, body.error.message)
      else assert.ok(Number(at) >= 1 && Number(at) <= codePoints(q) + 1, `${JSON.stringify(q)}: ${body.error.message}`)
    }),
    { numRuns: 700 },
  )
  assert.ok((seen.get(200) ?? 0) > 100 && (seen.get(400) ?? 0) > 100, JSON.stringify([...seen]))
})
