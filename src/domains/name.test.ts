import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { Refusal } from '#/base/errors.ts'
import { canonicalAddress, canonicalDomain } from '#/formats/mime/address/address.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { domainName, registeredDomain, unicodeName } from './name.ts'

const strict = { allowReserved: false }

describe('a domain is stored in one form', () => {
  for (const [given, stored] of [
    ['example.com', 'example.com'],
    ['EXAMPLE.Com.', 'example.com'],
    ['mail.example.co.uk', 'mail.example.co.uk'],
    ['example.github.io', 'example.github.io'],
    ['www.ck', 'www.ck'], // an exception to the rule *.ck
    ['city.kobe.jp', 'city.kobe.jp'],
    ['r4---sn.example.com', 'r4---sn.example.com'],
    ['1.example.com', '1.example.com'],
    ['123.de', '123.de'],
    ['K.example', 'k.example'], // Kelvin sign
    ['\u212Aelvin.com', 'kelvin.com'],
    ['ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com'],
    ['example。com', 'example.com'],
    ['ex\u00adample.com', 'example.com'], // soft hyphen
    ['ﬁre.com', 'fire.com'], // ligature
    ['bücher.de', 'xn--bcher-kva.de'],
    ['BU\u0308CHER.DE', 'xn--bcher-kva.de'],
    ['XN--BCHER-KVA.de', 'xn--bcher-kva.de'],
    ['faß.de', 'xn--fa-hia.de'], // not fass.de: UTS 46 is no longer transitional
    ['βόλος.com', 'xn--nxasmm1c.com'], // final sigma, likewise
    ['日本語。jp', 'xn--wgv71a119e.jp'],
    ['президент.рф', 'xn--d1abbgf6aiiy.xn--p1ai'],
    ['例子.公司.cn', 'xn--fsqu00a.xn--55qx5d.cn'],
    ['مثال.com', 'xn--mgbh0fb.com'],
    ['☕.us', 'xn--53h.us'],
    ['name.newtld', 'name.newtld'], // a top-level domain may be newer than the list
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(13)}.com`, undefined],
  ] as const)
    test(given, () => assert.equal(domainName(given, { allowReserved: given.endsWith('.example') }), stored ?? given))
})

describe('no organization can enrol', () => {
  for (const [what, given, reason] of [
    ['nothing', '', /not a domain name/],
    ['a dot', '.', /not a domain name/],
    ['a single label', 'localhost', /single label/],
    ['a top-level domain', 'com', /single label/],
    ['a top-level domain with its dot', 'com.', /single label/],
    ['a public suffix', 'co.uk', /public suffix/],
    ['a public suffix in capitals', 'CO.UK.', /public suffix/],
    ['a public suffix by a wildcard', 'anything.ck', /public suffix/],
    ['a public suffix under a wildcard', 'b.kobe.jp', /public suffix/],
    ['a public suffix in Unicode', '公司.cn', /public suffix/],
    ['a public suffix in full width', 'ｃｏ．ｕｋ', /public suffix/],
    ['a private suffix', 'github.io', /public suffix/],
    ['an IPv4 address', '192.0.2.1', /IP address/],
    ['an IPv4 address in full width', '１９２.０.２.１', /IP address/],
    ['an IPv4 address in parts', '192.513', /IP address/],
    ['a hexadecimal one', '0x7f.1', /not a domain name/],
    ['an IPv6 address', '2001:db8::1', /IP address/],
    ['an address literal', '[192.0.2.1]', /not a domain name/],
    ['an IPv6 literal', '[::1]', /IP address/],
    ['a name for tests', 'example.test', /\.test is reserved/],
    ['a name for examples', 'mail.EXAMPLE', /reserved/],
    ['a name that is never valid', 'a.invalid', /reserved/],
    ['a name of the machine', 'a.localhost', /reserved/],
    ['a name of the local network', 'printer.local', /reserved/],
    ['a private name', 'corp.internal', /reserved/],
    ['an onion service', 'abcdefgh.onion', /reserved/],
    ['an address in reverse', '2.0.192.in-addr.arpa', /reserved/],
    ['an underscore', '_dmarc.example.com', /underscore/],
    ['an underscore in full width', 'a＿b.com', /underscore/],
    ['an e-mail address', 'ann@example.com', /e-mail address/],
    ['a URL', 'https://example.com/', /URL/],
    ['a port', 'example.com:25', /not a domain name/],
    ['a path', 'example.com/x', /not a domain name/],
    ['a wildcard', '*.example.com', /not a domain name/],
    ['two dots in a row', 'a..com', /not a domain name/],
    ['two dots at the end', 'example.com..', /not a domain name/],
    ['a dot at the start', '.example.com', /not a domain name/],
    ['a hyphen at the start', '-a.com', /not a domain name/],
    ['a hyphen at the end', 'a-.com', /not a domain name/],
    ['a space', 'exam ple.com', /not a domain name/],
    ['a space at the end', 'example.com ', /not a domain name/],
    ['a line', 'example.com\n', /not a domain name/],
    ['NUL', 'example\0.com', /not a domain name/],
    ['an escape of a URL', '%65xample.com', /not a domain name/],
    ['an escape in full width', '％65xample.com', /not a domain name/],
    ['a slash in full width', 'example.com／x', /not a domain name/],
    ['half a character', 'a\ud800.com', /not a domain name/],
    ['the other direction of writing', 'a\u202eb.com', /not a domain name/],
    ['a joiner between Latin letters', 'a\u200db.com', /not a domain name/],
    ['both directions in a label', 'aא.com', /not a domain name/],
    ['a label of accents', '\u0301a.com', /not a domain name/],
    ['an A-label of nothing', 'xn--.com', /not a domain name/],
    ['an A-label of ASCII', 'xn--example-.com', /not a domain name/],
    ['an A-label that does not decode', 'xn--99999999.com', /not a domain name/],
    ['an A-label of what UTS 46 maps', 'xn--zn7c.com', /not a domain name/], // U+2488
    ['64 octets in a label', `${'a'.repeat(64)}.com`, /not a domain name/],
    ['64 octets in an A-label', `${'ü'.repeat(60)}${'a'.repeat(4)}.com`, /not a domain name/],
    ['254 octets', `${'a.'.repeat(125)}comm`, /not a domain name/],
    ['a name too long for records below it', `${'a.'.repeat(104)}com`, /211 characters/],
    ['a name of a megabyte', 'a.'.repeat(2 ** 19), /not a domain name/],
  ] as const)
    test(what, () =>
      assert.throws(
        () => domainName(given, strict),
        (error) => {
          assert.ok(error instanceof Refusal && error.code === 'invalid_request' && error.field === 'domain')
          return error.message.length < 200 && reason.test(error.message)
        },
      ),
    )
})

test('a try-out may have reserved names', () => {
  for (const name of ['tryout.test', 'a.example', 'b.localhost'])
    assert.equal(domainName(name, { allowReserved: true }), name)
})

const parts = [
  ...['a', 'B', '-', '.', '.', '1', 'ü', 'ß', 'Ｋ', 'K', '。', '_', 'xn--', 'а', 'ا', '字', 'co.uk', '.com'],
  ...['\u0301', '☕'],
]
const part = fc.oneof(fc.constantFrom(...parts), fc.string({ unit: anyCharacter, maxLength: 3 }))
const nearNames = fc.array(part, { maxLength: 12 }).map((all) => all.join(''))

const accepted = (given: string): string | undefined => {
  try {
    return domainName(given, strict)
  } catch (error) {
    assert.ok(error instanceof Refusal && error.field === 'domain')
    return undefined
  }
}

test('whatever is given becomes a name of the DNS that stays as it is, or is refused', () =>
  fc.assert(
    fc.property(nearNames, (given) => {
      const domain = accepted(given)
      if (domain === undefined) return
      assert.match(domain, /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      assert.equal(domainName(domain, strict), domain)
      assert.equal(domainName(`${domain.toUpperCase()}.`, strict), domain)
      assert.equal(domainName(domainToUnicode(domain), strict), domain)
    }),
    { numRuns: 3_000 },
  ))

test('mail to it is looked up under the same name', () =>
  fc.assert(
    fc.property(nearNames, (given) => {
      const domain = accepted(given)
      if (domain === undefined) return
      assert.equal(canonicalDomain(given), domain)
      assert.equal(canonicalAddress(`ann@${unicodeName(domain)}`), `ann@${domain}`)
    }),
    { numRuns: 1_000 },
  ))

describe('a name is shown in Unicode where it reads as what it is', () => {
  for (const [domain, shown] of [
    ['example.com', 'example.com'],
    ['xn--bcher-kva.de', 'bücher.de'],
    ['xn--fa-hia.de', 'faß.de'],
    ['xn--wgv71a119e.jp', '日本語.jp'],
    ['xn--d1abbgf6aiiy.xn--p1ai', 'президент.рф'],
    ['xn--nxasmm1c.com', 'βόλος.com'],
    ['xn--mgbh0fb.com', 'مثال.com'],
    ['xn--e1afmkfd.com', 'пример.com'],
    ['xn--n3h.net', 'xn--n3h.net'], // a snowman
    ['xn--53h.us', 'xn--53h.us'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e.com'], // all Cyrillic, reads as apple
    ['xn--pple-43d.com', 'xn--pple-43d.com'], // one Cyrillic letter among Latin ones
    ['xn--ggle-55da.com', 'xn--ggle-55da.com'], // likewise
    ['xn--mxahbxey0c.gr', 'εχαμπλε.gr'],
  ] as const)
    test(`${domain} as ${shown}`, () => assert.equal(unicodeName(domain), shown))
})

test('the domain that was registered is the part below the public suffix', () => {
  assert.equal(registeredDomain('a.b.example.co.uk'), 'example.co.uk')
  assert.equal(registeredDomain('example.com'), 'example.com')
  assert.equal(registeredDomain('mail.example.test'), 'example.test')
})
