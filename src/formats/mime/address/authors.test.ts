import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHeaders } from '../header/headers.ts'
import { readAuthors } from './authors.ts'

function authorsOf(...fields: readonly string[]) {
  return readAuthors(readHeaders(Buffer.from(`${fields.map((value) => `From: ${value}\r\n`).join('')}\r\n`)).headers)
}

for (const [what, value, domains] of [
  ['one', 'Ann <ann@example.com>', ['example.com']],
  ['one without brackets', 'ann@example.com (Ann at work)', ['example.com']],
  ['a name in two pieces', 'Example, Ann <ann@example.com>', ['example.com']],
  ['an address in quotes, which is a name', '"ceo@bank.example" <x@evil.example>', ['evil.example']],
  ['an encoded address, which is a name', '=?utf-8?q?ceo=40bank.example?= <x@evil.example>', ['evil.example']],
  ['an address in a comment, which is a name', 'x@evil.example (ceo@bank.example)', ['evil.example']],
  ['a host with an underscore', 'root@my_host.example.com', ['my_host.example.com']],
  ['a single label', 'root@localhost', ['localhost']],
  ['a domain in letters of its own', 'ann@bücher.example', ['xn--bcher-kva.example']],
  ['several', 'ceo@bank.example, x@evil.example', ['bank.example', 'evil.example']],
  ['several with a semicolon', 'ceo@bank.example; x@evil.example', ['bank.example', 'evil.example']],
  ['several without a comma', '<ceo@bank.example><x@evil.example>', ['bank.example', 'evil.example']],
  ['a group (RFC 6854)', 'Team: ceo@bank.example, x@evil.example;', ['bank.example', 'evil.example']],
  ['an address as the name of a group', 'ceo@bank.example: x@evil.example;', ['evil.example', 'bank.example']],
  ['an address as a name without quotes', 'ceo@bank.example <x@evil.example>', ['evil.example', 'bank.example']],
  ['an address behind another', 'ceo@bank.example x@evil.example', ['evil.example', 'bank.example']],
  ['an address in square brackets', '[ceo@bank.example], x@evil.example', ['evil.example', 'bank.example']],
  ['a quote that is not closed', '"ceo@bank.example <x@evil.example>', ['evil.example', 'bank.example']],
  ['a comment that is not closed', '(ceo@bank.example <x@evil.example>', ['evil.example', 'bank.example']],
  ['a comment in a comment', '(a (b) ceo@bank.example) x@evil.example', ['evil.example', 'bank.example']],
  ['an escaped quote', '"a\\", ceo@bank.example, \\"" <x@evil.example>', ['evil.example', 'bank.example']],
  ['a route', '<@evil.example:ceo@bank.example>', ['bank.example', 'evil.example']],
  ['a route of several', '<@evil.example,@x.example:ceo@bank.example>', ['bank.example', 'evil.example', 'x.example']],
  ['a comment in an address', '<ceo@bank.example(.evil.example)>', ['bank.example']],
  ['an address as the local part', '"ceo@bank.example"@evil.example', ['bank.example', 'evil.example']],
  ['two @', 'ceo@bank.example@evil.example', ['bank.example', 'evil.example']],
  ['encoded brackets', '=?utf-8?q?=3Cceo=40bank.example=3E?= <x@evil.example>', ['evil.example', 'bank.example']],
  ['an encoded comma', '=?utf-8?q?ceo=40bank.example=2C?= x@evil.example', ['evil.example', 'bank.example']],
  ['what only looks encoded', '=?utf-8?q?a,ceo@bank.example,b?= <x@evil.example>', ['evil.example', 'bank.example']],
] as const)
  test(`authors are found in ${what}`, () => {
    const { domains: found, clear, complete } = authorsOf(value)
    assert.deepEqual([found, clear, complete], [domains, true, true])
  })

for (const [what, written] of [
  ['a soft hyphen', 'ceo@ba\u00adnk.example'],
  ['a space of no width', 'ceo@ba\u200bnk.example'],
  ['a byte order mark', 'ceo@ba\ufeffnk.example'],
  ['a joiner of words', 'ceo@ba\u2060nk.example'],
  ['a joiner of letters', 'ceo@ba\u200dnk.example'],
  ['full-width letters', 'ceo@\uff42\uff41\uff4e\uff4b.example'],
  ['an ideographic dot', 'ceo@bank\u3002example'],
  ['a full-width dot', 'ceo@bank\uff0eexample'],
  ['a one dot leader', 'ceo@bank\u2024example'],
  ['capitals', 'ceo@BANK.Example'],
  ['a final dot', 'ceo@bank.example.'],
  ['two final dots', 'ceo@bank.example..'],
  ['two dots within', 'ceo@bank..example'],
  ['white space before the dot', 'ceo@bank .example'],
  ['white space behind the dot', 'ceo@bank.\r\n example'],
  ['a tab around the @', 'ceo\t@\tbank.example'],
  ['a wide space', 'ceo@bank\u3000.example'],
  ['an apostrophe', "'ceo@bank.example'"],
  ['an encoded domain', 'ceo@=?utf-8?q?bank=2Eexample?='],
  ['an encoded address', '=?utf-8?b?Y2VvQGJhbmsuZXhhbXBsZQ==?='],
  ['a full-width @ alone', 'ceo\uff20bank.example'],
  ['quotes alone', '"ceo@bank.example"'],
  ['a comment alone', '(ceo@bank.example)'],
  ['a direction of its own', '\u202dceo@bank.example'],
] as const)
  test(`a domain is found that is written with ${what}`, () => {
    for (const value of [written, `<${written}>`, `x@evil.example, ${written}`]) {
      if (/alone/.test(what) && value !== written) continue
      assert.ok(authorsOf(value).domains.includes('bank.example'), value)
    }
  })

