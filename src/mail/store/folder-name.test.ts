import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '#/base/errors.ts'
import { encodeUtf7 } from '#/formats/mime/modified-utf7.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { folderName, newFolderName, standardFolders } from './folder-name.ts'

for (const [what, given, expected] of [
  ['one of the six as it is', 'inbox', 'inbox'],
  ['one of the six in capitals', 'INBOX', 'inbox'],
  ['one of the six in mixed case', 'Sent', 'sent'],
  ['spam as junk', 'Spam', 'junk'],
  ['a path as it is', 'Projects/Apollo', 'Projects/Apollo'],
  ['a path below one of the six as it is', 'Inbox/Later', 'Inbox/Later'],
  ['a name with a space, a quote and a backslash', 'Bob"s \\ things', 'Bob"s \\ things'],
  ['a name of another script', 'Проекты', 'Проекты'],
  ['a composed letter whichever way it was written', 'Cafe\u0301', 'Caf\u00e9'],
  ['a path of 255 bytes', 'a'.repeat(255), 'a'.repeat(255)],
] as const)
  test(`a folder name is read: ${what}`, () => assert.equal(folderName(given), expected))

for (const [what, given] of [
  ['empty', ''],
  ['a space', ' '],
  ['CR and LF with an IMAP command', 'INBOX"\r\nA1 DELETE x'],
  ['U+0000', 'a\0b'],
  ['DEL', 'a\u007f'],
  ['a C1 control', 'a\u0085b'],
  ['a lone surrogate', 'a\ud800'],
  ['a mark that changes direction', 'a\u202eb'],
  ['a line separator', 'a\u2028b'],
  ['a wildcard', 'Projects/*'],
  ['the other wildcard', '%'],
  ['a slash in front', '/Projects'],
  ['a slash at the end', 'Projects/'],
  ['an empty step', 'Projects//Apollo'],
  ['a space around a step', 'Projects/ Apollo'],
  ['256 bytes', 'a'.repeat(256)],
  ['256 bytes in fewer characters', 'é'.repeat(128)],
] as const)
  test(`a folder name is refused: ${what}`, () => {
    assert.throws(() => folderName(given), isRefused)
    assert.throws(() => newFolderName(given), isRefused)
  })

for (const name of ['.', '..', 'a/../b', 'a/./b', '../x'])
  test(`a folder that is called ${name} may be there, and is not made`, () => {
    assert.equal(folderName(name), name)
    assert.throws(() => newFolderName(name), isRefused)
  })

test('a folder whose name is too long as IMAP has it is not made', () => {
  assert.equal(newFolderName('\u0436'.repeat(94)), '\u0436'.repeat(94))
  assert.throws(() => newFolderName('\u0436'.repeat(95)), isRefused)
})

for (const name of ['a.b', '...', '.a', '~', '~x', 'a/~x', 'dbox-Mails', 'R&D', 'a'.repeat(255), 'INBOX', 'spam'])
  test(`a folder that is called ${name.slice(0, 10)} can be made`, () =>
    assert.equal(newFolderName(name), folderName(name)))

function isRefused(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'invalid_request' && error.field === 'folder'
}

test('a folder name that was read reads as itself, in one line', () =>
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...standardFolders)), (given) => {
      let name: string
      try {
        name = folderName(given)
      } catch (error) {
        assert.ok(error instanceof Refusal)
        return
      }
      assert.equal(folderName(name), name)
      assert.doesNotMatch(name, /[\r\n\0]/)
    }),
  ))

test('a folder that can be made leads nowhere else, and fits', () => {
  const odd = fc.constantFrom('.', '..', '~')
  const step = fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 40 }))
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
      let name: string
      try {
        name = newFolderName(steps.join('/'))
      } catch (error) {
        assert.ok(isRefused(error))
        return
      }
      assert.equal(newFolderName(name), name)
      assert.doesNotMatch(name, /(^|\/)\.\.?(\/|$)/)
      assert.ok(encodeUtf7(name).length <= 255)
    }),
  )
})
