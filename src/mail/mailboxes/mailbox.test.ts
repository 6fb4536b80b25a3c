import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '#/base/errors.ts'
import { canonicalAddress, isAddress } from '#/formats/mime/address/address.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { newLocalPart } from './mailbox.ts'

for (const given of ['a', '0', 'ada.lovelace', 'a-b_c.d', 'info', 'sales', 'support', 'marketing', 'x'.repeat(64)])
  test(`a mailbox can be named ${given}`, () => assert.equal(newLocalPart(given), given))

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
  ['a full-width letter', '\uff41da'],
  ['a combining accent', 'a\u0301da'],
  ['a zero-width space', 'a\u200bda'],
  ['a digit of another script', 'ada\u0661'],
  ['a capital that is one in Turkish alone', '\u0130da'],
  ['a quoted name', '"ada"'],
  ['a percent sign', 'ada%40'],
  ['an underscore at the end', 'a_'],
  ['separators alone', '._-'],
  ['a NUL', 'a\0b'],
] as const)
  test(`a mailbox cannot be named with ${what}`, () => assert.throws(() => newLocalPart(given), refused))

const reserved = 'postmaster abuse hostmaster webmaster noc security usenet news uucp ftp www mailer-daemon root'
for (const given of reserved.split(' '))
  test(`a mailbox cannot be named ${given}, which is reserved`, () => assert.throws(() => newLocalPart(given), refused))

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

test('whatever passes is an address as it is: nothing else is compared, stored or written to', () => {
  const names = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 70 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'abyz09._-'), maxLength: 70 }),
  )
  fc.assert(
    fc.property(names, (given) => {
      try {
        assert.equal(canonicalAddress(`${newLocalPart(given)}@example.com`), `${given}@example.com`)
        assert.ok(isAddress(`${given}@example.com`))
      } catch (error) {
        assert.ok(refused(error), String(error))
      }
    }),
  )
})

function refused(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'invalid_request' && error.field === 'local_part'
}
