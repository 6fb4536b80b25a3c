import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '#/errors.ts'
import { newLocalPart } from './mailbox.ts'

for (const given of [
  'ada',
  'a',
  '0',
  'ada.lovelace',
  'a-b_c.d',
  'info',
  'sales',
  'support',
  'marketing',
  'x'.repeat(64),
]) {
  test(`a mailbox can be named ${given}`, () => assert.equal(newLocalPart(given), given))
}

for (const [what, given] of [
  ['nothing', ''],
  ['a capital', 'A'],
  ['a reserved name in capitals', 'POSTMASTER'],
  ['two dots in a row', 'a..b'],
  ['a dot in front', '.a'],
  ['a dot at the end', 'a.'],
  ['a hyphen at the end', 'a-'],
  ['an underscore in front', '_a'],
  ['a plus sign', 'a+b'],
  ['65 characters', 'x'.repeat(65)],
  ['a Cyrillic letter that looks like a', '\u0430da'],
  ['the Kelvin sign', '\u212ael'],
  ['a line break at the end', 'ada\n'],
  ['a space', 'a b'],
  ['an address', 'ada@example.com'],
] as const) {
  test(`a mailbox cannot be named with ${what}`, () => assert.throws(() => newLocalPart(given), refused))
}

for (const given of 'postmaster abuse hostmaster webmaster noc security usenet news uucp ftp www mailer-daemon root'.split(
  ' ',
)) {
  test(`a mailbox cannot be named ${given}, which is reserved`, () => {
    assert.throws(() => newLocalPart(given), refused)
  })
}

test('every name that passes is lower-case letters, digits and single separators within', () => {
  const names = fc.string({ unit: fc.constantFrom(...'abz09._-+A\u0430'), maxLength: 8 })
  fc.assert(
    fc.property(names, (given) => {
      const passes = /^[a-z0-9](?:(?:[a-z0-9_-]|\.(?!\.))*[a-z0-9])?$/.test(given)
      if (passes) assert.equal(newLocalPart(given), given)
      else assert.throws(() => newLocalPart(given), refused)
    }),
  )
})

function refused(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'invalid_request' && error.field === 'local_part'
}
