import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseAddresses } from './address-list.ts'

for (const [what, value, expected] of [
  ['a bare address', 'ann@example.com', ['|ann@example.com']],
  ['a name and an address', 'Ann Example <ann@example.com>', ['Ann Example|ann@example.com']],
  ['a quoted name with a comma', '"Example, Ann" <ann@example.com>', ['Example, Ann|ann@example.com']],
  ['escapes in a quoted name', '"Ann \\"A\\" \\\\" <ann@example.com>', ['Ann "A" \\|ann@example.com']],
  ['an initial with a dot', 'Ann Q. Example <ann@example.com>', ['Ann Q. Example|ann@example.com']],
  ['several', 'a@x.test, B <b@x.test>,\r\n c@x.test', ['|a@x.test', 'B|b@x.test', '|c@x.test']],
  ['semicolons for commas', 'a@x.test; b@x.test', ['|a@x.test', '|b@x.test']],
  ['empty elements', ',, a@x.test,,', ['|a@x.test']],
  ['a group', 'Team: a@x.test, B <b@x.test>;, c@x.test', ['|a@x.test', 'B|b@x.test', '|c@x.test']],
  ['an empty group', 'undisclosed-recipients:;', []],
  ['an empty group in brackets', '<undisclosed-recipients:;>, a@x.test', ['|a@x.test']],
  ['an empty group in quotes', '"undisclosed recipients: ;"', []],
  ['an empty group in quotes and brackets', '<"Undisclosed-Recipients:;">', []],
  ['an empty group to which a server has added its name', 'undisclosed-recipients:;@mx.test, a@x.test', ['|a@x.test']],
  ['groups in groups', 'a: b: c: d@x.test;;;', ['|d@x.test']],
  ['a comment for a name', 'ann@example.com (Ann (at work))', ['Ann (at work)|ann@example.com']],
  ['comments anywhere', '(a) Ann (b) <ann@(c)example.com> (d)', ['Ann|ann@example.com']],
  ['an obsolete route', '<@a.test,@b.test:ann@example.com>', ['|ann@example.com']],
  ['white space around the @', 'ann @ example.com', ['|ann@example.com']],
  ['white space around the dots of a domain', 'ann@example . com. test', ['|ann@example.com.test']],
  ['white space around the dots of a local part', 'ann . b @ example.com', ['|ann.b@example.com']],
  ['a name with a dot before a bare address', 'Dr. Ann ann@example.com', ['Dr. Ann|ann@example.com']],
  ['a space that nobody sees', 'ann@exam\ufeffple.com', ['|ann@exam\ufeffple.com']],
  ['a quoted local part', '"ann smith"@example.com', ['|"ann smith"@example.com']],
  ['a quoted local part in brackets', 'Ann <"a>b"@example.com>', ['Ann|"a>b"@example.com']],
  ['an address literal', 'ann@[IPv6:2001:db8::1]', ['|ann@[IPv6:2001:db8::1]']],
  ['the empty address', '<>', []],
  ['a name alone', 'MAILER-DAEMON', ['MAILER-DAEMON|']],
  ['an address alone in quotes, which is a name', '"ann@example.com"', ['ann@example.com|']],
  ['an address in quotes as the name', '"bank@example.com" <eve@x.test>', ['bank@example.com|eve@x.test']],
  ['an address without brackets after a name', 'Ann ann@example.com', ['Ann|ann@example.com']],
  ['a name after the address', '<ann@example.com> Ann', ['Ann|ann@example.com']],
  ['a forgotten comma', 'A <a@x.test> B <b@x.test>', ['A|a@x.test', 'B|b@x.test']],
  ['a forgotten bracket', 'A <a@x.test, B <b@x.test>', ['A|a@x.test', 'B|b@x.test']],
  ['a forgotten quote', '"Ann <ann@example.com>', ['Ann|ann@example.com']],
  ['a forgotten parenthesis', '(Ann <ann@example.com>', ['Ann|ann@example.com']],
  ['an encoded name', '=?utf-8?q?J=C3=B6rg?= Meier <j@x.test>', ['Jörg Meier|j@x.test']],
  ['an encoded name in quotes, as some mailers write it', '"=?utf-8?b?SsO2cmc=?=" <j@x.test>', ['Jörg|j@x.test']],
  ['an encoded name in a comment', 'j@x.test (=?utf-8?q?J=C3=B6rg?=)', ['Jörg|j@x.test']],
  ['a name in two encoded words', '=?utf-8?q?J=C3?= =?utf-8?q?=B6rg?= <j@x.test>', ['Jörg|j@x.test']],
  ['a question mark in an encoded name', '=?utf-8?q?Who?,_J=C3=B6rg??= <j@x.test>, k', ['Who?, Jörg?|j@x.test', 'k|']],
  ['an encoded comma', '=?utf-8?q?Meier=2C_J?= <j@x.test>', ['Meier, J|j@x.test']],
  ['a comma that should have been encoded', '=?utf-8?q?Meier, J?= <j@x.test>', ['Meier, J|j@x.test']],
  ['an encoded line break, which cannot break out', '=?utf-8?q?a=0D=0Ab?= <j@x.test>', ['a b|j@x.test']],
  ['an encoded address, which is a name', '=?utf-8?q?ann@example.com?=', ['ann@example.com|']],
  ['an encoded word as local part, kept', '<=?utf-8?q?ann=40x?=@example.com>', ['|=?utf-8?q?ann=40x?=@example.com']],
  ['an @ in quotes beside a word, which is a name', '"a@b"c', ['a@bc|']],
  ['a name in UTF-8', 'Jörg <jörg@bücher.example>', ['Jörg|jörg@bücher.example']],
  ['a NUL', 'An\u0000n <ann\u0000@example.com>', ['An n|ann@example.com']],
  ['nothing', ' \t', []],
] as const)
  test(`an address list is read with ${what}`, () =>
    assert.deepEqual(
      parseAddresses(value).map(({ name, address }) => `${name}|${address}`),
      expected,
    ))

test('what is written as mailboxes is read as them', () => {
  const unit = fc.constantFrom(...'abc ÄÖ,;:<>@"\\()[].=?_')
  const text = fc.string({ unit }).map((name) => name.replace(/ +/g, ' ').trim())
  const name = text.filter((one) => !one.includes('=?'))
  const mailbox = fc.tuple(name, fc.emailAddress())
  fc.assert(
    fc.property(fc.array(mailbox, { minLength: 1 }), (pairs) => {
      const mailboxes = pairs.map(([name, address]) => ({ name, address }))
      const written = mailboxes.map(({ name, address }) => `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`)
      assert.deepEqual(parseAddresses(written.join(', ')), mailboxes)
    }),
  )
})

test('any text is read without failing, into lines without controls', () => {
  const one = ['<', '>', '"', '(', ')', ',', ';', ':', '@', '\\', '[', ']', '=?', '?=', '?q?', 'a', ' ', '\u0000', 'é']
  const token = fc.constantFrom(...one)
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
      for (const { name, address } of parseAddresses(tokens.join(''))) {
        assert.doesNotMatch(name + address, /[\x00-\x1f\x7f-\x9f]/)
        assert.ok(name !== '' || address !== '')
      }
    }),
    { numRuns: 5_000 },
  )
})

test('a list of 50,000 addresses gives the first thousand', () =>
  assert.equal(parseAddresses('ann@example.com, '.repeat(50_000)).length, 1_000))
