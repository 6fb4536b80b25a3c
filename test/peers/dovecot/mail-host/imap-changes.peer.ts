import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AppendMessage, appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { letter } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { HoldWatch } from '#test/observe/hold-watch.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { sharedDovecot } from '#test/peers/dovecot/shared-dovecot.ts'
import { tap } from '#test/peers/dovecot/tap.ts'

const shared = sharedDovecot()

/** A mailbox, its host, and the session of another program in it. */
async function start(server: ImapServer = shared.dovecot.server) {
  const using = new AsyncDisposableStack()
  const host = using.use(imapMailHost(shared.database.db, server))
  const domain = await newDomain(shared.database.db)
  const ada = await newMailbox(shared.database.db, host, domain, 'ada')
  await host.folders(ada)
  const other = await ImapSession.open(shared.dovecot.server, ada.mailboxId)
  using.defer(() => other.connection.close())
  return { host, ada, other, [Symbol.asyncDispose]: () => using.disposeAsync() }
}

function messages(count: number): AppendMessage[] {
  const rest = { messageId: null, receivedAt: new Date(0), seen: false, flagged: false, keywords: [], filteredBy: [] }
  return Array.from({ length: count }, () => ({ ...rest, raw: letter({}) }))
}

async function allSteps(host: MailHost, mailbox: MailboxRef, since?: FolderState): Promise<FolderChanges[]> {
  const steps: FolderChanges[] = []
  do steps.push(await host.changes(mailbox, 'inbox', steps.at(-1)?.state ?? since))
  while (steps.at(-1)?.more)
  return steps
}

test('a large folder comes in steps of at most 4,096 messages, each message once, gaps between uids or not', async () => {
  await using at = await start()
  await appendMessages(at.other, 'INBOX', messages(6_000))
  await at.other.select('INBOX')
  await at.other.connection.run(['UID STORE 10:1000,3000 +FLAGS.SILENT (\\Deleted)'])
  await at.other.connection.run(['EXPUNGE'])
  const steps = await allSteps(at.host, at.ada)
  const said = steps.map(({ rows, more, reset, exists }) => [rows.uid.length, more, reset, exists])
  assert.deepEqual(said, [
    [4096, true, true, 5008],
    [912, false, false, 5008],
  ])
  const uids = steps.flatMap(({ rows }) => [...rows.uid])
  assert.deepEqual(
    uids,
    Array.from({ length: 6_000 }, (_, index) => index + 1).filter((uid) => (uid < 10 || uid > 1_000) && uid !== 3_000),
  )
})

test('a step shows what has changed since it was read ahead', async () => {
  await using at = await start()
  await appendMessages(at.other, 'INBOX', messages(6_000))
  const first = await at.host.changes(at.ada, 'inbox', undefined)
  assert.deepEqual([first.rows.uid.length, first.more], [4_096, true])
  // Answered once what is read ahead is there.
  await at.host.list(at.ada, 'inbox', { limit: 1, page: 0 })
  await at.other.select('INBOX')
  await at.other.connection.run(['UID STORE 5000 +FLAGS.SILENT (\\Seen)'])
  await at.other.connection.run(['UID MOVE 5500 Archive'])
  const second = await at.host.changes(at.ada, 'inbox', first.state)
  assert.deepEqual([second.rows.uid.length, second.more, second.exists], [1_903, false, 5_999])
  assert.deepEqual([second.rows.uid.indexOf(5500), second.rows.seen[second.rows.uid.indexOf(5000)]], [-1, 1])
})

test('reading messages whose headers all need care holds nobody else up', async () => {
  await using at = await start()
  const from = 'us: Ann <ann@example.test>, =?utf-8?q?B=C3=B6b?= <bob@example.test>;'
  const [rest] = messages(1)
  const raw = letter({ from, references: Array.from({ length: 300 }, (_, index) => `<${index}@x> (so)`).join('\r\n ') })
  await appendMessages(at.other, 'INBOX', Array(2_000).fill({ ...rest, raw }))
  using watch = new HoldWatch()
  assert.equal((await at.host.changes(at.ada, 'inbox', undefined)).rows.uid.length, 2_000)
  assert.ok((await watch.settle()) < 50, `${watch.longest} ms`)
})

