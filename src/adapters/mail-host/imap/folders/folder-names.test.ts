import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '#/errors.ts'
import { folderName, newFolderName } from '#/messages/folders/folder-name.ts'
import { encodeUtf7 } from '#/mime/modified-utf7.ts'
import { FolderNames } from './folder-names.ts'

const standard = [
  ['inbox', 'INBOX'],
  ['sent', 'Gesendet'],
  ['drafts', 'Drafts'],
  ['archive', 'Archive'],
  ['junk', 'Junk'],
  ['trash', 'Trash'],
] as const

function namesOn(delimiter = '/', prefix = '', foreign: readonly string[] = []): FolderNames {
  const paths = standard.map(([name, path]) => [name, path === 'INBOX' ? path : prefix + path] as const)
  return new FolderNames({ own: { prefix, delimiter }, foreign }, new Map(paths))
}

for (const [path, name] of [
  ['INBOX', 'inbox'],
  ['Gesendet', 'sent'],
  ['Projects/Apollo', 'Projects/Apollo'],
  ['Entw&APw-rfe', 'Entwürfe'],
  ['Junk/2026', 'Junk/2026'],
  ['Spam', 'Spam ~94a9eac404c8'],
  ['Sent', 'Sent ~c16bc82bf1f0'],
  ['ARCHIVE', /^ARCHIVE ~[0-9a-f]{12}$/],
  ['100%', /^100_ ~[0-9a-f]{12}$/],
  ['* *', /^_ _ ~[0-9a-f]{12}$/],
  [' outer ', /^outer ~[0-9a-f]{12}$/],
  ['a/ /b', /^a\/_\/b ~[0-9a-f]{12}$/],
  ['&AGE-', /^a ~[0-9a-f]{12}$/],
  [encodeUtf7('Cafe\u0301'), /^Café ~[0-9a-f]{12}$/],
  [encodeUtf7('Pay\u202eroll'), /^Pay_roll ~[0-9a-f]{12}$/],
  [encodeUtf7('é'.repeat(200)), /^é{100} ~[0-9a-f]{12}$/],
  ['Spam ~94a9eac404c8', /^Spam ~94a9eac404c8 ~[0-9a-f]{12}$/],
] as const) {
  test(`a server's folder ${path.slice(0, 30)} is listed under a name that reads as itself`, () => {
    const listed = namesOn().nameOf(path) ?? ''
    if (typeof name === 'string') assert.equal(listed, name)
    else assert.match(listed, name)
  })
}

const step = fc.oneof(
  fc.constantFrom(
    'Spam',
    'ARCHIVE',
    'sent',
    'iNbOx',
    'Jun\u212a',
    '%',
    '*',
    ' a',
    'a ',
    '.',
    '..',
    '~x',
    '~0123456789ab',
  ),
  fc.constantFrom('e\u0301', '\u202e', '\u2028', '\ud800', '\ufeff', '\u0301', '&', '&-', '&AGE-', 'x'.repeat(300)),
  fc.string({ unit: 'binary', maxLength: 8 }),
)

const path = fc
  .tuple(
    fc.constantFrom('/', '.', '^'),
    fc.constantFrom('', 'INBOX', 'Me'),
    fc.boolean(),
    fc.array(step, { maxLength: 5 }),
  )
  .map(([delimiter, above, encoded, steps]) => {
    const prefix = above && above + delimiter
    const given = steps.map((one) => (encoded ? encodeUtf7(one) : one.replace(/[^\x20-\x7e]/g, '-')))
    return { delimiter, prefix, path: prefix + given.join(delimiter) }
  })

test('whatever a folder of a server is called, its listed name reads as itself and leads to it, and no other has it', () => {
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 6 }), (made) => {
      const [{ delimiter = '/', prefix = '' } = {}] = made
      const names = namesOn(delimiter, prefix)
      const paths = made.filter((one) => one.prefix === prefix && one.delimiter === delimiter).map((one) => one.path)
      const all = new Set([...standard.map(([name]) => names.pathOf(name)), ...paths])
      const listed = [...all].map((one) => names.nameOf(one) ?? assert.fail(one))
      assert.equal(new Set(listed).size, all.size)
      for (const name of listed) assert.equal(folderName(name), name)
      assert.deepEqual(
        listed.map((name) => names.pathOf(name)),
        [...all],
      )
      // Another process, whose server lists the folders in another order, has the same names.
      const other = namesOn(delimiter, prefix)
      assert.deepEqual(
        [...all].toReversed().map((one) => other.nameOf(one)),
        listed.toReversed(),
      )
    }),
    { numRuns: 2_000 },
  )
})

test('a folder that somebody creates by a name is listed by that name, or refused', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.constantFrom('/', '.'), (steps, delimiter) => {
      const names = namesOn(delimiter, delimiter === '.' ? 'INBOX.' : '', ['Shared/'])
      let name: string
      let path: string
      try {
        name = newFolderName(steps.join('/'))
        path = names.pathOf(name)
      } catch (error) {
        assert.ok(error instanceof Refusal && error.field === 'folder')
        return
      }
      assert.equal(names.nameOf(path), name)
    }),
    { numRuns: 1_000 },
  )
})

test('an alias leads nowhere before its folder was listed', () => {
  const names = namesOn()
  assert.equal(names.isUnknown('Spam ~94a9eac404c8'), true)
  assert.throws(() => names.pathOf('Spam ~94a9eac404c8'), /No folder/)
  names.nameOf('Spam')
  assert.equal(names.isUnknown('Spam ~94a9eac404c8'), false)
  assert.equal(names.pathOf('Spam ~94a9eac404c8'), 'Spam')
})

test('folders of other users and shared ones have no name', () => {
  const names = namesOn('/', '', ['Shared/'])
  for (const path of ['Shared/team', 'Shared']) assert.equal(names.nameOf(path), undefined, path)
  assert.equal(namesOn('.', 'INBOX.').nameOf('Elsewhere'), undefined)
})