for (const [what, fields] of [
  ['there is no From', []],
  ['there are two', ['ann@example.com', 'ann@example.com']],
  ['From is empty', ['']],
  ['From has a name alone', ['MAILER-DAEMON']],
  ['From has the empty address', ['Mail System <>']],
  ['From has no domain', ['Ann <ann>']],
  ['another author has no domain', ['Ann <ann>, ben@example.com']],
  ['the domain is an address', ['ann@[192.0.2.1]']],
  ['the domain is a number', ['ann@192.0.2.1']],
  ['the domain cannot exist', ['ann@exam%70le.com']],
  ['the address is in quotes', ['"ann@example.com"']],
  ['the address is encoded', ['=?utf-8?q?ann=40example.com?=']],
  ['the address changes its direction', ['\u202emoc.elpmaxe\u202c@evil.example']],
] as const)
  test(`it is not clear who the author is where ${what}`, () => assert.equal(authorsOf(...fields).clear, false))

for (const [what, value] of [
  ['more than 256 KiB', `x@evil.example,${' '.repeat(256 * 1024)} ceo@bank.example`],
  ['more than 1,000 authors', `${'x@evil.example,'.repeat(1_000)} ceo@bank.example`],
  ['more than 20,000 pieces', `${','.repeat(20_000)} ceo@bank.example`],
  ['an address of more than 998 characters', `ceo@bank.${'\u00ad'.repeat(1_000)}example`],
  ['thousands of @ and no address', `"${'@'.repeat(10_000)}"`],
] as const)
  test(`a From with ${what} is not read to its end`, () => assert.equal(authorsOf(value).complete, false))

test('an author is found behind whatever others stand in front', () => {
  const other = fc.constantFrom(
    'x@evil.example',
    'X <x@evil.example>',
    '"X, Y" <x@evil.example>',
    'x: y@evil.example;',
    '',
  )
  const comma = fc.constantFrom(',', ';', ', ', ' ;\r\n ', ',,')
  const hidden = fc.constantFrom('\u00ad', '\u200b', '\u2060', '\ufeff', '\u034f', ' .', '')
  const others = fc.array(other, { maxLength: 5 })
  fc.assert(
    fc.property(others, comma, hidden, fc.boolean(), (before, between, inside, bracketed) => {
      const address = inside === ' .' ? 'ceo@bank .example' : `ceo@bank${inside}.example`
      const authors = [...before, bracketed ? `Boss <${address}>` : address].join(between)
      assert.ok(authorsOf(authors).domains.includes('bank.example'), authors)
    }),
  )
})

test('what we write ourselves is read as one author, whatever the name', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ab@.,;:<>()[] =?_"\\') }).filter((text) => !text.includes('=?'))
  fc.assert(
    fc.property(name, (text) => {
      fc.pre(!(text.includes('@') && /["\\]/.test(text)))
      const { domains, clear } = authorsOf(`"${text.replace(/["\\]/g, '\\$&')}" <ann@example.com>`)
      assert.deepEqual([domains, clear], [['example.com'], true])
    }),
  )
})

for (const value of [
  ...['ann@away.example', '<ann@away.example>', 'Ann <ann@away.example>', "Ann O'Neil-Smith J. <a..n+n@Away.EXAMPLE>"],
  ...['"Smith, Ann (at work); x:" <ann@away.example>', '"" <_ann_@sub.away.example.>', 'Ann <ann@away>'],
  ...['Ann <ann@1.2.3>', 'Ann <ann@-away.example>', 'Ann <ann@away..example>', '"Ann" Ben <ann@away.example>'],
  ...[`Ann <${'a'.repeat(400)}@away.example>`, `Ann <ann@${'a.'.repeat(200)}example>`],
  'Ann <ann@away.example> <ben@away.example>',
])
  test(`the authors in ${value.slice(0, 60)} are those with a comment behind them`, () =>
    assert.deepEqual(authorsOf(value), authorsOf(`${value} (a comment)`)))

test('the longest From is read in little time', () => {
  for (const piece of ['@', '"', '(', '\\', '=?a?q?@', 'a@b,', 'x ', '.@', '[@]'])
    authorsOf(piece.repeat(Math.floor((256 * 1024) / piece.length)))
})
