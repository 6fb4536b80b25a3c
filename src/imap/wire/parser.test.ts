import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Bad, No } from '../answers.ts'
import type { Octets } from './arguments.ts'
import { Parser } from './parser.ts'

type Read = (args: Parser) => unknown

const literals = (...texts: string[]): Octets[] => texts.map((text) => ({ bytes: Buffer.from(text), isBinary: false }))

/** `\0` in a text is the next literal. */
function parser(text: string, given: readonly Octets[] = [], usesUtf8 = false): Parser {
  return new Parser({ text: Buffer.from(text).toString('latin1'), literals: given }, usesUtf8)
}

const infinity = Number.POSITIVE_INFINITY
const atom: Read = (args) => args.atom()
const astring: Read = (args) => args.astring()
const string: Read = (args) => args.string()
const nstring: Read = (args) => args.nstring()
const mailbox: Read = (args) => args.mailbox()
const set: Read = (args) => args.sequenceSet()
const flag: Read = (args) => args.flag()
const dateTime: Read = (args) => args.dateTime().toISOString()
const number64: Read = (args) => args.number64()

for (const [what, text, read, expected, given = [], usesUtf8 = false] of [
  ['an atom', 'Some.Atom-1', atom, 'Some.Atom-1'],
  ['a word in upper case', 'uid', (args) => args.word(), 'UID'],
  ['an astring with ]', 'a]b', astring, 'a]b'],
  ['a quoted astring', '"a b (c) {5}"', astring, 'a b (c) {5}'],
  ['an empty string', '""', string, ''],
  ['escapes, also needless ones', '"a\\"b\\\\c\\d"', string, 'a"b\\cd'],
  ['UTF-8 between quotes', '"Zoë"', string, 'Zoë'],
  ['a literal', '\0', string, 'two\r\nlines', literals('two\r\nlines')],
  ['a literal in UTF-8', '\0', astring, 'Zoë', literals('Zoë')],
  ['NIL', 'nil', nstring, undefined],
  ['a string that says NIL', '"NIL"', nstring, 'NIL'],
  ['a name', 'Projects/2026', mailbox, 'Projects/2026'],
  ['INBOX in any case', '"iNbOx"', mailbox, 'INBOX'],
  ['no INBOX by folding', '"&ATE-nbox"', mailbox, 'ınbox'],
  ['a name with wildcards', '%/*', mailbox, '%/*'],
  ['a name in modified UTF-7', 'Entw&APw-rfe', mailbox, 'Entwürfe'],
  ['a name in NFC', 'Entwu&Awg-rfe', mailbox, 'Entwürfe'],
  ['a name in UTF-8', '"Entwürfe & mehr"', mailbox, 'Entwürfe & mehr', [], true],
  ['a name as a literal', '\0', mailbox, 'a & b', literals('a &- b')],
  ['a flag', '\\Seen', flag, '\\Seen'],
  ['a keyword', '$Forwarded', flag, '$Forwarded'],
  ['the highest number', '4294967295', (args) => args.number(), 4294967295],
  ['a modification sequence', '9007199254740991', number64, Number.MAX_SAFE_INTEGER],
  ['one above those there are', '9223372036854775807', number64, Number.MAX_SAFE_INTEGER],
  ['a date', '"17-Jul-1996 02:44:25 -0700"', dateTime, '1996-07-17T09:44:25.000Z'],
  ['a date with a short day', '" 1-feb-2000 00:00:00 +0530"', dateTime, '2000-01-31T18:30:00.000Z'],
  ['a part of a name', 'body.peek[', (args) => [args.upTo('['), args.take('[')], ['BODY.PEEK', true]],
  ['a list', '(a b c)', (args) => args.list(() => args.atom()), ['a', 'b', 'c']],
  ['an empty list', '()', (args) => args.list(() => args.atom()), []],
  ['lists in a list', '((a) (b c))', (a) => a.list(() => a.list(() => a.atom())), [['a'], ['b', 'c']]],
  ['the saved result', '$', set, '$'],
  ['a set of one', '7', set, [{ from: 7, to: 7 }]],
  [
    'a set out of order',
    '9:7,1,2,3:4,8',
    set,
    [
      { from: 1, to: 4 },
      { from: 7, to: 9 },
    ],
  ],
  ['the last message', '*', set, [{ from: infinity, to: infinity }]],
  [
    'a set with *',
    '3,*:5,9:*',
    set,
    [
      { from: 3, to: 3 },
      { from: 5, to: infinity },
    ],
  ],
] satisfies (readonly [string, string, Read, unknown, Octets[]?, boolean?])[]) {
  test(`an argument is ${what}`, () => {
    const args = parser(text, given, usesUtf8)
    assert.deepEqual(read(args), expected)
    args.end()
  })
}

