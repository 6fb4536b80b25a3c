// On both databases: what one process commits, clients of another are told.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeFolder, removeFolder } from '#/mail/store/make-folder.ts'
import { partsOn } from '#test/world/imap/heard-session.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'

const stage = await Stage.ofFile()

/** The parts of the stage, which note each statement first. */
function noting(note: () => void) {
  const db = stage.database.db.withPlugin({
    transformQuery: ({ node }) => {
      note()
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { ...stage.parts, db }
}

/** The parts of the stage, and how many statements were sent. */
function counting() {
  let count = 0
  const parts = noting(() => count++)
  return { parts, count: () => count }
}

test('a client that is idle is told of what another process commits, in order, until it says DONE', async () => {
  using scene = await stage.scene()
  const { session } = scene
  await scene.told('SELECT INBOX')
  const idling = session.run('IDLE')
  assert.deepEqual(await session.until(/^\+/), ['+ idling'])
  await scene.add(2, {}, stage.elsewhere)
  assert.deepEqual(await session.until(/EXISTS/), ['* 2 EXISTS'])
  await scene.mark([2], { seen: true })
  assert.deepEqual(await session.until(/FETCH/), ['* 2 FETCH (FLAGS (\\Seen))'])
  await scene.expunge(1)
  assert.deepEqual(await session.until(/EXPUNGE/), ['* 1 EXPUNGE'])
  session.say('done')
  assert.deepEqual(await idling, ['OK Idle completed'])
})

test('what an idle client is told is work of its organization, and who is idle else does none', async () => {
  using scene = await stage.scene()
  const { session } = scene
  await scene.told('SELECT INBOX')
  let working = 0
  const told: unknown[] = []
  session.heard = (piece) => told.push([working, piece])
  session.atWork = async (work) => {
    working++
    return await work().finally(() => working--)
  }
  const idling = session.run('IDLE')
  await session.until(/^\+/)
  await scene.add(1)
  await session.until(/EXISTS/)
  session.say('DONE')
  await idling
  assert.deepEqual(told, [
    [0, '+ idling\r\n'],
    [1, '* 1 EXISTS\r\n'],
    [0, 'OK Idle completed\r\n'],
  ])
})

test('a client that has not selected a mailbox may be idle, and must end it with DONE', async () => {
  using scene = await stage.scene()
  const idling = scene.session.run('IDLE')
  await scene.session.until(/^\+/)
  scene.session.say('NOOP')
  assert.deepEqual(await idling, ['BAD Expected DONE'])
})

test('a client that is idle as its mailbox is deleted is told BYE', async () => {
  using scene = await stage.scene()
  await makeFolder(stage.db, scene.mailbox, 'Projects')
  await scene.told('SELECT Projects')
  const idling = scene.session.run('IDLE')
  await scene.session.until(/^\+/)
  await removeFolder(stage.db, scene.mailbox, 'Projects')
  assert.deepEqual(await idling, ['* BYE Selected mailbox was deleted, have to disconnect'])
})

for (const command of ['IDLE', 'NOTIFY SET (SELECTED (MessageNew MessageExpunge))'])
  test(`a client that has said ${command} is told once a database that has not answered does`, async () => {
    using scene = await stage.scene()
    let fails = false
    const failed = Promise.withResolvers<void>()
    const parts = noting(() => {
      if (!fails) return
      failed.resolve()
      throw new Error('The database does not answer')
    })
    using session = scene.another(parts)
    await session.run('SELECT INBOX')
    const answered = session.run(command)
    await session.until(/^\+|OK/m)
    fails = true
    await scene.add(1)
    await failed.promise
    fails = false
    assert.match((await session.until(/EXISTS/)).join(), /1 EXISTS/)
    session.say('DONE')
    await answered
  })

test('clients that are idle in one state share the read of what woke them, and no other is woken', async () => {
  using scene = await stage.scene()
  using other = await stage.scene()
  const { parts, count } = counting()
  using sessions = new DisposableStack()
  const open = async (of: Scene) => {
    const session = sessions.use(of.another(parts))
    await session.run('SELECT INBOX')
    const idling = session.run('IDLE')
    await session.until(/^\+/)
    return { session, idling }
  }
  const idle = await Promise.all(Array.from({ length: 250 }, () => open(scene)))
  const beside = await open(other)
  const before = count()
  await scene.add(3)
  const told = await Promise.all(idle.map(({ session }) => session.until(/EXISTS/)))
  assert.deepEqual(
    told,
    idle.map(() => ['* 3 EXISTS']),
  )
  assert.equal(count() - before, 1)
  for (const { session } of [...idle, beside]) session.say('DONE')
  assert.deepEqual(await beside.idling, ['OK Idle completed'])
  assert.deepEqual(
    await Promise.all(idle.map(({ idling }) => idling)),
    idle.map(() => ['OK Idle completed']),
  )
})

test('commands read nothing while no change is announced, but NOOP looks', async () => {
  using scene = await stage.scene()
  const { parts, count } = counting()
  using session = scene.another(parts)
  await session.run('SELECT INBOX')
  await session.run('NOOP')
  const before = count()
  // A server has looks that are due by themselves, which may be just under way.
  for (let times = 0; times < 3; times++) await session.run('FETCH')
  if (stage.database.embedded) assert.equal(count() - before, 0)
  await session.run('NOOP')
  assert(count() - before >= 1)
})

test('an expunge elsewhere is held back until numbers may change, in each process for its own client', async () => {
  using scene = await stage.scene()
  await using process = partsOn(stage.elsewhere)
  using there = scene.another(process)
  await scene.add(3)
  await scene.told('SELECT INBOX')
  await there.run('SELECT INBOX')
  await scene.expunge(2)
  assert.deepEqual(await scene.told('FETCH'), ['OK Completed'])
  assert.deepEqual(await there.run('NOOP'), ['* 2 EXPUNGE', 'OK Noop completed'])
  await scene.add(1, {}, stage.elsewhere)
  assert.deepEqual(await there.run('NOOP'), ['* 3 EXISTS', 'OK Noop completed'])
  assert.deepEqual(await scene.told('NOOP'), ['* 2 EXPUNGE', '* 3 EXISTS', 'OK Noop completed'])
})
