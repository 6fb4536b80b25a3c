// On both databases: connections change the same folders at once.

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { Refusal } from '#/base/errors.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { copy, refusal } from '#test/world/letters/letters.ts'
import { trials } from '#test/world/mail/trial.ts'
import { expungeMessages } from './expunge.ts'
import { folderName, standardFolders } from './folder-name.ts'
import { findFolder, folderStates, folderStatuses } from './folders.ts'
import { uidsAfter } from './list.ts'
import { makeFolder, removeFolder, renameFolderTree } from './make-folder.ts'
import { updateMessages } from './update.ts'

const testIt = await trials()

testIt('a folder is made once', async ({ ada, db, append, uids }) => {
  assert.deepEqual(
    [await makeFolder(db, ada, 'Projects/Apollo'), await makeFolder(db, ada, 'Projects/Apollo')],
    [true, false],
  )
  assert.equal(await makeFolder(db, ada, 'archive'), false)
  assert.deepEqual((await folderStatuses(db, ada)).at(-1), { name: 'Projects/Apollo', total: 0, unread: 0 })
  await append(copy(ada, { folder: 'Projects/Apollo' }))
  assert.deepEqual(await uids('Projects/Apollo'), [1])
})

testIt('a folder is renamed with its mail and with those within it', async ({ ada, db, append, uids }) => {
  for (const folder of ['Wörk', 'Wörk/a', 'Wörk/a/b', 'Wörkshop']) await append(copy(ada, { folder, keywords: ['k'] }))
  assert.deepEqual(await uids('Wörk'), [1])
  await renameFolderTree(db, ada, 'Wörk', 'Ätelier/new')
  const names = (await folderStatuses(db, ada)).map(({ name }) => name).slice(standardFolders.length)
  assert.deepEqual(
    names.filter((name) => name !== 'Ätelier'),
    ['Wörkshop', 'Ätelier/new', 'Ätelier/new/a', 'Ätelier/new/a/b'],
  )
  for (const folder of names.slice(0, 4)) assert.deepEqual(await uids(folder, { keyword: 'k' }), [1], folder)
  await assert.rejects(uids('Wörk'), refusal('folder'))
  await append(copy(ada, { folder: 'Wörk' }))
  assert.equal((await uids('Wörk')).length, 1)
})

testIt('a folder is not renamed to one that is there, nor one that is not there', async ({ ada, db, append, uids }) => {
  await append(copy(ada, { folder: 'One' }), copy(ada, { folder: 'Two' }), copy(ada, { folder: 'Two' }))
  await assert.rejects(renameFolderTree(db, ada, 'One', 'Two'), refusal('folder'))
  await assert.rejects(renameFolderTree(db, ada, 'Three', 'Four'), refusal('folder'))
  assert.deepEqual([(await uids('One')).length, (await uids('Two')).length], [1, 2])
})

testIt('however folders are created and renamed, every listed name reads as itself', async ({ ada, db }) => {
  const name = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'Spam',
          'ARCHIVE',
          'iNbOx',
          'Sent',
          '%',
          ' a',
          'e\u0301',
          '\u202e',
          '\0',
          '~0123456789ab',
          'x'.repeat(90),
        ),
        fc.string({ unit: anyCharacter, maxLength: 5 }),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((steps) => steps.join('/'))
  const unlessRefused = (error: unknown) => {
    if (!(error instanceof Refusal && error.field === 'folder')) throw error
  }
  await fc.assert(
    fc.asyncProperty(name, name, async (first, second) => {
      await makeFolder(db, ada, first).catch(unlessRefused)
      await makeFolder(db, ada, `${first}/within`).catch(unlessRefused)
      await renameFolderTree(db, ada, first, second).catch(unlessRefused)
      const listed = (await folderStatuses(db, ada)).map(({ name }) => name)
      assert.deepEqual(listed.map(folderName), listed)
      assert.equal(new Set(listed).size, listed.length)
      for (const one of listed.slice(standardFolders.length)) {
        assert.deepEqual((await findFolder(db, ada, one)).total, 0, one)
        await removeFolder(db, ada, one).catch(unlessRefused)
      }
    }),
    { numRuns: 30 },
  )
})

