import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { Refusal } from '#/errors.ts'
import { folderName } from '#/messages/folders/folder-name.ts'
import type { TestIt } from './bench.ts'
import { copy, refusal } from './letters.ts'
import { folders } from './storing.ts'

/** Folders that are made, renamed and removed. */
export function namesFolders(testIt: TestIt): void {
  testIt('a folder is made once', async ({ ada, host, append, uids }) => {
    assert.deepEqual(
      [await host.createFolder(ada, 'Projects/Apollo'), await host.createFolder(ada, 'Projects/Apollo')],
      [true, false],
    )
    assert.equal(await host.createFolder(ada, 'archive'), false)
    assert.deepEqual((await host.folders(ada)).at(-1), { name: 'Projects/Apollo', total: 0, unread: 0 })
    await append(copy(ada, { folder: 'Projects/Apollo' }))
    assert.deepEqual(await uids('Projects/Apollo'), [1])
  })

  testIt('a folder is renamed with its mail and with those within it', async ({ ada, host, append, uids }) => {
    for (const folder of ['Wörk', 'Wörk/a', 'Wörk/a/b', 'Wörkshop'])
      await append(copy(ada, { folder, keywords: ['k'] }))
    assert.deepEqual(await uids('Wörk'), [1])
    await host.renameFolder(ada, 'Wörk', 'Ätelier/new')
    const names = (await host.folders(ada)).map(({ name }) => name).slice(folders.length)
    assert.deepEqual(
      names.filter((name) => name !== 'Ätelier'),
      ['Wörkshop', 'Ätelier/new', 'Ätelier/new/a', 'Ätelier/new/a/b'],
    )
    for (const folder of names.slice(0, 4)) assert.deepEqual(await uids(folder, { keyword: 'k' }), [1], folder)
    await assert.rejects(uids('Wörk'), refusal('folder'))
    await append(copy(ada, { folder: 'Wörk' }))
    assert.equal((await uids('Wörk')).length, 1)
  })

  testIt(
    'a folder is not renamed to one that is there, nor one that is not there',
    async ({ ada, host, append, uids }) => {
      await append(copy(ada, { folder: 'One' }), copy(ada, { folder: 'Two' }), copy(ada, { folder: 'Two' }))
      await assert.rejects(host.renameFolder(ada, 'One', 'Two'), refusal('folder'))
      await assert.rejects(host.renameFolder(ada, 'Three', 'Four'), refusal('folder'))
      assert.deepEqual([(await uids('One')).length, (await uids('Two')).length], [1, 2])
    },
  )

  testIt('however folders are created and renamed, every listed name reads as itself', async ({ ada, host }) => {
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
          fc.string({ unit: 'binary', maxLength: 5 }),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((steps) => steps.join('/'))
    const unlessRefused = (error: unknown) => {
      if (!(error instanceof Refusal && error.field === 'folder')) throw error
    }
    await fc.assert(
      fc.asyncProperty(name, name, async (first, second) => {
        await host.createFolder(ada, first).catch(unlessRefused)
        await host.createFolder(ada, `${first}/within`).catch(unlessRefused)
        await host.renameFolder(ada, first, second).catch(unlessRefused)
        const listed = (await host.folders(ada)).map(({ name }) => name)
        assert.deepEqual(listed.map(folderName), listed)
        assert.equal(new Set(listed).size, listed.length)
        for (const one of listed.slice(folders.length)) {
          assert.deepEqual(await host.extent(ada, one).then(({ total }) => total), 0, one)
          await host.removeFolder(ada, one).catch(unlessRefused)
        }
      }),
      { numRuns: 30 },
    )
  })

  testIt('an empty folder is removed, and one with mail is not', async ({ ada, host, append, uids }) => {
    await append(copy(ada, { folder: 'Later' }))
    assert.equal(await host.removeFolder(ada, 'Later'), false)
    assert.deepEqual(await uids('Later'), [1])
    await host.update(ada, 'Later', [1], { folder: 'archive' })
    assert.equal(await host.removeFolder(ada, 'Later'), true)
    assert.equal((await host.folders(ada)).length, folders.length)
    await assert.rejects(uids('Later'), refusal('folder'))
    await assert.rejects(host.removeFolder(ada, 'Later'), refusal('folder'))
    await append(copy(ada, { folder: 'Later' }))
    assert.equal((await uids('Later')).length, 1)
  })

  testIt('nobody changes folders of another organization', async ({ ada, stranger, host }) => {
    const disguised = { ...stranger, organizationId: ada.organizationId }
    await host.createFolder(stranger, 'Own')
    await assert.rejects(host.createFolder(disguised, 'New'), refusedAs('not_found'))
    await assert.rejects(host.renameFolder(disguised, 'Own', 'New'), refusedAs('not_found'))
    await assert.rejects(host.removeFolder(disguised, 'Own'), refusedAs('not_found'))
    assert.equal((await host.folders(stranger)).at(-1)?.name, 'Own')
  })

  testIt('the state of a folder changes with its messages and flags, and with those of no other', async (at) => {
    const { ada, host, append } = at
    let before = new Map<string, unknown>()
    const changed = async () => {
      const states = new Map<string, unknown>((await host.folderStates(ada)).map(({ name, state }) => [name, state]))
      const names = [...states.keys()].filter((name) => !isDeepStrictEqual(states.get(name), before.get(name)))
      before = states
      return names
    }
    assert.deepEqual(await changed(), folders)
    await append(copy(ada), copy(ada))
    assert.deepEqual(await changed(), ['inbox'])
    await host.update(ada, 'inbox', [1], { seen: true })
    assert.deepEqual(await changed(), ['inbox'])
    await host.update(ada, 'inbox', [1], { folder: 'archive' })
    assert.deepEqual((await changed()).sort(), ['archive', 'inbox'])
    await host.expunge(ada, 'archive', [1])
    assert.deepEqual(await changed(), ['archive'])
    assert.deepEqual(await changed(), [])
  })

  testIt('uids are found in ascending order, from any on', async ({ ada, host, append }) => {
    await append(...Array.from({ length: 5 }, () => copy(ada)))
    await host.expunge(ada, 'inbox', [2])
    assert.deepEqual(await host.uidsAfter(ada, 'inbox', 0, 3), [1, 3, 4])
    assert.deepEqual(await host.uidsAfter(ada, 'inbox', 4, 3), [5])
    assert.deepEqual(await host.uidsAfter(ada, 'inbox', 5, 3), [])
    assert.deepEqual(await host.uidsAfter(ada, 'inbox', 2 ** 32 - 1, 3), [])
    assert.deepEqual(await host.uidsAfter(ada, 'trash', 0, 3), [])
  })

  testIt('mail that arrives while its folder is removed is stored', async ({ ada, host, append }) => {
    for (let round = 0; round < 10; round++) {
      await host.createFolder(ada, 'Busy')
      const [removed] = await Promise.all([
        host.removeFolder(ada, 'Busy'),
        append(copy(ada, { folder: 'Busy' }), copy(ada, { folder: 'archive' })),
      ])
      // A request waits for the spool for a limited time.
      let uids: number[] = []
      while (uids.length === 0) uids = await host.uidsAfter(ada, 'Busy', 0, 10).catch(() => [])
      assert.equal(uids.length, 1, `round ${round}, removed: ${removed}`)
      await host.expunge(ada, 'Busy', uids)
    }
    assert.equal((await host.uidsAfter(ada, 'archive', 0, 100)).length, 10)
  })
}

function refusedAs(code: string): (error: unknown) => boolean {
  return (error) => (error as { code?: unknown }).code === code
}
