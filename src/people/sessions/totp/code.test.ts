import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRecoveryCodes, plainCode, stepOfCode, timedCodes } from './code.ts'

const secret = Buffer.from('12345678901234567890')

// RFC 6238, appendix B: the last six of the eight digits there.
for (const [what, code, seconds, expected] of [
  ['in its 30 seconds', '287082', 59, 1],
  ['in the 30 seconds after', '287082', 60, 1],
  ['not a minute after', '287082', 90, undefined],
  ['in the 30 seconds before', '081804', 1111111079, 37037036],
  ['not a minute before', '081804', 1111111049, undefined],
] as const)
  test(`a code is accepted ${what}`, () => assert.equal(stepOfCode(secret, code, seconds * 1_000), expected))

test('the URI names issuer, member, secret and parameters', () =>
  assert.equal(
    timedCodes(secret, { label: 'ada&bob@tryout.test', issuer: 'Mailroom (A&B: x)' }).toString(),
    'otpauth://totp/Mailroom%20(A%26B%3A%20x):ada%26bob%40tryout.test?issuer=Mailroom%20(A%26B%3A%20x)&' +
      'secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
  ))

test('recovery codes differ, and are read with and without their hyphens', () => {
  const codes = newRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) {
    assert.match(code, /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    assert.equal(plainCode(` ${code.toUpperCase()} `), code.replaceAll('-', ''))
  }
})
