import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '../read-message.ts'

const plain = (text: string) =>
  readMessage(Buffer.from(`Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`)).preview
const html = (text: string) => readMessage(Buffer.from(`Content-Type: text/html; charset=utf-8\r\n\r\n${text}`)).preview

for (const [what, text, preview] of [
  ['white space folded', '  Hello,\r\n\r\n\tworld \u00a0 ! \r\n', 'Hello, world !'],
  ['controls left out', 'a\0b\x1b[0m', 'ab[0m'],
  ['quoted lines left out', 'a\n> b\n>> c\n  > d\ne', 'a e'],
  ['nothing where all is quoted', '> a\n> b', ''],
  ['nothing where there is nothing', '', ''],
  ['the line before a quotation left out', 'Yes.\n\nOn Monday, Ann wrote:\n> a', 'Yes.'],
  ['the line before a quotation left out across an empty line', 'Yes.\n\nOn Monday, Ann wrote:\n\n> a', 'Yes.'],
  ['that line left out where it is broken', 'Yes.\n\nOn Monday, Ann Example\n<ann@example.com> wrote:\n> a', 'Yes.'],
  ['that line left out at the end of a paragraph', 'Yes.\nOn Monday, Ann wrote:\n> a', 'Yes.'],
  ['that line left out before each quotation', 'Yes.\n\nOn 3 May, Ann wrote:\n> a\nNo.\n\nBen wrote:\n> b', 'Yes. No.'],
  ['a line that ends in a colon kept', 'The list:\n> a\nb', 'The list: b'],
  ['such a line kept where no quotation follows', 'On Monday, Ann wrote:\na', 'On Monday, Ann wrote: a'],
  ['such a line kept where words come between', 'On Monday, Ann wrote: this\n> a', 'On Monday, Ann wrote: this'],
] as const)
  test(`a preview has ${what}`, () => assert.equal(plain(text), preview))

for (const [what, text, preview] of [
  ['without tags and styles', '<style>p{}</style><p>Hello,</p><p>wor<b>ld</b></p>', 'Hello, world'],
  ['without quotations', '<p>Yes.</p><div>On Monday, Ann wrote:<br></div><blockquote>a<br>b</blockquote>', 'Yes.'],
  ['behind a long style sheet', `<style>${'p { color: red }\n'.repeat(5_000)}</style>Hello`, 'Hello'],
  ['behind a long quotation', `<blockquote>${'words '.repeat(5_000)}</blockquote>Hello`, 'Hello'],
] as const)
  test(`a preview is taken from HTML ${what}`, () => assert.equal(html(text), preview))

for (const [what, text, preview] of [
  ['140 characters', 'x'.repeat(200), 'x'.repeat(140)],
  ['140 characters of more bytes', 'ü'.repeat(200), 'ü'.repeat(140)],
  ['140 characters, not 140 halves of them', '👋'.repeat(200), '👋'.repeat(140)],
  ['no more than there are', 'x'.repeat(140), 'x'.repeat(140)],
  ['less than would cut a family in two', `${'x'.repeat(138)}👩‍👩‍👧 and more`, 'x'.repeat(138)],
  ['less than would part a letter from its accent', `${'x'.repeat(139)}e\u0301 and more`, 'x'.repeat(139)],
  ['a flag whole or not at all', `${'x'.repeat(139)}🇦🇹🇩🇪`, 'x'.repeat(139)],
] as const)
  test(`a preview has ${what}`, () => assert.equal(plain(text), preview))

test('a preview is found behind a long quotation', () =>
  assert.equal(plain(`${'> quoted words\n'.repeat(5_000)}Yes.`), 'Yes.'))
