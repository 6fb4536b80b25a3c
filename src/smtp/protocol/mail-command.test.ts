import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMailFrom, parseRcptTo, splitCommand } from './mail-command.ts'
import { Rejection } from './reply.ts'

for (const [argument, sender, size, utf8] of [
  ['FROM:<ann@example.com>', 'ann@example.com', 0, false],
  ['from: <ann@example.com>', 'ann@example.com', 0, false],
  ['FROM:<>', '', 0, false],
  ['FROM:<@relay.example,@other.example:ann@example.com>', 'ann@example.com', 0, false],
  ['FROM:<"ann o\'\\"x"@example.com> SIZE=12', '"ann o\'\\"x"@example.com', 12, false],
  ['FROM:<ann.@docomo.example> BODY=8BITMIME', 'ann.@docomo.example', 0, false],
  ['FROM:<ann@[192.0.2.1]> body=7bit', 'ann@[192.0.2.1]', 0, false],
  ['FROM:<žofie@příklad.example> SMTPUTF8', 'žofie@příklad.example', 0, true],
] as const)
  test(`MAIL ${argument} names a sender`, () => assert.deepEqual(parseMailFrom(argument), { sender, size, utf8 }))

for (const [argument, answer] of [
  ['', '501 5.5.4'],
  ['TO:<ann@example.com>', '501 5.5.4'],
  ['FROM:ann@example.com', '501 5.1.7'],
  ['FROM:<ann>', '501 5.1.7'],
  ['FROM:<postmaster>', '501 5.1.7'],
  ['FROM:<a b@example.com>', '501 5.1.7'],
  ['FROM:<a@b@example.com>', '501 5.1.7'],
  [`FROM:<${'a'.repeat(320)}@example.com>`, '501 5.1.7'],
  ['FROM:<ann@example.com> SIZE=many', '501 5.5.4'],
  ['FROM:<ann@example.com> SIZE=1 SIZE=1', '501 5.5.4'],
  ['FROM:<ann@example.com> BODY=BINARYMIME', '501 5.5.4'],
  ['FROM:<ann@example.com> SMTPUTF8=1', '501 5.5.4'],
  ['FROM:<ann@example.com> RET=FULL', '555 5.5.4'],
  ['FROM:<žofie@example.com>', '553 5.6.7'],
] as const)
  test(`MAIL ${argument.slice(0, 60)} is answered with ${answer}`, () =>
    assert.throws(() => parseMailFrom(argument), answers(answer)))

for (const [argument, expected] of [
  ['TO:<ann@example.com>', 'ann@example.com'],
  ['TO:<postmaster>', 'postmaster'],
  ['to:<PostMaster>', 'PostMaster'],
  ['TO:<ann+news@example.com>', 'ann+news@example.com'],
] as const)
  test(`RCPT ${argument} names a recipient`, () => assert.equal(parseRcptTo(argument, false), expected))

for (const [argument, answer] of [
  ['TO:<>', '501 5.1.3'],
  ['TO:<ann>', '501 5.1.3'],
  ['TO:<ann@example.com> NOTIFY=NEVER', '555 5.5.4'],
  ['TO:<žofie@example.com>', '553 5.6.7'],
] as const)
  test(`RCPT ${argument} is answered with ${answer}`, () =>
    assert.throws(() => parseRcptTo(argument, false), answers(answer)))

for (const [argument, text] of [
  ['FROM:<ann@example.com> ret=full', 'Unsupported parameter RET'],
  ['FROM:<ann@example.com> SIZE=1 SIZE=1', 'Invalid parameter SIZE'],
  ['FROM:<ann@example.com> A_B=1', 'Unsupported parameter (invalid)'],
] as const)
  test(`MAIL ${argument} is answered with "${text}"`, () =>
    assert.throws(
      () => parseMailFrom(argument),
      (error) => error instanceof Rejection && error.reply.text === text,
    ))

test('a command is a word, in any case, and its argument', () => {
  assert.deepEqual(splitCommand('mail FROM:<a@b>  '), ['MAIL', 'FROM:<a@b>'])
  assert.deepEqual(splitCommand('Quit'), ['QUIT', ''])
  assert.deepEqual(splitCommand(' noop x'), ['', 'noop x'])
})

function answers(expected: string) {
  return (error: unknown) => error instanceof Rejection && error.message.startsWith(`${expected} `)
}
