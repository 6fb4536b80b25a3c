import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readEnvelope } from '#/formats/mime/entity/envelope.ts'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { envelopeText } from './body-structure.ts'

function envelopeOf(header: string): string {
  const raw = Buffer.from(`${header}\n\nHello\n`.replace(/\r?\n/g, '\r\n'), 'latin1')
  return envelopeText(readEnvelope(readHeaders(raw).headers))
}

/** The list that is told of a To with this value. */
function recipients(value: string): string {
  const [, list] = /^\(NIL NIL NIL NIL NIL (.*) NIL NIL NIL NIL\)$/s.exec(envelopeOf(`To: ${value}`)) ?? []
  return list ?? ''
}

for (const [what, value, expected] of [
  ['a bare address', 'ann@x.test', '((NIL NIL "ann" "x.test"))'],
  ['a name', 'Ann Q. Lee <ann@x.test>', '(("Ann Q. Lee" NIL "ann" "x.test"))'],
  ['a name in quotes', '"Lee, \\"A\\" \\\\" <ann@x.test>', '(("Lee, \\"A\\" \\\\" NIL "ann" "x.test"))'],
  ['several', 'a@x.test,\n b@x.test', '((NIL NIL "a" "x.test")(NIL NIL "b" "x.test"))'],
  ['an encoded name, as it is', '=?utf-8?q?J=C3=B6rg?= <j@x.test>', '(("=?utf-8?q?J=C3=B6rg?=" NIL "j" "x.test"))'],
  ['octets of UTF-8', 'J\xc3\xb6rg <j\xc3\xb6@x.test>', '(({5}\r\nJ\xc3\xb6rg NIL {3}\r\nj\xc3\xb6 "x.test"))'],
  ['octets of another charset', 'J\xf6rg\xa0Lee <j@x.test>', '(({8}\r\nJ\xf6rg\xa0Lee NIL "j" "x.test"))'],
  [
    'a group',
    'Team: a@x.test, B <b@x.test>;, c@x.test',
    '((NIL NIL "Team" NIL)(NIL NIL "a" "x.test")("B" NIL "b" "x.test")(NIL NIL NIL NIL)(NIL NIL "c" "x.test"))',
  ],
  ['an empty group', 'undisclosed-recipients:;', '((NIL NIL "undisclosed-recipients" NIL)(NIL NIL NIL NIL))'],
  ['an empty group in brackets', '<nobody named:;>', '((NIL NIL "nobodynamed" NIL)(NIL NIL NIL NIL))'],
  ['an empty group in quotes', '"nobody named: ;"', '((NIL NIL "nobody named" NIL)(NIL NIL NIL NIL))'],
  [
    'an empty group to which a server has added its name',
    'undisclosed:;@mx.test',
    '((NIL NIL "undisclosed" NIL)(NIL NIL NIL NIL))',
  ],
  ['a group without its end', 'Team: a@x.test', '((NIL NIL "Team" NIL)(NIL NIL "a" "x.test")(NIL NIL NIL NIL))'],
  ['the end of no group', 'a@x.test; b@x.test;', '((NIL NIL "a" "x.test")(NIL NIL "b" "x.test"))'],
  ['a group in a group', 'x: y: z@x.test;;', '((NIL NIL "x" NIL)(NIL NIL "z" "x.test")(NIL NIL NIL NIL))'],
  ['a route', '<@a.test,@b.test:ann@x.test>', '((NIL "@a.test,@b.test" "ann" "x.test"))'],
  ['a comment for a name', 'ann@x.test (Ann (at work))', '(("Ann (at work)" NIL "ann" "x.test"))'],
  ['a local part in quotes', '"ann \\"x\\" lee"@x.test', '((NIL NIL "ann \\"x\\" lee" "x.test"))'],
  ['a literal for a domain', 'ann@[IPv6:2001:db8::1]', '((NIL NIL "ann" "[IPv6:2001:db8::1]"))'],
  ['two @', 'ann@b@x.test', '((NIL NIL "ann@b" "x.test"))'],
  ['no domain', 'ann, <bob>', '((NIL NIL "ann" "MISSING_DOMAIN")(NIL NIL "bob" "MISSING_DOMAIN"))'],
  ['an empty domain', 'eve@', '((NIL NIL "eve" "MISSING_DOMAIN"))'],
  ['a name alone', 'Ann Lee', '(("Ann Lee" NIL "MISSING_MAILBOX" "MISSING_DOMAIN"))'],
  ['a name and no local part', 'Ann <@x.test>', '(("Ann" NIL "MISSING_MAILBOX" "x.test"))'],
  ['an address without brackets after a name', 'Dr. Ann ann@x.test', '(("Dr. Ann" NIL "ann" "x.test"))'],
  ['a bracket without its end', 'A <a@x.test, B <b@x.test>', '(("A" NIL "a" "x.test")("B" NIL "b" "x.test"))'],
  ['a NUL', 'A\0nn <ann@x.test>', '(("Ann" NIL "ann" "x.test"))'],
  ['empty elements', ',, a@x.test,,', '((NIL NIL "a" "x.test"))'],
  ['nothing', '', 'NIL'],
  ['the empty address', '<>', 'NIL'],
] as const) {
  test(`an envelope has addresses with ${what}`, () => assert.equal(recipients(value), expected))
}

