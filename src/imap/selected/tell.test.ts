import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { makeFolder, removeFolder, renameFolderTree } from '#/mail/store/make-folder.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import type { Extension } from '../session/session.ts'

const stage = await Stage.ofFile()

/** A sentence with the extensions that are enabled; and steps: what is done, and what NOOP is told, or FETCH, in which sequence numbers must
 *  stay. `own` is a change by the client itself. */
const rows = String.raw`
of new messages
  add 2 => NOOP * 6 EXISTS
of expunges, from the highest number
  gone 1 3 => NOOP * 3 EXPUNGE | * 1 EXPUNGE
of uids that vanished (QRESYNC)
  gone 4 1 2 => NOOP * VANISHED 1:2,4
of flags
  seen 2 => NOOP * 2 FETCH (FLAGS (\Seen))
of flags with uids (IMAP4rev2)
  flagged 2 => NOOP * 2 FETCH (UID 2 FLAGS (\Flagged))
of flags with modification sequences (CONDSTORE)
  flagged 2 => NOOP * 2 FETCH (FLAGS (\Flagged) MODSEQ (3))
of all that changed in one order
  gone 1, add 1, seen 4 => NOOP * 1 EXPUNGE | * 4 EXISTS | * 3 FETCH (FLAGS (\Seen))
of nothing that came and went between
  add 1, gone 5 => NOOP
of an expunge once numbers may change, until when they stay
  gone 2 => FETCH
  add 1, seen 3 => FETCH * 5 EXISTS | * 3 FETCH (FLAGS (\Seen))
  gone 4 => FETCH
  nothing => NOOP * 4 EXPUNGE | * 2 EXPUNGE
  seen 5 => NOOP * 3 FETCH (FLAGS (\Seen))
of no newer flag before an expunge, if it keeps modification sequences (CONDSTORE)
  gone 2, seen 3 => FETCH
  nothing => NOOP * 2 EXPUNGE | * 2 FETCH (FLAGS (\Seen) MODSEQ (4))
of expunges that the log has forgotten (QRESYNC)
  gone 2 => FETCH
  gone 4, add 1, prune => FETCH * 5 EXISTS
  nothing => NOOP * VANISHED 2,4 | * 3 FETCH (UID 5 FLAGS () MODSEQ (5))
of no change of its own
  own 1 2 => NOOP
  own-unseen 2, seen 3 => NOOP * 3 FETCH (FLAGS (\Seen))
of another's change that its own followed, of which it was not told
  flagged 1, own 1 2 => NOOP * 1 FETCH (FLAGS (\Flagged \Seen))
`
const acts: Readonly<Record<string, (on: Scene, uids: number[]) => unknown>> = {
  nothing: () => {},
  add: (on, [count = 0]) => on.add(count),
  gone: (on, uids) => on.expunge(...uids),
  seen: (on, uids) => on.mark(uids, { seen: true }),
  flagged: (on, uids) => on.mark(uids, { flagged: true }),
  prune: (on) => on.prune(),
  own: (on, uids) => on.storeFlags(uids, { seen: true }),
  'own-unseen': (on, uids) => on.storeFlags(uids, { seen: false }),
}

for (const row of rows.trim().split(/\n(?! )/)) {
  const [sentence = '', ...steps] = row.split('\n')
  test(`a client is told ${sentence}`, async () => {
    using scene = await stage.scene()
    await scene.add(4)
    const [, extension] = /\((\w+)\)$/.exec(sentence) ?? []
    if (extension) scene.session.enable(extension as Extension)
    await scene.told('SELECT INBOX')
    for (const step of steps) {
      const [done = '', command = '', told = ''] = /^ {2}(.*) => (\w+) ?(.*)$/.exec(step)?.slice(1) ?? []
      for (const [name = '', ...uids] of done.split(', ').map((one) => one.split(' ')))
        await (acts[name] ?? assert.fail(name))(scene, uids.map(Number))
      assert.deepEqual((await scene.told(command)).slice(0, -1), told.split(' | ').filter(Boolean))
    }
  })
}

test('a client of more changes than are read at a time is told of each once, with memory of its organization', async () => {
  using scene = await stage.scene()
  const { session } = scene
  let reserved = 0
  session.reserve = async (octets) => {
    reserved += octets
    const back = () => {
      reserved -= octets
    }
    return { [Symbol.dispose]: back }
  }
  session.heard = (text) => assert(/FETCH/.test(text) ? reserved > 200_000 : reserved === 0)
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
  assert.equal(reserved, 0)
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
