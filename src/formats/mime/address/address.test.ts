import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { canonicalAddress, canonicalDomain, isAddress, parseMailbox, splitAddress, stripTag } from './address.ts'

for (const [what, written, canonical] of [
  ['in lower case', 'Ann.Example@EXAMPLE.com', 'ann.example@example.com'],
  ['with the domain in ASCII form', 'ann@Bücher.example', 'ann@xn--bcher-kva.example'],
  ['with an ASCII domain as it is', 'ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
  ['with the local part composed', 'jose\u0301@example.com', 'josé@example.com'],
  ['without a final dot', 'ann@example.com.', 'ann@example.com'],
  ['with the Kelvin sign as the letter that it is', 'ann@\u212aelvin.example', 'ann@kelvin.example'],
  ['without quotes that nothing needs', '"Bad"@evil.example', 'bad@evil.example'],
  ['without backslashes that nothing needs', '"b\\ad"@evil.example', 'bad@evil.example'],
  ['without quotes around a part', '"b"ad@evil.example', 'bad@evil.example'],
  ['without quotes around odd dots', '"a..b"@docomo.ne.jp', 'a..b@docomo.ne.jp'],
  ['without quotes around letters of other scripts', '"JO\u0308RG"@example.com', 'jörg@example.com'],
  ['with quotes around all, where a part needs them', 'a."b c"@example.com', '"a.b c"@example.com'],
  ['with the backslashes that quotes need', '"a\\"\\b\\\\"@example.com', '"a\\"b\\\\"@example.com'],
  ['with an empty local part in quotes', '""@example.com', '""@example.com'],
  ['with quotes that are not closed as they are', '"ann@example.com', '"ann@example.com'],
  ['without a final dot of another script', 'ann@example.com\u3002', 'ann@example.com'],
  ['with a quoted local part that holds an @', '"a@b"@example.com', '"a@b"@example.com'],
  ['of a single-label domain, which a block may name', 'root@localhost', 'root@localhost'],
  ['not where the domain is missing', 'ann@', undefined],
  ['not where the local part is missing', '@example.com', undefined],
  ['not where there is no @', 'example.com', undefined],
  ['not where the domain ends in two dots', 'ann@example.com..', undefined],
  ['not where the domain is a number', 'ann@1.2.3', undefined],
  ['not where the domain is an address', 'ann@[192.0.2.1]', undefined],
  ['not where the domain hides a path', 'ann@example.com/x', undefined],
  ['not where the domain is percent-encoded', 'ann@ex%61mple.com', undefined],
  ['not where a label starts with a hyphen', 'ann@-example.com', undefined],
  ['not where a label is longer than 63', `ann@${'a'.repeat(64)}.com`, undefined],
  ['not where the domain is longer than 253', `ann@${'a.'.repeat(127)}com`, undefined],
] as const)
  test(`an address has a canonical form ${what}`, () => assert.equal(canonicalAddress(written), canonical))

test('a canonical address is its own canonical form', () =>
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.domain(), (local, domain) => {
      const canonical = canonicalAddress(`${local}@${domain}`)
      if (canonical !== undefined) assert.equal(canonicalAddress(canonical), canonical)
    }),
  ))

for (const [address, valid] of [
  ['ann@example.com', true],
  ["o'hara+tag/x=y@example.com", true],
  ['"ann smith"@example.com', true],
  ['"ann\\"s"@example.com', true],
  ['jörg@bücher.example', true],
  ['用户@例子.广告', true],
  [`${'a'.repeat(64)}@example.com`, true],
  [`${'a'.repeat(65)}@example.com`, false],
  [`${'ü'.repeat(33)}@example.com`, false],
  [`a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.example`, true],
  [`${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`, false],
  ['ann@localhost', false],
  ['ann@example.com.', false],
  ['ann@[192.0.2.1]', false],
  ['ann@192.0.2.1', false],
  ['ann@example..com', false],
  ['ann@exam_ple.com', false],
  ['.ann@example.com', false],
  ['ann.@example.com', false],
  ['an..n@example.com', false],
  ['ann smith@example.com', false],
  ['ann@example.com ', false],
  ['a@b@example.com', false],
  ['ann\r\n@example.com', false],
  ['"ann\n"@example.com', false],
  ['ann\u0000@example.com', false],
  ['ann\ud800@example.com', false],
  ['<ann@example.com>', false],
  ['', false],
] as const)
  test(`${JSON.stringify(address)} is ${valid ? 'an' : 'no'} address`, () => assert.equal(isAddress(address), valid))

for (const [text, name, address] of [
  ['ann@example.com', '', 'ann@example.com'],
  ['<ann@example.com>', '', 'ann@example.com'],
  ['Ann Example <ann@example.com>', 'Ann Example', 'ann@example.com'],
  ['  Ann   <ann@example.com> ', 'Ann', 'ann@example.com'],
  ['"Example, Ann \\"A\\"" <ann@example.com>', 'Example, Ann "A"', 'ann@example.com'],
  ['Ann (at work) <ann@example.com>', 'Ann (at work)', 'ann@example.com'],
  ['Jörg 👋 <jörg@example.com>', 'Jörg 👋', 'jörg@example.com'],
] as const)
  test(`${JSON.stringify(text)} is read as a mailbox`, () => assert.deepEqual(parseMailbox(text), { name, address }))

for (const text of [
  ...['', 'Ann', 'Ann <>', 'Ann <ann>', 'Ann ann@example.com', 'ann@example.com, ben@example.com'],
  ...['Ann <ann@example.com>, Ben <ben@example.com>', 'Example, Ann <ann@example.com>', '"Ann <ann@example.com>'],
  ...['Ann <ann@example.com> <ben@example.com>', 'ben@example.com <ann@example.com>', 'Ann\u0000 <ann@example.com>'],
  ...['Ann\r\nBcc: x@example.com <ann@example.com>', 'Ann\u2028 <ann@example.com>', 'Ann\udc00 <ann@example.com>'],
  `${'a'.repeat(1_000)} <ann@example.com>`,
])
  test(`${JSON.stringify(text.slice(0, 60))} is no mailbox`, () => assert.equal(parseMailbox(text), undefined))

test('a tag is what follows the first plus', () => {
  assert.equal(stripTag('ann+news+more'), 'ann')
  assert.equal(stripTag('ann'), 'ann')
  assert.equal(stripTag('+ann'), '+ann')
  assert.equal(stripTag('"a+b"'), '"a+b"')
})

test('an address is split at its last @', () => {
  assert.deepEqual(splitAddress('"a@b"@example.com'), { local: '"a@b"', domain: 'example.com' })
  assert.equal(splitAddress('ann'), undefined)
})

test('a domain that is longer than DNS allows is none', () => {
  assert.equal(canonicalDomain('a'.repeat(10_000)), undefined)
  assert.equal(canonicalDomain('ü'.repeat(10_000)), undefined)
})
