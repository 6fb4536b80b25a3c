import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '#/base/errors.ts'
import type { SearchTree } from '#/mail/search-index/query.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { parseQuery, printQuery } from './query.ts'

for (const [query, printed] of [
  ['foo bar', '"foo" "bar"'],
  ['  "foo  bar" ', '"foo  bar"'],
  ['a b OR c d', '"a" "b" OR "c" "d"'],
  ['(a b) OR -c', '("a" "b") OR -"c"'],
  ['a AND (b c)', '"a" ("b" "c")'],
  ['from:(ann OR bob) subject:"the mill"', 'from:"ann" OR from:"bob" subject:"the mill"'],
  ['TO:ann cc:bob filename:plan', 'to:"ann" cc:"bob" filename:"plan"'],
  ['-(a OR b) --c', '-("a" OR "b") --"c"'],
  ['in:Spam in:anywhere in:"My Box/x"', 'in:"junk" in:anywhere in:"My Box/x"'],
  ['is:read is:unread is:starred has:attachment', '-is:unread is:unread is:starred has:attachment'],
  ['before:2026/1/2 after:2025-12-31', 'before:2026-01-02 after:2025-12-31'],
  ['older_than:2W newer_than:10d', 'older_than:2w newer_than:10d'],
  ['larger:10M smaller:2kb larger:5', 'larger:10485760 smaller:2048 larger:5'],
  ['message_id:a@b.example message_id:<a@b.example>', 'message_id:"<a@b.example>" message_id:"<a@b.example>"'],
  ['label:Invoices', 'label:"invoices"'],
  ['http://x.example/y 12:30 foo-bar or', '"http://x.example/y" "12:30" "foo-bar" "or"'],
  ['"from:ann"', '"from:ann"'],
] as const)
  test(`the query ${query} reads as ${printed}`, () => assert.equal(printQuery(parseQuery(query).tree), printed))

for (const [query, at, what] of [
  ['', 1, /missing/],
  ['a ()', 4, /missing/],
  ['a (b', 3, /not closed/],
  ['a) b', 2, /not open/],
  ['ü "b', 3, /not closed/],
  ['🙂x "b', 4, /not closed/],
  ['OR a', 1, /OR needs/],
  ['a OR', 5, /OR needs/],
  ['a OR OR b', 6, /OR needs/],
  ['a AND', 6, /AND needs/],
  ['a - b', 3, /right after it/],
  ['a &', 3, /no letter or digit/],
  ['form:ann', 1, /no form:/],
  ['a from: b', 8, /needs a value/],
  ['from:(is:read)', 7, /cannot stand/],
  ['has:wings', 5, /attachment/],
  ['is:late', 4, /unread, read, starred/],
  ['before:2026-02-30', 8, /a day/],
  ['newer_than:soon', 12, /7d/],
  ['larger:much', 8, /bytes/],
  ['in:a//b', 4, /path/],
  [`${'('.repeat(12)}a${')'.repeat(12)}`, 12, /deep/],
  ['a '.repeat(51), 101, /at most 50 terms/],
] as const)
  test(`the query ${JSON.stringify(query.slice(0, 30))} is refused at character ${at}`, () =>
    assert.throws(
      () => parseQuery(query),
      (error) => {
        assert.ok(error instanceof Refusal)
        assert.deepEqual([error.code, error.field], ['invalid_request', 'q'])
        assert.match(error.message, what)
        assert.match(error.message, new RegExp(`\\(character ${at} of q\\)$`))
        return true
      },
    ))

const piece = fc.constantFrom(
  ...['(', ')', '"', '-', ' OR ', ' AND ', ' ', 'from:', 'in:', 'is:', 'has:', 'before:', 'larger:', 'message_id:'],
  ...['a', 'é', '東京', 'unread', 'attachment', '2026-01-02', '10M', '7d', 'newer_than:', 'label:', ':', '/', '\0'],
  '🙂',
)
const anyQuery = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.array(piece, { maxLength: 30 }).map((all) => all.join('')),
)

test('any text is a query that reads as itself, or is refused', () => {
  fc.assert(
    fc.property(anyQuery, (text) => {
      let tree: SearchTree
      try {
        ;({ tree } = parseQuery(text))
      } catch (error) {
        assert.ok(error instanceof Refusal, String(error))
        return
      }
      const printed = printQuery(tree)
      // What is printed has quotation marks, which may be too long.
      if (printed.length <= 1_000) assert.deepEqual(parseQuery(printed).tree, tree)
    }),
    { numRuns: 3_000 },
  )
})

const word = fc.constantFrom('a', 'the mill', 'OR', '-x', 'from:ann', '(b)', '東京')
const { tree: anyTree } = fc.letrec<{ tree: SearchTree; few: SearchTree[] }>((tie) => ({
  few: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({
      kind: fc.constant('text' as const),
      field: fc.constantFrom('any', 'from', 'subject', 'filename'),
      text: word,
    }),
    fc.record({ kind: fc.constantFrom('attachment', 'unread', 'starred') }),
    fc.record({ kind: fc.constant('folder' as const), name: fc.constantFrom('inbox', 'A b', null) }),
    fc.record({
      kind: fc.constantFrom('older_than', 'newer_than'),
      amount: fc.nat(9_999),
      unit: fc.constantFrom('d', 'w', 'm', 'y'),
    }),
    fc.record({ kind: fc.constantFrom('larger', 'smaller'), bytes: fc.nat() }),
    fc.record({ kind: fc.constantFrom('all', 'either'), of: tie('few') }),
    fc.record({ kind: fc.constant('not' as const), of: tie('tree') }),
  ) as fc.Arbitrary<SearchTree>,
}))

test('what is printed of a query reads as the same', () =>
  fc.assert(
    fc.property(anyTree, (tree) => {
      const printed = printQuery(tree)
      fc.pre(printed.length <= 1_000 && printed.split(' ').length <= 50)
      assert.equal(JSON.stringify(sorted(parseQuery(printed).tree)), JSON.stringify(sorted(tree)))
    }),
    { numRuns: 500 },
  ))

/** The same with its keys in order, whatever made it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}