for (const [what, text, read, given = []] of [
  ['nothing for an atom', '', atom],
  ['a character that atoms do not have', '(a', atom],
  ['a control', '\x01', astring],
  ['8 bits without quotes', 'Zoë', (args) => [args.atom(), args.end()]],
  ['a string without end', '"abc', string],
  ['a string that ends with a backslash', '"abc\\', string],
  ['a literal within quotes', '"abc\0"', string, literals('x')],
  ['a literal behind a backslash', '"abc\\\0"', string, literals('x')],
  ['NUL in a string', '\0', string, literals('a\0b')],
  ['what is not UTF-8', '\0', string, [{ bytes: Buffer.from([0xff]), isBinary: false }]],
  ['an atom for a string', 'abc', string],
  ['an atom for a string or NIL', 'abc', nstring],
  ['a number of 33 bits', '4294967296', (args) => args.number()],
  ['0 where a number is above it', '0', (args) => args.nzNumber()],
  ['a number of 64 bits', '9223372036854775808', number64],
  ['a number without digits', '-1', number64],
  ['a message 0', '0', set],
  ['a set that ends with a comma', '1,', set],
  ['a set that begins with a colon', ':1', set],
  ['a set of numbers that are too high', '1:4294967296', set],
  ['no name after a backslash', '\\ ', flag],
  ['a day that is in no month', '"31-Feb-2000 00:00:00 +0000"', dateTime],
  ['an hour that is in no day', '"01-Feb-2000 24:00:00 +0000"', dateTime],
  ['a date without quotes', '01-Feb-2000', dateTime],
  ['a list without end', '(a b', (args) => args.list(() => args.atom())],
  ['a list without spaces', '(a(b)', (args) => args.list(() => args.atom())],
  ['more than there may be', 'a b', (args) => [args.atom(), args.end()]],
  ['no space', 'a', (args) => [args.atom(), args.space()]],
] satisfies (readonly [string, string, Read, Octets[]?])[]) {
  test(`a command is BAD for ${what}`, () => {
    assert.throws(() => read(parser(text, given)), Bad)
  })
}

for (const [what, text, given = [], usesUtf8 = false] of [
  ['8 bits in modified UTF-7', '"Entwürfe"'],
  ['a lone ampersand', '"Tom & Jerry"'],
  ['ASCII in base64', '&AGE-'],
  ['half of a character', '&2D0-'],
  ['NUL in base64', '&AAA-'],
] satisfies (readonly [string, string, Octets[]?, boolean?])[]) {
  test(`a mailbox name is refused for ${what}`, () => {
    assert.throws(
      () => parser(text, given, usesUtf8).mailbox(),
      (error) => error instanceof No && error.code === 'CANNOT',
    )
  })
}

test('arguments that a client nests as deep as it likes do not fill the stack', () => {
  const args = parser('('.repeat(60_000))
  const deep = (): unknown => args.list(deep)
  assert.throws(deep, Bad)
  const flat = parser(`(${'(a) '.repeat(10_000)}(a))`)
  assert.equal(flat.list(() => flat.list(() => flat.atom())).length, 10_001)
})

test('spaces are one, and those at the end none', () => {
  const args = parser('a  b  ')
  assert.deepEqual(
    [args.atom(), args.space(), args.isAtEnd(), args.atom(), args.isAtEnd()],
    ['a', undefined, false, 'b', true],
  )
  args.end()
})

test('a set of a million ranges that overlap is one range', () => {
  const ranges = Array.from({ length: 1_000_000 }, (_, at) => `${at + 1}:${at + 2}`)
  assert.deepEqual(parser(ranges.join(',')).sequenceSet(), [{ from: 1, to: 1_000_001 }])
  assert.deepEqual(parser(ranges.toReversed().join(',')).sequenceSet(), [{ from: 1, to: 1_000_001 }])
})

test('whatever a client says, each argument is read, and the reader goes on, or it is refused', () => {
  const piece = fc.constantFrom(
    ...' ()[]{}"\\%*:,$+-~&\0\x7f\xff09aZ',
    ...['NIL', '&AGE-', '4294967296', '1:*', '\\Seen', '{5+}'],
  )
  const command = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
  const reads: Read[] = [
    atom,
    astring,
    string,
    nstring,
    mailbox,
    set,
    flag,
    dateTime,
    number64,
    (args) => args.octets(),
  ]
  const list = (args: Parser): unknown => args.list(() => (args.isNext('(') ? list(args) : args.astring()))
  fc.assert(
    fc.property(command, fc.boolean(), (text, usesUtf8) => {
      const given = Array.from(text.matchAll(/\0/g), () => ({ bytes: Buffer.from('x\0\xff'), isBinary: false }))
      const args = new Parser({ text, literals: given }, usesUtf8)
      for (let at = 0; !args.isAtEnd(); at++) {
        const before = args.at
        try {
          const read = reads[at % reads.length]
          if (args.isNext('(')) list(args)
          else if (!args.take(' ')) read?.(args)
        } catch (error) {
          assert.ok(error instanceof Bad || error instanceof No, String(error))
          return
        }
        assert.ok(args.at > before)
      }
    }),
    { numRuns: 3_000 },
  )
})
