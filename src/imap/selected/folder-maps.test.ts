import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { makeFolder, removeFolder } from '#/mail/store/make-folder.ts'
import { partsOn } from '#test/world/imap/heard-session.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { FolderMaps } from './folder-maps.ts'
import { SequenceMap } from './sequence-map.ts'

const stage = await Stage.ofFile()

for (const [what, act] of [
  ['nothing has changed', async () => {}],
  ['messages came and went', (on) => on.add(3).then(() => on.expunge(2, 6, 8))],
  ['all went', (on) => on.expunge(1, 2, 4, 5)],
  [
    'the log of expunges was pruned',
    (on) =>
      on
        .expunge(1, 2, 4, 5)
        .then(() => on.add(4))
        .then(() => on.prune()),
  ],
] as const satisfies (readonly [string, (scene: Scene) => Promise<unknown>])[]) {
  test(`a mailbox that is selected again has the same messages as at first sight, after ${what}`, async () => {
    using scene = await stage.scene()
    await scene.add(5)
    await scene.expunge(3)
    await scene.told('SELECT INBOX')
    await scene.told('UNSELECT')
    await act(scene)
    await scene.told('SELECT INBOX')
    const again = scene.session.selected?.messages.runs()
    await using elsewhere = partsOn(stage.database)
    using fresh = scene.another(elsewhere)
    await fresh.run('SELECT INBOX')
    assert.deepEqual(again, fresh.selected?.messages.runs())
  })
}

test('a mailbox that is made again has nothing of the one before', async () => {
  using scene = await stage.scene()
  await makeFolder(stage.db, scene.mailbox, 'A')
  await scene.add(1, { folder: 'A' })
  await scene.told('SELECT A')
  await scene.told('UNSELECT')
  await expungeMessages(stage.db, scene.mailbox, 'A', [1])
  await removeFolder(stage.db, scene.mailbox, 'A')
  await makeFolder(stage.db, scene.mailbox, 'A')
  assert.equal((await scene.told('SELECT A')).includes('* 0 EXISTS'), true)
})

test('what is kept is bounded, and what was used longest ago goes first', () => {
  const maps = new FolderMaps(5)
  const keep = (mailboxId: string, ...uids: number[]) =>
    maps.keep({ organizationId: 'o', mailboxId }, 'inbox', {
      ...{ folderId: 1, modseq: 1, uidNext: 10 },
      messages: new SequenceMap(uids),
    })
  const kept = () => ['a', 'b', 'c'].filter((mailboxId) => maps.find({ organizationId: 'o', mailboxId }, 'inbox'))
  keep('a', 1, 3)
  keep('b', 1, 3, 5)
  keep('a', 1, 3)
  assert.deepEqual(kept(), ['a', 'b'])
  keep('c', 7)
  assert.deepEqual(kept(), ['a', 'c'])
})
