import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { growsTooFast } from '#test/world/observe/growth.ts'
import { readHeaders } from './headers.ts'

/** `octets` is written as latin1: one character, one byte. */
function read(octets: string) {
  const bytes = Buffer.from(octets, 'latin1')
  const { headers, bodyStart } = readHeaders(bytes)
  return { headers, body: bytes.toString('latin1', bodyStart) }
}

for (const [what, octets, fields, body] of [
  ['with CRLF', 'A: 1\r\nB: 2\r\n\r\nbody\r\n', { a: '1', b: '2' }, 'body\r\n'],
  ['with LF', 'A: 1\nB: 2\n\nbody\n', { a: '1', b: '2' }, 'body\n'],
  ['without a body', 'A: 1\r\nB: 2', { a: '1', b: '2' }, ''],
  ['with an empty body', 'A: 1\r\n\r\n', { a: '1' }, ''],
  ['with folded fields', 'A: 1\r\n 2\r\n\t3\r\nB: 4\r\n\r\n', { a: '1 2\t3', b: '4' }, ''],
  ['with a field that starts on its second line', 'A:\r\n 1\r\n\r\n', { a: '1' }, ''],
  ['with white space before the colon', 'A : 1\r\nB\t:2\r\n\r\n', { a: '1', b: '2' }, ''],
  ['with a fold before the colon', 'A\r\n : 1\r\nB \r\n\t\r\n\t:2\r\n 3\r\n\r\n', { a: '1', b: '2 3' }, ''],
  ['with empty values', 'A:\r\nB: \r\n\r\n', { a: '', b: '' }, ''],
  ['with colons in values', 'A: b:c\r\n\r\n', { a: 'b:c' }, ''],
  ['after an mbox line', 'From ann@x.test Mon Jan  1 00:00:00 2024\nA: 1\n\nbody', { a: '1' }, 'body'],
  ['around an mbox line', 'A: 1\nFrom ann@x.test Mon Jan  1 00:00:00 2024\nB: 2\n\nbody', { a: '1', b: '2' }, 'body'],
  ['around a line without one', 'From: 1\r\nno field\r\nSubject: 2\r\n\r\nbody', { from: '1', subject: '2' }, 'body'],
  ['from behind a byte-order mark', '\xef\xbb\xbfFrom: 1\r\nTo: 2\r\n\r\nbody', { from: '1', to: '2' }, 'body'],
  [
    'with a parameter that is not indented',
    'Content-Type: a/b;\r\nboundary=x;\r\ncharset=y\r\nTo: 2\r\n\r\nbody',
    { 'content-type': 'a/b;boundary=x;charset=y', to: '2' },
    'body',
  ],
  ['without an empty line, after an mbox line', 'From ann Mon\nA: 1\nHello', { a: '1' }, 'Hello'],
  ['that ends in a fold before the colon', 'A: 1\r\nB\r\n : 2', { a: '1', b: '2' }, ''],
  ['with a name that objects have', '__proto__: 1\r\nconstructor: 2\r\n\r\n', { __proto__: '1', constructor: '2' }, ''],
  ['that is empty', '\r\nbody', {}, 'body'],
  ['of nothing', '', {}, ''],
] as const)
  test(`a header is read ${what}`, () => {
    const { headers, body: rest } = read(octets)
    for (const [name, value] of Object.entries(fields)) assert.equal(headers.first(name), value)
    assert.equal(headers.fields.length, Object.keys(fields).length + (what.includes('objects') ? 1 : 0))
    assert.equal(rest, body)
    assert.equal(headers.complete, true)
  })

for (const [what, between, text] of [
  ['at its first line', '', 'Hello,\r\nthere: you\r\n\r\nmore'],
  ['at its first line, where no line is empty', '', 'Hello,\r\nmore\r\n'],
  ['behind a line of white space', ' \t\r\n', 'Hello,\r\n\r\nmore'],
  ['behind lines of white space', ' \r\n\t\r\n', 'Hello,\r\n\r\nmore'],
  ['behind a line of white space, indented', ' \r\n', '  Hello,\r\nmore\r\n'],
  ['behind a line of white space, with what looks like a field', ' \r\n', 'Note: call me\r\n\r\nmore'],
  ['with addresses of the web', '', 'Hello, see\r\nhttps://x.example/\r\nNote: soon\r\n\r\nmore'],
  ['with a quoted header', '', 'See this.\r\nFrom: c@x.example\r\nSubject: Old\r\n\r\nmore'],
  ['with a greeting that looks like a field', '', 'Hello:\r\nwords\r\n\r\nmore'],
  ['with fields behind a delimiter', '', '--b\r\nX-Part: 1\r\nContent-Type: text/html\r\n\r\n<p>'],
  ['with a word that begins as an mbox does', '', 'From now on, call me.\r\n\r\nmore'],
  ['with lines that are indented', '', 'Hello\r\n  one\r\n \r\n  two\r\n\r\nmore'],
] as const)
  test(`without an empty line the text starts ${what}`, () => {
    const { headers, body } = read(`From: a@x.example\r\nSubject: Offer\r\n${between}${text}`)
    assert.equal(body, text)
    assert.equal(headers.last('from'), 'a@x.example')
    assert.equal(headers.text('subject'), 'Offer')
  })