test('what one process has read, another follows, however much has changed and gone', async () => {
  await using at = await start()
  await using second = imapMailHost(shared.database.db, shared.dovecot.server)
  await appendMessages(at.other, 'INBOX', messages(3_000))
  const state = (await allSteps(at.host, at.ada)).at(-1)?.state
  await at.other.select('INBOX')
  await at.other.connection.run(['UID STORE 5:7 +FLAGS.SILENT (\\Seen)'])
  await at.other.connection.run(['UID MOVE 100:199 Archive'])
  await appendMessages(at.other, 'INBOX', messages(10))
  const steps = await allSteps(second, at.ada, state)
  const [step] = steps
  assert.deepEqual([steps.length, step?.reset, step?.exists], [1, false, 2_910])
  assert.deepEqual([...(step?.flags.uid ?? [])], [5, 6, 7])
  assert.deepEqual([...(step?.flags.seen ?? [])], [1, 1, 1])
  assert.deepEqual(
    [...(step?.expunged ?? [])],
    Array.from({ length: 100 }, (_, index) => 100 + index),
  )
  assert.deepEqual(
    [...(step?.rows.uid ?? [])],
    Array.from({ length: 10 }, (_, index) => 3_001 + index),
  )
})

test('a reader that follows while others write holds, at the end of each catch-up, as many messages as there were', async () => {
  await using at = await start()
  await using second = imapMailHost(shared.database.db, shared.dovecot.server)
  await appendMessages(at.other, 'INBOX', messages(50))
  let writing = true
  const write = async () => {
    await at.other.select('INBOX')
    for (let round = 0; round < 25; round++) {
      await appendMessages(at.other, 'INBOX', messages(3))
      await at.other.connection.run([`UID MOVE ${3 * round + 1}:${3 * round + 2} Archive`])
      await at.other.connection.run([`UID STORE ${3 * round + 3}:* +FLAGS.SILENT (\\Flagged)`])
    }
  }
  const written = write().finally(() => {
    writing = false
  })
  const held = new Set<number>()
  let state: FolderState | undefined
  for (let turn = 0, last = false; !last; turn++) {
    last = !writing
    for (const step of await allSteps(turn % 3 ? at.host : second, at.ada, state)) {
      if (step.reset) held.clear()
      for (const uid of step.expunged) held.delete(uid)
      for (const uid of step.flags.uid) assert.ok(held.has(uid))
      for (const uid of step.rows.uid) held.add(uid)
      state = step.state
      if (!step.more) assert.equal(held.size, step.exists)
    }
  }
  await written
  assert.equal(held.size, 50 + 75 - 50)
})

test('a folder that another program has made again is read afresh', async () => {
  await using at = await start()
  await using second = imapMailHost(shared.database.db, shared.dovecot.server)
  await at.other.connection.run(['CREATE Later'])
  await appendMessages(at.other, 'Later', messages(2))
  const { state } = await at.host.changes(at.ada, 'Later', undefined)
  for (const command of ['DELETE Later', 'CREATE Later']) await at.other.connection.run([command])
  await appendMessages(at.other, 'Later', messages(1))
  const step = await second.changes(at.ada, 'Later', state)
  assert.deepEqual([step.reset, step.exists, [...step.rows.uid]], [true, 1, [1]])
})

test('a folder in which nothing happened costs one NOOP', async () => {
  await using listener = await tap(shared.dovecot.server)
  await using at = await start({ ...shared.dovecot.server, port: listener.port })
  await appendMessages(at.other, 'INBOX', messages(3))
  const { state } = await at.host.changes(at.ada, 'inbox', undefined)
  listener.said.length = 0
  for (let turn = 0; turn < 3; turn++) assert.equal((await at.host.changes(at.ada, 'inbox', state)).exists, 3)
  assert.match(listener.said.join(''), /^(?:m\d+ NOOP\r\n){3}$/)
})

test('a change that the server reports unasked is not requested', async () => {
  await using listener = await tap(shared.dovecot.server)
  await using at = await start({ ...shared.dovecot.server, port: listener.port })
  await appendMessages(at.other, 'INBOX', messages(5))
  let { state } = await at.host.changes(at.ada, 'inbox', undefined)
  await at.other.select('INBOX')
  const step = async (commands: RegExp) => {
    const { flags, rows, expunged, exists, ...read } = await at.host.changes(at.ada, 'inbox', state)
    state = read.state
    assert.match(listener.said.join(''), commands)
    listener.said.length = 0
    return [[...flags.uid], [...flags.seen], [...rows.uid], [...rows.seen], [...expunged], exists]
  }
  listener.said.length = 0

  for (const command of ['2:3 +FLAGS.SILENT (\\Seen)', '3 -FLAGS.SILENT (\\Seen)']) {
    await at.other.connection.run([`UID STORE ${command}`])
  }
  assert.deepEqual(await step(/^m\d+ NOOP\r\n$/), [[2, 3], [1, 0], [], [], [], 5])

  await appendMessages(at.other, 'INBOX', messages(1))
  await at.other.connection.run(['UID STORE 6 +FLAGS.SILENT (\\Seen)'])
  await at.other.connection.run(['UID MOVE 1 Archive'])
  assert.deepEqual(await step(/^m\d+ NOOP\r\nm\d+ FETCH 5:5 [^\n]*\r\n$/), [[], [], [6], [1], [1], 5])

  await at.host.update(at.ada, 'inbox', [4], { seen: true })
  assert.deepEqual(await step(/ STORE [^\n]*\r\nm\d+ NOOP\r\n$/), [[4], [1], [], [], [], 5])

  await at.host.expunge(at.ada, 'inbox', [5])
  assert.deepEqual(await step(/ EXPUNGE 5\r\nm\d+ NOOP\r\n$/), [[], [], [], [], [5], 4])
  assert.deepEqual(await step(/^m\d+ NOOP\r\n$/), [[], [], [], [], [], 4])
})