testIt('an empty folder is removed, and one with mail is not', async ({ ada, db, append, uids }) => {
  await append(copy(ada, { folder: 'Later' }))
  assert.equal(await removeFolder(db, ada, 'Later'), false)
  assert.deepEqual(await uids('Later'), [1])
  await updateMessages(db, ada, 'Later', [1], { folder: 'archive' })
  assert.equal(await removeFolder(db, ada, 'Later'), true)
  assert.equal((await folderStatuses(db, ada)).length, standardFolders.length)
  await assert.rejects(uids('Later'), refusal('folder'))
  await assert.rejects(removeFolder(db, ada, 'Later'), refusal('folder'))
  await append(copy(ada, { folder: 'Later' }))
  assert.equal((await uids('Later')).length, 1)
})

testIt('nobody changes folders of another organization', async ({ ada, stranger, db }) => {
  const disguised = { ...stranger, organizationId: ada.organizationId }
  await makeFolder(db, stranger, 'Own')
  await assert.rejects(makeFolder(db, disguised, 'New'), refusedAs('not_found'))
  await assert.rejects(renameFolderTree(db, disguised, 'Own', 'New'), refusedAs('not_found'))
  await assert.rejects(removeFolder(db, disguised, 'Own'), refusedAs('not_found'))
  assert.equal((await folderStatuses(db, stranger)).at(-1)?.name, 'Own')
})

testIt('the state of a folder changes with its messages and flags, and with those of no other', async (at) => {
  const { ada, db, append } = at
  let before = new Map<string, unknown>()
  const changed = async () => {
    const states = new Map<string, unknown>((await folderStates(db, ada)).map(({ name, state }) => [name, state]))
    const names = [...states.keys()].filter((name) => !isDeepStrictEqual(states.get(name), before.get(name)))
    before = states
    return names
  }
  assert.deepEqual(await changed(), [...standardFolders])
  await append(copy(ada), copy(ada))
  assert.deepEqual(await changed(), ['inbox'])
  await updateMessages(db, ada, 'inbox', [1], { seen: true })
  assert.deepEqual(await changed(), ['inbox'])
  await updateMessages(db, ada, 'inbox', [1], { folder: 'archive' })
  assert.deepEqual((await changed()).sort(), ['archive', 'inbox'])
  await expungeMessages(db, ada, 'archive', [1])
  assert.deepEqual(await changed(), ['archive'])
  assert.deepEqual(await changed(), [])
})

testIt('uids are found in ascending order, from any on', async ({ ada, db, append }) => {
  await append(...Array.from({ length: 5 }, () => copy(ada)))
  await expungeMessages(db, ada, 'inbox', [2])
  assert.deepEqual(await uidsAfter(db, ada, 'inbox', 0, 3), [1, 3, 4])
  assert.deepEqual(await uidsAfter(db, ada, 'inbox', 4, 3), [5])
  assert.deepEqual(await uidsAfter(db, ada, 'inbox', 5, 3), [])
  assert.deepEqual(await uidsAfter(db, ada, 'inbox', 2 ** 32 - 1, 3), [])
  assert.deepEqual(await uidsAfter(db, ada, 'trash', 0, 3), [])
})

testIt('mail that arrives while its folder is removed is stored', async ({ ada, db, append }) => {
  for (let round = 0; round < 10; round++) {
    await makeFolder(db, ada, 'Busy')
    const [removed] = await Promise.all([
      removeFolder(db, ada, 'Busy'),
      append(copy(ada, { folder: 'Busy' }), copy(ada, { folder: 'archive' })),
    ])
    const uids = await uidsAfter(db, ada, 'Busy', 0, 10)
    assert.equal(uids.length, 1, `round ${round}, removed: ${removed}`)
    await expungeMessages(db, ada, 'Busy', uids)
  }
  assert.equal((await uidsAfter(db, ada, 'archive', 0, 100)).length, 10)
})

function refusedAs(code: string): (error: unknown) => boolean {
  return (error) => (error as { code?: unknown }).code === code
}
