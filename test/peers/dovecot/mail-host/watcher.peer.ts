import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { type AppendMessage, appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { fetch } from '#/adapters/mail-host/imap/client/fetch.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { MailWatcher, type Times } from '#/adapters/mail-host/imap/watch/watcher.ts'
import type { Db } from '#/db/schema.ts'
import type { MessageData } from '#/events/types.ts'
import { readMessage } from '#/mime/message.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { copy, letter } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { sharedDovecot } from '#test/peers/dovecot/shared-dovecot.ts'
import { tap } from '#test/peers/dovecot/tap.ts'

const shared = sharedDovecot()

/** A mailbox that somebody listens to and that was looked at once, its host, and the session of another program in it. */
async function start(before: (other: ImapSession) => Promise<void> = async () => {}) {
  const { db } = shared.database
  const using = new AsyncDisposableStack()
  const host = using.use(imapMailHost(db, shared.dovecot.server))
  const domain = await newDomain(db)
  const ada = await newMailbox(db, host, domain, 'ada')
  await db.insertInto('event_readers').values({ organization_id: ada.organizationId, read_at: new Date() }).execute()
  await host.folders(ada)
  const other = await ImapSession.open(shared.dovecot.server, ada.mailboxId)
  using.defer(() => other.connection.close())
  using.defer(async () => {
    await db.deleteFrom('event_readers').execute()
  })
  const say = async (...commands: string[]) => {
    for (const command of commands) await other.connection.run([command])
  }
  await before(other)
  const watcher = using.use(newWatcher())
  await watcher.round()
  const logged = () => messageEvents(db, ada)
  return { db, host, ada, other, say, watcher, logged, [Symbol.asyncDispose]: () => using.disposeAsync() }
}

function newWatcher(times: Partial<Times> = {}, server: ImapServer = shared.dovecot.server): MailWatcher {
  const log = pino({ level: 'silent' })
  const { db } = shared.database
  return new MailWatcher({ db, server, log, times: { restMs: 0, graceMs: 0, ...times } })
}

async function messageEvents(db: Db, { mailboxId }: MailboxRef) {
  const rows = await db
    .selectFrom('events')
    .select(['type', 'actor_kind', 'data'])
    .where('mailbox_id', '=', mailboxId)
    .where('type', 'like', 'message.%')
    .orderBy('position')
    .orderBy('id')
    .execute()
  return rows.map(({ type, actor_kind: by, data }) => ({ type: type.slice(8), by, ...(data as MessageData) }))
}

function messages(count: number, more: Partial<AppendMessage> = {}): AppendMessage[] {
  const rest = { messageId: null, receivedAt: new Date(0), seen: false, flagged: false, keywords: [], filteredBy: [] }
  return Array.from({ length: count }, () => ({ ...rest, raw: letter({}), ...more }))
}

const inInbox = (count: number) => async (other: ImapSession) => {
  await appendMessages(other, 'INBOX', messages(count))
  await other.select('INBOX')
}

const by = 'mail_program'
const asItIs = { unread: true, starred: false, answered: false, forwarded: false, labels: [] as string[] }

test('changes by another program have one event each, and earlier mail has none', async () => {
  await using at = await start(inInbox(5))
  assert.deepEqual(await at.logged(), [])
  await at.say('UID STORE 1 +FLAGS.SILENT (\\Seen)', 'UID STORE 2 +FLAGS.SILENT (\\Flagged Receipts)')
  await appendMessages(at.other, 'INBOX', messages(1, { seen: true }))
  await at.say('UID MOVE 3 Archive', 'UID STORE 4 +FLAGS.SILENT (\\Deleted)', 'UID EXPUNGE 4')
  await at.watcher.round()
  const expected = [
    { type: 'changed', by, folder: 'inbox', uid: 1, ...asItIs, unread: false },
    { type: 'changed', by, folder: 'inbox', uid: 2, ...asItIs, starred: true, labels: ['receipts'] },
    { type: 'deleted', by, folder: 'inbox', uid: 3 },
    { type: 'deleted', by, folder: 'inbox', uid: 4 },
    { type: 'received', by, folder: 'archive', uid: 1, ...asItIs },
    { type: 'received', by, folder: 'inbox', uid: 6, ...asItIs, unread: false },
  ]
  const sorted = (events: readonly object[]) => events.map((one) => JSON.stringify(Object.entries(one).sort())).sort()
  assert.deepEqual(sorted(await at.logged()), sorted(expected))
  for (let round = 0; round < 3; round++) await at.watcher.round()
  assert.equal((await at.logged()).length, expected.length)
})

test('copies that a program stores in Sent have no events, and drafts have those of Mailroom’s drafts', async () => {
  await using at = await start()
  await appendMessages(at.other, 'Sent', messages(1))
  await appendMessages(at.other, 'Drafts', messages(1, { seen: true }))
  await at.watcher.round()
  assert.deepEqual(await at.logged(), [{ type: 'changed', by, folder: 'drafts', uid: 1, ...asItIs, unread: false }])
})

test('what is in a new folder has come, and a folder with another name is the same one', async () => {
  await using at = await start()
  await at.say('CREATE Later')
  await appendMessages(at.other, 'Later', messages(2))
  await at.watcher.round()
  assert.deepEqual(
    (await at.logged()).map(({ type, folder, uid }) => [type, folder, uid]),
    [
      ['received', 'Later', 1],
      ['received', 'Later', 2],
    ],
  )
  await at.say('RENAME Later Sooner')
  await at.watcher.round()
  await at.say('SELECT Sooner', 'UID STORE 2 +FLAGS.SILENT (\\Flagged)')
  await at.watcher.round()
  const [, , ...rest] = await at.logged()
  assert.deepEqual(rest, [{ type: 'changed', by, folder: 'Sooner', uid: 2, ...asItIs, starred: true }])
})

test('a folder that was created again under its name is new, and has no events', async () => {
  await using at = await start(async (other) => {
    await other.connection.run(['CREATE Later'])
    await appendMessages(other, 'Later', messages(2))
  })
  await at.say('DELETE Later', 'CREATE Later')
  await appendMessages(at.other, 'Later', messages(3))
  await at.watcher.round()
  assert.deepEqual(await at.logged(), [])
  await appendMessages(at.other, 'Later', messages(1))
  await at.watcher.round()
  assert.deepEqual(await at.logged(), [{ type: 'received', by, folder: 'Later', uid: 4, ...asItIs }])
})

test('Mailroom’s own changes have one event each, with their actor', async () => {
  await using at = await start(inInbox(6))
  const { host, ada } = at
  await host.update(ada, 'inbox', [1, 2], { seen: true })
  await host.update(ada, 'inbox', [2], { flagged: true, addKeywords: ['Receipts'] })
  await host.update(ada, 'inbox', [3], { folder: 'Later', seen: true })
  await host.expunge(ada, 'inbox', [4])
  const came = copy(ada, { keywords: ['receipts'], message: readMessage(letter({ 'message-id': '<1@example.test>' })) })
  const originals = { answered: ['<1@example.test>'], forwarded: ['<1@example.test>'] }
  const sent = copy(ada, { folder: 'sent', originals })
  for (const one of [came, sent]) {
    await at.db.transaction().execute((tx) => host.append(tx, [one]))
    await host.folders(ada)
  }
  const draft = (replaces: number[]) => {
    const message = readMessage(letter({ 'message-id': '<draft.1@example.test>' }))
    return host.saveDraft(ada, { message, savedAt: new Date(), replaces })
  }
  await draft([(await draft([])) ?? 0])
  const before = await at.logged()
  assert.equal(before.length, 10)
  for (let round = 0; round < 2; round++) await at.watcher.round()
  assert.deepEqual(await at.logged(), before)
})

const store = (what: string) => (at: Awaited<ReturnType<typeof start>>) => at.say(`UID STORE 1 ${what}`)
const update = (change: Parameters<MailHost['update']>[3]) => async (at: Awaited<ReturnType<typeof start>>) => {
  await at.host.update(at.ada, 'inbox', [1], change)
}

for (const [what, steps, end] of [
  [
    'a program before Mailroom',
    [store('+FLAGS (\\Flagged)'), update({ seen: true })],
    { unread: false, starred: true },
  ],
  ['a program after Mailroom', [update({ seen: true }), store('+FLAGS (\\Flagged)')], { unread: false, starred: true }],
  [
    'a program that takes it back',
    [update({ seen: true }), store('-FLAGS (\\Seen)')],
    { unread: true, starred: false },
  ],
  [
    'a program in between',
    [update({ seen: true }), store('-FLAGS (\\Seen)'), update({ flagged: true })],
    { unread: true, starred: true },
  ],
] as const) {
  test(`between two looks both change one message: the events end in its state: ${what}`, async () => {
    await using at = await start(inInbox(1))
    for (const step of steps) await step(at)
    await at.watcher.round()
    const { unread, starred } = Object.assign({}, ...(await at.logged()))
    assert.deepEqual({ unread, starred }, end)
  })
}

test('a program’s change of a message that Mailroom has just stored has an event', async () => {
  await using at = await start()
  await at.db.transaction().execute((tx) => at.host.append(tx, [copy(at.ada), copy(at.ada)]))
  await at.host.folders(at.ada)
  await at.say('SELECT INBOX', 'UID STORE 1 +FLAGS (\\Flagged)', 'UID MOVE 2 Archive')
  await at.watcher.round()
  const logged = (await at.logged())
    .filter((one) => one.by === by)
    .map(({ type, folder, uid }) => `${type} ${folder} ${uid}`)
  assert.deepEqual(logged.sort(), ['changed inbox 1', 'deleted inbox 2', 'received archive 1'])
})

test('a great many changes are logged in steps, each once', async () => {
  await using at = await start(inInbox(3_000))
  await at.say('UID STORE 1:3000 +FLAGS.SILENT (\\Seen)')
  await appendMessages(at.other, 'INBOX', messages(2_500))
  for (let round = 0; round < 4; round++) await at.watcher.round()
  const logged = (await at.logged()).map(({ type, uid }) => `${type} ${uid}`)
  const expected = Array.from({ length: 5_500 }, (_, at) => `${at < 3_000 ? 'changed' : 'received'} ${at + 1}`)
  assert.deepEqual(logged.sort(), expected.sort())
})

test('mailboxes that nobody listens to are not looked at, and changes meanwhile have no events', async () => {
  await using at = await start(inInbox(2))
  await at.db
    .updateTable('event_readers')
    .set({ read_at: new Date(0) })
    .execute()
  await at.watcher.round()
  await at.say('UID STORE 1 +FLAGS.SILENT (\\Seen)')
  assert.deepEqual(await at.db.selectFrom('imap_watches').select('id').execute(), [])
  await at.db.updateTable('event_readers').set({ read_at: new Date() }).execute()
  await at.watcher.round()
  await at.say('UID STORE 2 +FLAGS.SILENT (\\Seen)')
  await at.watcher.round()
  assert.deepEqual(await at.logged(), [{ type: 'changed', by, folder: 'inbox', uid: 2, ...asItIs, unread: false }])
})

test('a look whose events cannot be stored is repeated', async () => {
  await using at = await start(inInbox(1))
  await at.say('UID STORE 1 +FLAGS.SILENT (\\Seen)')
  const stopped = newWatcher({ graceMs: 3_600_000 })
  const round = stopped.round()
  // It has checked, and ends before it writes events.
  const { mailboxId } = at.ada
  const leased = () =>
    at.db.selectFrom('imap_watches').select('leased_until').where('id', '=', mailboxId).executeTakeFirstOrThrow()
  while ((await leased()).leased_until === null) await pause(10)
  await stopped[Symbol.asyncDispose]()
  await round
  assert.deepEqual(await at.logged(), [])
  await at.db.updateTable('imap_watches').set({ leased_until: null }).execute()
  await at.watcher.round()
  assert.deepEqual(
    (await at.logged()).map(({ type, uid }) => [type, uid]),
    [['changed', 1]],
  )
})

test('on a server without QRESYNC all changes but deletions have events', async () => {
  await using way = await tap(shared.dovecot.server, (answer) => answer.replaceAll(' QRESYNC', ''))
  await using at = await start(inInbox(4))
  await using watcher = newWatcher({}, { ...shared.dovecot.server, port: way.port })
  await at.say('UID STORE 1 +FLAGS.SILENT (\\Flagged)', 'UID MOVE 2 Archive', 'UID STORE 3 +FLAGS.SILENT (\\Deleted)')
  await at.say('UID EXPUNGE 3')
  await appendMessages(at.other, 'INBOX', messages(1))
  for (let round = 0; round < 3; round++) await watcher.round()
  assert.ok(way.said.some((command) => command.includes('CHANGEDSINCE')))
  assert.ok(!way.said.some((command) => command.includes('VANISHED')))
  const logged = () =>
    at.logged().then((events) => events.map(({ type, folder, uid }) => `${type} ${folder} ${uid}`).sort())
  const expected = ['changed inbox 1', 'received archive 1', 'received inbox 5']
  assert.deepEqual(await logged(), expected)
  // Nor once the server has it: what went before is not known any more.
  await at.watcher.round()
  assert.deepEqual(await logged(), expected)
})

/** Folders as the logged events leave them: by place, flags of those messages that events tell of. */
function folded(events: Awaited<ReturnType<typeof messageEvents>>): Map<string, { unread: boolean; starred: boolean }> {
  const held = new Map<string, { unread: boolean; starred: boolean }>()
  for (const { type, folder, uid, moved_from: from, unread, starred } of events) {
    const place = `${folder} ${uid}`
    const source = from && `${from.folder} ${from.uid}`
    const was = held.get(source ?? place) ?? { unread: true, starred: false }
    if (source) held.delete(source)
    if (type === 'deleted') held.delete(place)
    else held.set(place, { unread: unread ?? was.unread, starred: starred ?? was.starred })
  }
  return held
}

test('while Mailroom and others change the same messages, the events end in their state', async () => {
  await using at = await start()
  const { host, ada } = at
  await using first = newWatcher({ pollMs: 20, graceMs: 3_000 })
  await using second = newWatcher({ pollMs: 20, graceMs: 3_000 })
  for (const watcher of [first, second]) watcher.start()
  const ours = async () => {
    for (let round = 0; round < 40; round++) {
      await at.db.transaction().execute((tx) => host.append(tx, [copy(ada)]))
      const present = await host.uidsAfter(ada, 'inbox', 0, 1_000)
      const some = present.filter((uid) => (uid + round) % 3 === 0)
      await host.update(ada, 'inbox', some, round % 2 ? { seen: true } : { flagged: true })
      if (round % 5 === 4) await host.update(ada, 'inbox', present.slice(0, 1), { folder: 'archive' })
    }
  }
  const theirs = async () => {
    for (let round = 0; round < 40; round++) {
      await appendMessages(at.other, 'INBOX', messages(1))
      await at.other.select('INBOX')
      const sign = round % 3 ? '+' : '-'
      await at.say(`UID STORE 1:* ${sign}FLAGS.SILENT (${round % 2 ? '\\Seen' : '\\Flagged'})`)
      if (round % 7 === 6) await at.say('MOVE 2 Trash')
    }
  }
  await Promise.all([ours(), theirs()])
  const there = new Map<string, { unread: boolean; starred: boolean }>()
  for (const folder of ['INBOX', 'Archive', 'Trash']) {
    await at.other.selectAnew(folder)
    await fetch(at.other.connection, 'FETCH 1:* (UID FLAGS)', 'FLAGS', ({ uid, flags }) => {
      const marks = { unread: !flags.includes('\\seen'), starred: flags.includes('\\flagged') }
      there.set(`${folder.toLowerCase()} ${uid}`, marks)
    })
  }
  const shown = (of: ReadonlyMap<string, object>) => [...of].map((one) => JSON.stringify(one)).sort()
  for (;;) {
    const logged = await at.logged()
    // The test run's patience bounds this.
    if (JSON.stringify(shown(folded(logged))) === JSON.stringify(shown(there))) break
    await pause(200)
  }
  const received = (await at.logged())
    .filter(({ type }) => type === 'received')
    .map(({ folder, uid }) => `${folder} ${uid}`)
  assert.equal(new Set(received).size, received.length)
})