/** What a reader holds of a folder: uids, with `!` where unread. */
class Held {
  readonly #seen = new Map<number, boolean>()
  state: FolderState | undefined

  take(steps: readonly FolderChanges[]): void {
    for (const { reset, expunged, flags, rows, state } of steps) {
      if (reset) this.#seen.clear()
      for (const uid of expunged) this.#seen.delete(uid)
      for (const [index, uid] of flags.uid.entries()) this.#seen.set(uid, flags.seen[index] === 1)
      for (const [index, uid] of rows.uid.entries()) this.#seen.set(uid, rows.seen[index] === 1)
      this.state = state
    }
  }

  shown(): string {
    return Array.from(this.#seen, ([uid, seen]) => `${uid}${seen ? '' : '!'}`).join(' ')
  }
}

const [seeOld, seeNew] = ['UID STORE 2 +FLAGS.SILENT (\\Seen)', 'UID STORE 4 +FLAGS.SILENT (\\Seen)']
const [takeOld, takeNew] = ['UID MOVE 1 Archive', 'UID MOVE 4 Archive']
/** Brings message 6 in from another folder. */
const bring = ['SELECT Later', 'UID MOVE 1 INBOX', 'SELECT INBOX']

for (const [format, what, first, then, states] of [
  ['mdbox', 'a flag of an old message and one of a new', [seeOld], [seeNew], ['1! 2 3! 4! 5!', '1! 2 3! 4 5!']],
  ['mdbox', 'a move of an old message and a flag of a new', [takeOld], [seeNew], ['2! 3! 4! 5!', '2! 3! 4 5!']],
  ['mdbox', 'a flag and a move into the folder', [seeOld], bring, ['1! 2 3! 4! 5!', '1! 2 3! 4! 5! 6!']],
  ['mdbox', 'a flag and a move of a new message', [seeOld], [takeNew], ['1! 2 3! 4! 5!', '1! 2 3! 5!']],
  ['maildir', 'a flag and a move of a new message', [seeOld], [takeNew], ['1! 2 3! 4! 5!', '1! 2 3! 5!']],
  ['maildir', 'a move of an old message and a flag of a new', [takeOld], [seeNew], ['2! 3! 4! 5!', '2! 3! 4 5!']],
] as const) {
  for (const by of ['the connection that followed', 'another connection']) {
    for (const at of ['the look at the new messages', 'the look for their places']) {
      test(`a reader knows no change without those before it: ${what}, ${format}, by ${by}, during ${at}`, async () => {
        await using own = format === 'mdbox' ? undefined : await DovecotServer.start('', format)
        const { server } = own ?? shared.dovecot
        let meanwhile: (() => Promise<void>) | undefined
        const looks = at === 'the look for their places' ? /FETCH \d+ \(UID\)/ : /FETCH \d+:\d+ \(UID FLAGS/
        await using way = await tap(
          server,
          (answer) => answer,
          (said) => {
            if (!meanwhile || !looks.test(said)) return undefined
            const happens = meanwhile
            meanwhile = undefined
            return happens()
          },
        )
        await using host = imapMailHost(shared.database.db, { ...server, port: way.port })
        await using second = imapMailHost(shared.database.db, { ...server, port: way.port })
        const ada = await newMailbox(shared.database.db, host, await newDomain(shared.database.db), 'ada')
        await host.folders(ada)
        const other = await ImapSession.open(server, ada.mailboxId)
        await using closing = new AsyncDisposableStack()
        closing.defer(() => other.connection.close())
        await other.connection.run(['CREATE Later'])
        await appendMessages(other, 'Later', messages(1))
        await appendMessages(other, 'INBOX', messages(3))

        const held = new Held()
        held.take(await allSteps(host, ada))
        await appendMessages(other, 'INBOX', messages(2))
        await other.selectAnew('INBOX')
        meanwhile = async () => {
          for (const command of [...first, ...then]) await other.connection.run([command])
        }
        const reader = by === 'another connection' ? second : host
        held.take(await allSteps(reader, ada, held.state))
        assert.ok(['1! 2! 3! 4! 5!', ...states].includes(held.shown()), held.shown())
        await meanwhile?.()
        held.take(await allSteps(reader, ada, held.state))
        assert.equal(held.shown(), states.at(-1))
      })
    }
  }
}
