import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expungeMessages } from '#/mail/expunge.ts'
import { makeFolder, removeFolder, renameFolderTree } from '#/mail/make-folder.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import type { Extension } from '../session/session.ts'

const stage = await Stage.ofFile()

/** A step, and then what NOOP is told, or FETCH, in which sequence numbers must stay. */
type Step = readonly [(scene: Scene) => Promise<unknown>, 'NOOP' | 'FETCH', ...string[]]

const rows: readonly (readonly [string, readonly Extension[], ...Step[]])[] = [
  ['of new messages', [], [(on) => on.add(2), 'NOOP', '* 6 EXISTS']],
  ['of expunges, from the highest number', [], [(on) => on.expunge(1, 3), 'NOOP', '* 3 EXPUNGE', '* 1 EXPUNGE']],
  ['of uids that vanished, with QRESYNC', ['QRESYNC'], [(on) => on.expunge(4, 1, 2), 'NOOP', '* VANISHED 1:2,4']],
  ['of flags', [], [(on) => on.mark([2], { seen: true }), 'NOOP', '* 2 FETCH (FLAGS (\\Seen))']],
  [
    'of flags with uids, with IMAP4rev2',
    ['IMAP4rev2'],
    [(on) => on.mark([2], { flagged: true }), 'NOOP', '* 2 FETCH (UID 2 FLAGS (\\Flagged))'],
  ],
  [
    'of flags with modification sequences, with CONDSTORE',
    ['CONDSTORE'],
    [(on) => on.mark([2], { flagged: true }), 'NOOP', '* 2 FETCH (FLAGS (\\Flagged) MODSEQ (3))'],
  ],
  [
    'of all that changed in one order',
    [],
    [
      (on) =>
        on
          .expunge(1)
          .then(() => on.add(1))
          .then(() => on.mark([4], { seen: true })),
      'NOOP',
      '* 1 EXPUNGE',
      '* 4 EXISTS',
      '* 3 FETCH (FLAGS (\\Seen))',
    ],
  ],
  ['of nothing that came and went between', [], [(on) => on.add(1).then(() => on.expunge(5)), 'NOOP']],
  [
    'of an expunge once numbers may change, until when they stay',
    [],
    [(on) => on.expunge(2), 'FETCH'],
    [(on) => on.add(1).then(() => on.mark([3], { seen: true })), 'FETCH', '* 5 EXISTS', '* 3 FETCH (FLAGS (\\Seen))'],
    [(on) => on.expunge(4), 'FETCH'],
    [() => Promise.resolve(), 'NOOP', '* 4 EXPUNGE', '* 2 EXPUNGE'],
    [(on) => on.mark([5], { seen: true }), 'NOOP', '* 3 FETCH (FLAGS (\\Seen))'],
  ],
  [
    'of no newer flag before an expunge, if it keeps modification sequences',
    ['CONDSTORE'],
    [(on) => on.expunge(2).then(() => on.mark([3], { seen: true })), 'FETCH'],
    [() => Promise.resolve(), 'NOOP', '* 2 EXPUNGE', '* 2 FETCH (FLAGS (\\Seen) MODSEQ (4))'],
  ],
  [
    'of expunges that the log has forgotten',
    ['QRESYNC'],
    [(on) => on.expunge(2), 'FETCH'],
    [
      (on) =>
        on
          .expunge(4)
          .then(() => on.add(1))
          .then(() => on.prune()),
      'FETCH',
      '* 5 EXISTS',
    ],
    [() => Promise.resolve(), 'NOOP', '* VANISHED 2,4', '* 3 FETCH (UID 5 FLAGS () MODSEQ (5))'],
  ],
  [
    'of no change of its own',
    [],
    [(on) => on.storeFlags([1, 2], { flags: { seen: true } }), 'NOOP'],
    [
      (on) => on.storeFlags([2], { flags: { seen: false } }).then(() => on.mark([3], { seen: true })),
      'NOOP',
      '* 3 FETCH (FLAGS (\\Seen))',
    ],
  ],
  [
    "of another's change that its own followed, of which it was not told",
    [],
    [
      (on) => on.mark([1], { flagged: true }).then(() => on.storeFlags([1, 2], { flags: { seen: true } })),
      'NOOP',
      '* 1 FETCH (FLAGS (\\Flagged \\Seen))',
    ],
  ],
]

for (const [what, extensions, ...steps] of rows) {
  test(`a client is told ${what}`, async () => {
    using scene = await stage.scene()
    await scene.add(4)
    for (const extension of extensions) scene.session.enable(extension)
    await scene.told('SELECT INBOX')
    for (const [act, command, ...told] of steps) {
      await act(scene)
      assert.deepEqual((await scene.told(command)).slice(0, -1), told)
    }
  })
}

test('a client of more changes than are read at a time is told of each once', async () => {
  using scene = await stage.scene()
  await scene.add(2_500)
  await scene.told('SELECT INBOX')
  const all = Array.from({ length: 2_500 }, (_, index) => index + 1)
  await scene.mark(all.slice(0, 1_700), { seen: true })
  await scene.mark(all.slice(1_200), { flagged: true })
  const told = (await scene.told('NOOP')).slice(0, -1).map((line) => Number(/^\* (\d+) FETCH/.exec(line)?.[1]))
  assert.deepEqual(
    told.toSorted((a, b) => a - b),
    all,
  )
})

test('a renamed mailbox stays selected under its name, and one that is deleted ends the session', async () => {
  using scene = await stage.scene()
  await makeFolder(stage.db, scene.mailbox, 'Projects')
  await scene.told('SELECT Projects')
  await renameFolderTree(stage.db, scene.mailbox, 'Projects', 'Done/Projects')
  await scene.add(1, { folder: 'Done/Projects' })
  assert.deepEqual(await scene.told('NOOP'), ['* 1 EXISTS', 'OK Noop completed'])
  assert.equal(scene.session.selected?.name, 'Done/Projects')
  await expungeMessages(stage.db, scene.mailbox, 'Done/Projects', [1])
  await removeFolder(stage.db, scene.mailbox, 'Done/Projects')
  assert.deepEqual(await scene.told('NOOP'), ['* BYE Selected mailbox was deleted, have to disconnect'])
})