for (const [what, lines] of [
  ['of white space', ' \r\n'],
  ['that are no field', 'broken by its program\r\nNote: x\r\n'],
  ['that begin as an mbox does', 'From ann@x.test Mon Jan  1 00:00:00 2024\r\n'],
] as const)
  test(`a header goes on behind lines ${what} where a field follows that it lacks or may repeat`, () => {
    for (const name of ['Date', 'X-Mine', 'Received']) {
      const { headers, body } = read(`Received: 1\r\nSubject: 2\r\n${lines}${name}: 3\r\n\r\nbody`)
      assert.deepEqual([headers.last(name.toLowerCase()), headers.last('subject'), body], ['3', '2', 'body'])
    }
  })

test('white space alone in a line folds a field where its value goes on', () => {
  const { headers, body } = read('Subject: One\r\n \r\n  two\r\nTo: x\r\n\r\nbody')
  assert.equal(headers.text('subject'), 'One   two')
  assert.equal(body, 'body')
})

test('what may be a field for others is known, also within a text that no empty line separates', () => {
  const { headers } = read('From: a\r\nHello\r\nFrom: b\r\nBcc: c\r\n--b\r\nTo: d\r\n\r\nbody')
  assert.deepEqual(headers.all('from'), ['a', 'b'])
  assert.equal(headers.count('bcc'), 1)
  assert.equal(headers.last('to'), 'd')
})

test('a text that no empty line separates is found behind as many fields as a part may have', () => {
  const lines = 'words\r\n'.repeat(200)
  const bytes = Buffer.from(`Content-Type: text/plain\r\n${lines}`)
  assert.equal(bytes.toString('latin1', readHeaders(bytes, 0, bytes.length, 100).bodyStart), lines)
})

test('names of fields in a text are compared in linear time', () => {
  const fields = (size: number) => `From: a\r\n${'text\r\nFrom: b\r\nX-A: 1\r\n'.repeat(size / 20)}`
  assert.ok(!growsTooFast((text) => readHeaders(Buffer.from(text)), fields))
})

test('fields of one name are read in their order', () => {
  const { headers } = read('Received: 1\r\nTo: x\r\nRECEIVED: 2\r\n\r\n')
  assert.deepEqual([headers.all('received'), headers.all('cc')], [['1', '2'], []])
  assert.deepEqual([headers.first('received'), headers.first('cc')], ['1', undefined])
  assert.deepEqual([headers.count('received'), headers.count('cc')], [2, 0])
})

test('of a field that should be there once the last counts', () => {
  const { headers } = read('Subject: put in front\r\nTo: x\r\nSubject: signed\r\n\r\n')
  assert.deepEqual([headers.last('subject'), headers.text('subject')], ['signed', 'signed'])
  assert.equal(headers.last('cc'), undefined)
})

