import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import {
  astring,
  dateTime,
  flagList,
  mailboxName,
  nstring,
  rangesOf,
  sequenceSet,
  statusLine,
  string,
} from './format.ts'
import { Parser } from './parser.ts'

for (const [what, written, expected] of [
  ['a string', string('a "b" \\c'), '"a \\"b\\" \\\\c"'],
  ['a string with line breaks', string('a\r\n* BYE'), '{8}\r\na\r\n* BYE'],
  ['a string in UTF-8', string('Zoë'), '{4}\r\nZoë'],
  ['a string with NUL', string('a\0b'), '{2}\r\nab'],
  ['nothing', nstring(undefined), 'NIL'],
  ['an atom', astring('INBOX'), 'INBOX'],
  ['a string that reads as NIL', astring('nil'), '"nil"'],
  ['an empty string', astring(''), '""'],
  ['a mailbox', mailboxName('Entwürfe & mehr', false), '"Entw&APw-rfe &- mehr"'],
  ['a mailbox in UTF-8', mailboxName('Entwürfe & mehr', true), '"Entwürfe & mehr"'],
  ['a mailbox of an atom in UTF-8', mailboxName('Sent', true), 'Sent'],
  ['a mailbox with line breaks', mailboxName('a\r\nb', true), '{4}\r\na\r\nb'],
  ['flags', flagList(['\\Seen', 'work', 'a b', '\\*', 'x\r\n', '', 'ü', '\\']), '(\\Seen work \\*)'],
  ['a date', dateTime(new Date('2026-01-02T03:04:05.678Z')), '" 2-Jan-2026 03:04:05 +0000"'],
  ['a date that a client gave', dateTime(new Date('1996-07-17T02:44:25-07:00')), '"17-Jul-1996 09:44:25 +0000"'],
  [
    'a set',
    sequenceSet([
      { from: 1, to: 3 },
      { from: 7, to: 7 },
      { from: 9, to: Number.POSITIVE_INFINITY },
    ]),
    '1:3,7,9:*',
  ],
  ['uids', sequenceSet(rangesOf([1, 2, 3, 7, 9, 10])), '1:3,7,9:10'],
  ['a status', statusLine('a1', 'OK', 'Done', 'READ-WRITE'), 'a1 OK [READ-WRITE] Done\r\n'],
  ['a status without text', statusLine('*', 'BYE', ''), '* BYE Done\r\n'],
  ['a status with line breaks', statusLine('a1', 'NO', 'a\r\n* BYE ü', 'A]\r\nB'), 'a1 NO [AB] a?* BYE ?\r\n'],
  ['a status that looks like a code', statusLine('a1', 'OK', '[ALERT] x'), 'a1 OK (ALERT] x\r\n'],
] as const) {
  test(`a response has ${what}`, () => assert.equal(written, expected))
}

/** Reads what was written as a client sends it. */
function readBack(written: Buffer, read: (args: Parser) => string, usesUtf8: boolean): string {
  const [, size] = /^\{(\d+)\}\r\n/.exec(written.toString('latin1')) ?? []
  if (size === undefined) return whole(new Parser({ text: written.toString('latin1'), literals: [] }, usesUtf8), read)
  const bytes = written.subarray(written.indexOf('\n') + 1)
  assert.equal(bytes.length, Number(size))
  return whole(new Parser({ text: '\0', literals: [{ bytes, isBinary: false }] }, usesUtf8), read)
}

function whole(args: Parser, read: (args: Parser) => string): string {
  const value = read(args)
  args.end()
  return value
}

test('whatever a text or a name is, it reads as it was written, and as one value', () => {
  const text = fc.string({ unit: anyCharacter }).map((one) => one.replaceAll('\0', '').toWellFormed())
  fc.assert(
    fc.property(text, fc.boolean(), (one, usesUtf8) => {
      assert.equal(
        readBack(Buffer.from(string(one)), (args) => args.string(), usesUtf8),
        one,
      )
      assert.equal(
        readBack(Buffer.from(astring(one)), (args) => args.astring(), usesUtf8),
        one,
      )
      const name = one.normalize('NFC')
      if (/^inbox$/i.test(name)) return
      assert.equal(
        readBack(Buffer.from(mailboxName(name, usesUtf8)), (args) => args.mailbox(), usesUtf8),
        name,
      )
    }),
    { numRuns: 2_000 },
  )
})
