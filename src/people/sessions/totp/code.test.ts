import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, codeOf, newRecoveryCodes, newSecret, otpauthUri, plainCode, stepAt, stepOfCode } from './code.ts'

const secret = Buffer.from('12345678901234567890')

// RFC 6238, appendix B: the last six of the eight digits there.
for (const [seconds, code] of Object.entries({
  ...{ 59: '287082', 1111111109: '081804', 1111111111: '050471' },
  ...{ 1234567890: '005924', 2000000000: '279037', 20000000000: '353130' },
}))
  test(`the code at ${seconds} s is that of RFC 6238`, () =>
    assert.equal(codeOf(secret, stepAt(Number(seconds) * 1_000)), code))

for (const [what, at, expected] of [
  ['in its 30 seconds', 89_000, 2],
  ['in the 30 seconds after', 90_000, 2],
  ['not a minute after', 120_000, undefined],
  ['in the 30 seconds before', 59_999, 2],
] as const)
  test(`a code is accepted ${what}`, () => assert.equal(stepOfCode(secret, codeOf(secret, 2), at), expected))

test('base32 is that of RFC 4648', () => {
  assert.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  assert.match(base32(newSecret()), /^[A-Z2-7]{32}$/)
})

test('the URI names issuer, member and secret, whatever their names', () => {
  const uri = new URL(otpauthUri(secret, { email: 'ada&bob@tryout.test', issuer: 'Mailroom (A&B: x)' }))
  assert.equal(uri.href.slice(0, 15), 'otpauth://totp/')
  assert.equal(decodeURIComponent(uri.pathname), '/Mailroom (A&B: x):ada&bob@tryout.test')
  const fixed = { algorithm: 'SHA1', digits: '6', period: '30' }
  const said = { secret: base32(secret), issuer: 'Mailroom (A&B: x)', ...fixed }
  assert.deepEqual(Object.fromEntries(uri.searchParams), said)
})

test('recovery codes differ, and are read with and without their hyphens', () => {
  const codes = newRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) {
    assert.match(code, /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    assert.equal(plainCode(` ${code.toUpperCase()} `), code.replaceAll('-', ''))
  }
})