const [ann, bob] = ['((NIL NIL "ann" "x.test"))', '((NIL NIL "b" "x.test"))']
const nils = (count: number) => Array(count).fill('NIL').join(' ')
for (const [what, header, expected] of [
  ['no field', 'X-Y: z', '(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)'],
  ['empty fields', 'Subject:\nDate: \nTo: ', '("" "" NIL NIL NIL NIL NIL NIL NIL NIL)'],
  ['From for a Sender and Reply-To that lack', 'From: ann@x.test', `(NIL NIL ${ann} ${ann} ${ann} ${nils(5)})`],
  [
    'From for an empty Reply-To',
    'From: ann@x.test\nReply-To: \nSender: b@x.test',
    `(NIL NIL ${ann} ${bob} ${ann} ${nils(5)})`,
  ],
  ['no From, and nothing in its place', 'Cc: ann@x.test\nBcc: ann@x.test', `(${nils(6)} ${ann} ${ann} NIL NIL)`],
  [
    'the texts as they are written',
    'Date: Mon, 2 Nov\nMessage-ID: <a@x.test> (c)\nIn-Reply-To: <b@x.test>\n\t<c@x.test>',
    '("Mon, 2 Nov" NIL NIL NIL NIL NIL NIL NIL "<b@x.test>\t<c@x.test>" "<a@x.test> (c)")',
  ],
  [
    'one space for white space in a subject, and encoded words as they are',
    'Subject:  =?utf-8?q?a=C3?=\n  =?utf-8?q?=B6?=  b\tc ',
    '(NIL "=?utf-8?q?a=C3?= =?utf-8?q?=B6?= b c" NIL NIL NIL NIL NIL NIL NIL NIL)',
  ],
  ['quotes in a subject', 'Subject: a "b" \\', '(NIL "a \\"b\\" \\\\" NIL NIL NIL NIL NIL NIL NIL NIL)'],
  ['octets in a subject', 'Subject: J\xf6rg', '(NIL {4}\r\nJ\xf6rg NIL NIL NIL NIL NIL NIL NIL NIL)'],
  [
    'the last of several subjects, and the addresses of all',
    'Subject: one\nTo: ann@x.test\nSubject: two\nTo: bob@x.test',
    '(NIL "two" NIL NIL NIL ((NIL NIL "ann" "x.test")(NIL NIL "bob" "x.test")) NIL NIL NIL NIL)',
  ],
] as const) {
  test(`an envelope has ${what}`, () => assert.equal(envelopeOf(header), expected))
}

test('no header makes an envelope that ends a string or a line by itself', () => {
  const token = fc.constantFrom(
    ...['From: ', 'To: ', 'Subject: ', '\n', '\r', ' ', '<', '>', '"', '\\', '(', ')', ',', ';', ':', '@', '\0'],
    ...['\xf6', 'a'],
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
      const envelope = envelopeOf(tokens.join(''))
      let text = ''
      for (let at = 0; at < envelope.length; ) {
        const [string, size] = /^(?:\{(\d+)\}\r\n|"(?:[^"\\\r\n]|\\["\\])*")/.exec(envelope.slice(at)) ?? []
        if (string) at += string.length + Number(size ?? 0)
        else text += envelope[at++]
      }
      assert.match(text, /^[() NIL]*$/)
    }),
    { numRuns: 2_000 },
  )
})

test('lists of 8,000 addresses are told whole, and endless ones up to a limit for all of them', () => {
  const count = (list: string) => readEnvelope(readHeaders(Buffer.from(`To: ${list}\r\nCc: ${list}\r\n\r\n`)).headers)
  const { to, cc } = count('a@x.test, '.repeat(8_000))
  assert.deepEqual([to.length, cc.length], [8_000, 8_000])
  const many = count('a,'.repeat(100_000))
  assert.ok(many.to.length + many.cc.length <= 40_000)
})
