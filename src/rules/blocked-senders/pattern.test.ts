import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parsePattern, patternsMatching } from '#/formats/mime/address/address-pattern.ts'
import { blockPattern } from './pattern.ts'

for (const [given, stored] of [
  ['Ann@Example.COM', 'ann@example.com'],
  ['@Example.COM', '@example.com'],
  [' @example.com ', '@example.com'],
  ['@example.com.', '@example.com'],
  ['@sub.example.com', '@sub.example.com'],
  ['a.b+c=d_e-f@example.com', 'a.b+c=d_e-f@example.com'],
  ['a..b@docomo.ne.jp', 'a..b@docomo.ne.jp'],
  ['"ann"@example.com', 'ann@example.com'],
  ['"A b"@c.example', '"a b"@c.example'],
  ['"a\\ \\"b"@c.example', '"a \\"b"@c.example'],
  ['@BÜCHER.example', '@xn--bcher-kva.example'],
  ['@xn--bcher-kva.example', '@xn--bcher-kva.example'],
  ['ann@\u212Aelvin.example', 'ann@kelvin.example'],
  ['JÖRG@example.com', 'jörg@example.com'],
  ['jo\u0308rg@example.com', 'jörg@example.com'],
] as const)
  test(`Blocking ${given} stores ${stored}`, () => assert.equal(blockPattern(given), stored))

for (const given of [
  ...['', ' ', '@', 'ann', 'ann@', 'example.com', '@@example.com', 'ann@b@example.com', '@com', '@localhost'],
  ...['*@example.com', '@*.example.com', '@.example.com', '@example..com', '@-a.example', '@exa mple.com', '@1.2.3.4'],
  ...['ann@com', 'a b@example.com', '"a*b"@example.com', '""@example.com', '"a\nb"@example.com', '<ann@example.com>'],
  ...['Ann <ann@example.com>', 'a,b@example.com', 'ann@example.com, bob@example.com', 'ann\n@example.com'],
  ...['ann\u0000@example.com', 'ann@exam\u0000ple.com', 'ann\ud83d@example.com', '\u202eann@example.com'],
  ...['@exa%6dple.com', `${'a'.repeat(250)}@example.com`],
])
  test(`Blocking ${JSON.stringify(given).slice(0, 40)} is refused`, () =>
    assert.throws(() => blockPattern(given), { field: 'pattern' }))

for (const [what, address, expected] of [
  ['x@example.com', 'x@example.com', true],
  ['x@Example.COM', 'x@Example.COM', true],
  ['not x@sub.example.com', 'x@sub.example.com', false],
  ['not x@notexample.com', 'x@notexample.com', false],
  ['not example.com@other.test', 'example.com@other.test', false],
  ['not "x@example.com"@other.test', '"x@example.com"@other.test', false],
  ['not the null sender', '', false],
] as const)
  test(`@example.com blocks ${what}`, () =>
    assert.equal(patternsMatching([address]).includes('@example.com'), expected))

test('an address is blocked however its local part is quoted', () => {
  for (const local of ['"bad"', '"b\\ad"', '"b"."ad"', 'b."ad"']) {
    const [pattern] = patternsMatching([`${local}@evil.example`])
    assert.ok(pattern === 'bad@evil.example' || pattern === 'b.ad@evil.example', local)
  }
})

test('A stored pattern is its own stored form', () =>
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      const pattern = parsePattern(address)
      fc.pre(pattern !== undefined)
      assert.equal(parsePattern(String(pattern)), pattern)
      assert.ok(patternsMatching([address.toUpperCase()]).includes(String(pattern)))
    }),
  ))
