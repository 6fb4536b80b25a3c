import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from '#/search/query.ts'
import { searchKey } from './search-keys.ts'

const now = new Date('2026-11-23T12:00:00Z')

for (const [query, without, withWords = without] of [
  ['is:unread', 'UNSEEN'],
  ['is:read is:starred', 'SEEN FLAGGED'],
  ['-is:starred', 'UNFLAGGED'],
  ['-(is:unread is:starred)', 'OR (SEEN) (UNFLAGGED)'],
  ['-(is:unread OR is:starred)', 'SEEN UNFLAGGED'],
  ['is:unread OR is:starred OR label:work', 'OR (OR (UNSEEN) (FLAGGED)) (KEYWORD work)'],
  ['-label:work', 'UNKEYWORD work'],
  ['label:"a b"', null],
  ['-label:"a b"', 'ALL'],
  // A day earlier and later: servers count days in a time zone of theirs.
  ['after:2026-11-01 before:2026-11-20', 'SINCE 31-Oct-2026 BEFORE 22-Nov-2026'],
  ['-after:2026-11-01', 'BEFORE 3-Nov-2026'],
  ['newer_than:2d', 'SINCE 20-Nov-2026'],
  ['older_than:99y before:9999-12-31', 'ALL'],
  ['larger:10', 'LARGER 10'],
  ['larger:9999999999', 'LARGER 4294967295'],
  ['smaller:10', 'ALL'],
  ['-smaller:10', 'LARGER 9'],
  ['-smaller:0', 'ALL'],
  ['message_id:<a@b.example>', 'HEADER MESSAGE-ID "<a@b.example>"'],
  ['message_id:"a b"', 'ALL'],
  ['in:inbox is:unread', 'UNSEEN'],
  ['in:archive', null],
  ['-in:archive', 'ALL'],
  ['in:archive OR is:unread', 'UNSEEN'],
  ['in:anywhere', 'ALL'],
  ['has:attachment is:unread', 'UNSEEN'],
  ['engine', 'ALL', 'TEXT "engine"'],
  ['"The Engine" is:unread', 'UNSEEN', 'TEXT "the" TEXT "engine" UNSEEN'],
  ['engine OR is:unread', 'ALL', 'OR (TEXT "engine") (UNSEEN)'],
  ['-engine is:unread', 'UNSEEN'],
  ['subject:engine to:ann cc:bob', 'ALL', 'SUBJECT "engine" TO "ann" CC "bob"'],
  ['from:ann@books.example', 'ALL', ['ann', 'books', 'example'].map(fromKey).join(' ')],
  ['Café', 'ALL', 'OR (TEXT "cafe") (TEXT {café})'],
  ['Привет', 'ALL', 'TEXT {привет}'],
  // Too short or too long for an index, in no script with spaces, or in a name that may be encoded.
  ['a of', 'ALL'],
  ['x'.repeat(31), 'ALL'],
  ['東京 engine', 'ALL', 'TEXT "engine"'],
  ['filename:plan', 'ALL'],
] as const) {
  test(`of a server ${query} is asked as ${withWords}`, () => {
    const { tree } = parseQuery(query)
    for (const [words, expected] of [
      [false, without],
      [true, withWords],
    ] as const) {
      const key = searchKey(tree, { folder: 'inbox', now, words })
      const parts = key?.map((part) => (typeof part === 'string' ? part : `{${part}}`))
      assert.equal(parts?.join('') ?? null, expected)
    }
  })
}

function fromKey(word: string): string {
  return `OR (FROM "${word}") (HEADER SENDER "${word}")`
}