for (const [what, value, text] of [
  ['plain', 'Hello', 'Hello'],
  ['folded', 'Hello\r\n world', 'Hello world'],
  ['Q-encoded', '=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus?= Wien', 'Grüße aus Wien'],
  ['B-encoded', '=?UTF-8?b?R3LDvMOfZQ==?=', 'Grüße'],
  ['in latin1', '=?iso-8859-1?q?Gr=FC=DFe?=', 'Grüße'],
  ['in UTF-7', '=?utf-7?q?Gr+APwA3w-e?=', 'Grüße'],
  ['with a language', '=?utf-8*de?q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
  ['in adjacent words, whose space goes', '=?utf-8?q?a?= =?utf-8?q?b?=', 'ab'],
  ['in adjacent words on two lines', '=?utf-8?q?a?=\r\n =?utf-8?q?b?=', 'ab'],
  ['in words with text between', '=?utf-8?q?a?= b =?utf-8?q?c?=', 'a b c'],
  ['with a character split across words', '=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3=9Fe?=', 'Grüße'],
  ['with a character split across encodings', '=?utf-8?b?R3LD?= =?UTF-8?q?=BC=C3=9Fe?=', 'Grüße'],
  ['in adjacent words of two charsets', '=?utf-8?q?=C3=BC?= =?iso-8859-1?q?=FC?=', 'üü'],
  ['with spaces where there should be none', '=?utf-8?q?Gr=C3=BC=C3=9Fe aus Wien?=', 'Grüße aus Wien'],
  ['in raw UTF-8', 'Gr\xc3\xbc\xc3\x9fe', 'Grüße'],
  ['in raw latin1', 'Gr\xfc\xdfe', 'Grüße'],
  ['in raw ISO-2022-JP', '\x1b$BF|K\\\x1b(B and more', '日本 and more'],
  ['in raw octets of an encoded word', '=?iso-8859-1?Q?Gr\xfc\xdfe_aus?= Wien', 'Grüße aus Wien'],
  ['in raw octets of encoded words beside raw UTF-8', '=?gb2312?q?\xc4\xe3=BA=C3?= Gr\xc3\xbc\xc3\x9fe', '你好 Grüße'],
  ['in raw UTF-8 of an encoded word', '=?utf-8?q?Gr\xc3\xbc\xc3\x9fe?=', 'Grüße'],
  ['with question marks in a Q word', '=?utf-8?Q?Why?_Where??=', 'Why? Where?'],
  ['with a question mark before an escape', '=?utf-8?Q?Why?=3F_Gr=C3=BC=C3=9Fe?= x', 'Why?? Grüße x'],
  ['with text right behind a word', '=?utf-8?q?Why?=AB c =?utf-8?q?d?=', 'WhyAB c d'],
  ['with a question mark in a B word, as written', '=?utf-8?b?YQ?x?=', '=?utf-8?b?YQ?x?='],
  ['raw and encoded at once', 'Gr\xc3\xbc\xc3\x9fe =?utf-8?q?=C3=BC?=', 'Grüße ü'],
  ['in a charset that nobody knows', '=?x-nobody?q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
  ['in a charset that nobody knows, and no UTF-8', '=?x-nobody?q?Gr=FC=DFe?=', 'Grüße'],
  ['with a broken escape', '=?utf-8?q?100=_=ZZ?=', '100= =ZZ'],
  ['with an unknown encoding, as written', '=?utf-8?x?abc?=', '=?utf-8?x?abc?='],
  ['without its end, as written', '=?utf-8?q?abc', '=?utf-8?q?abc'],
  ['with encoded line breaks, as spaces', '=?utf-8?q?a=0D=0ABcc:_b?=', 'a Bcc: b'],
  ['with encoded controls, left out', '=?utf-8?q?a=00=1B=7F=C2=85b?=', 'a b'],
  ['with raw controls, left out', 'a\0\x1b\x7fb', 'ab'],
  ['with a lone surrogate, replaced', '=?utf-16be?b?ANgAYdgA?=', 'Øa\ufffd'],
] as const)
  test(`a subject is read ${what}`, () => assert.equal(read(`Subject: ${value}\r\n\r\n`).headers.text('subject'), text))

test('any bytes are read without failing, into text without controls', () => {
  const token = fc.constantFrom(
    ...['Subject', ':', ' ', '\r', '\n', '\t', '=?', 'utf-8', 'utf-16', '?', 'q', 'b', '=C3', '?=', '\xc3', '\0'],
    ...['AAA='],
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
      const bytes = Buffer.from(`Subject:${tokens.join('')}`, 'latin1')
      const { headers, bodyStart } = readHeaders(bytes)
      assert.ok(bodyStart <= bytes.length)
      assert.doesNotMatch(headers.text('subject'), /[\x00-\x1f\x7f-\x9f]/)
      assert.ok(headers.text('subject').isWellFormed())
    }),
    { numRuns: 3_000 },
  )
})

test('a header of more fields than are looked at is known to be incomplete, and has no body', () => {
  const { headers, body } = read(`${'A: 1\r\n'.repeat(100_000)}\r\nbody`)
  assert.equal(headers.count('a'), 10_000)
  assert.equal(headers.complete, false)
  assert.equal(body, '')
})

test('a line of 10 MB is known to be incomplete', () => {
  const { headers } = read(`Subject: ${'a'.repeat(10_000_000)}\r\nTo: x\r\n\r\nbody`)
  assert.equal(headers.complete, false)
  assert.equal(headers.count('to'), 0)
})
