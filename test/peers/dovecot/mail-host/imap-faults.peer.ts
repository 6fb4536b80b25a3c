import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { ImapMailHost } from '#/adapters/mail-host/imap/index.ts'
import { Refusal } from '#/errors.ts'
import { readMessage } from '#/mime/message.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { copy, letter } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { FaultProxy } from '#test/faults/network/proxy.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { sharedDovecot } from '#test/peers/dovecot/shared-dovecot.ts'
import { tap } from '#test/peers/dovecot/tap.ts'
import { soon } from '#test/processes/fleet.ts'
import { limitFor } from '#test/world/limit-for.ts'
import { delivered, isAwaiting } from '#test/world/mail/delivered.ts'

const shared = sharedDovecot()

/** A new mailbox, behind a proxy that can make faults. */
async function start(mostSpooledBytes?: number) {
  const using = new AsyncDisposableStack()
  const proxy = using.use(await FaultProxy.start(shared.dovecot.server))
  const server = { ...shared.dovecot.server, port: proxy.port }
  const host = using.use(imapMailHost(shared.database.db, server, mostSpooledBytes))
  const ada = await newMailbox(shared.database.db, host, await newDomain(shared.database.db), 'ada')
  const append = (...messages: Buffer[]) =>
    shared.database.db.transaction().execute((tx) =>
      host.append(
        tx,
        messages.map((raw) => copy(ada, { message: readMessage(raw) })),
      ),
    )
  return { proxy, host, ada, append, [Symbol.asyncDispose]: () => using.disposeAsync() }
}

const unavailable = (error: unknown) => error instanceof Refusal && error.code === 'mail_unavailable'

async function subjects(host: ImapMailHost, mailbox: MailboxRef): Promise<string[]> {
  const { messages } = await host.list(mailbox, 'inbox', { limit: 1_000, page: 0 })
  return messages.map(({ subject }) => subject).sort()
}

/** Advances time for waiting mail, not for mail in delivery. */
async function allDue(): Promise<void> {
  await sql`update mail_spool set due_at = clock_timestamp() where leased_until is null`.execute(shared.database.db)
}

test('a server that falls silent is unavailable within 10 seconds, and served again when it is back', async () => {
  await using at = await start()
  await at.append(letter({ subject: 'One' }))
  assert.deepEqual(await subjects(at.host, at.ada), ['One'])
  at.proxy.silence()
  for (const what of ['on the connection that is open', 'on a new one']) {
    const asked = performance.now()
    await assert.rejects(subjects(at.host, at.ada), unavailable, what)
    assert.ok(performance.now() - asked < limitFor(10_000), what)
  }
  at.proxy.heal()
  assert.deepEqual(await subjects(at.host, at.ada), ['One'])
})

test('a login that takes longer than a request waits is not begun again, and serves the next request', async () => {
  const checked = Promise.withResolvers<void>()
  const isLogin = (said: string) => said.includes('AUTHENTICATE')
  await using way = await tap(shared.dovecot.server, undefined, (said) => (isLogin(said) ? checked.promise : undefined))
  await using at = await start()
  await using host = imapMailHost(shared.database.db, { ...shared.dovecot.server, port: way.port })
  await assert.rejects(subjects(host, at.ada), unavailable)
  checked.resolve()
  assert.deepEqual(await subjects(host, at.ada), [])
  assert.equal(way.said.filter(isLogin).length, 1)
})

test('a server that refuses connections, or drops them, is unavailable at once', async () => {
  await using at = await start()
  assert.deepEqual(await subjects(at.host, at.ada), [])
  at.proxy.drop()
  const asked = performance.now()
  await assert.rejects(subjects(at.host, at.ada), unavailable)
  await assert.rejects(at.host.ping(), unavailable)
  assert.ok(performance.now() - asked < limitFor(2_000))
  at.proxy.heal()
  await at.host.ping()
  assert.deepEqual(await subjects(at.host, at.ada), [])
})

test('the first request after a restart is served, on whatever connections there were', async () => {
  await using own = await DovecotServer.start()
  await using host = imapMailHost(shared.database.db, own.server)
  const ada = await newMailbox(shared.database.db, host, await newDomain(shared.database.db), 'ada')
  await Promise.all(['inbox', 'sent', 'trash'].map((folder) => host.list(ada, folder, { limit: 1, page: 0 })))
  for (let round = 0; round < 3; round++) {
    await own.kill()
    await own.run()
    assert.deepEqual(await subjects(host, ada), [])
  }
})

for (const [what, cut] of [
  ['on the way to the server', (proxy: FaultProxy) => proxy.cut('client', 'APPEND', { through: 3 })],
  ['within its bytes', (proxy: FaultProxy) => proxy.cut('client', 'subject: Two', { through: 5 })],
  [
    'when the server has it and has not said so',
    (proxy: FaultProxy) => proxy.cut('server', '[APPENDUID', { through: 0 }),
  ],
] as const) {
  for (const named of [true, false]) {
    test(`mail comes once where the connection breaks ${what}${named ? '' : ', also without a Message-ID'}`, async () => {
      await using at = await start()
      await at.append(letter({ subject: 'One' }))
      await subjects(at.host, at.ada)
      const cutOff = cut(at.proxy)
      const fields = { subject: 'Two', ...(named ? {} : { 'message-id': '' }) }
      await at.append(letter(fields), letter({ subject: 'Three' }))
      await cutOff
      await subjects(at.host, at.ada).catch(() => {})
      await allDue()
      assert.deepEqual(await subjects(at.host, at.ada), ['One', 'Three', 'Two'])
    })
  }
}

test('a message is not mistaken for another of the same second and size', async () => {
  await using at = await start()
  await at.append(letter({ subject: 'One', 'message-id': '' }))
  assert.deepEqual(await subjects(at.host, at.ada), ['One'])
  const cutOff = at.proxy.cut('client', 'APPEND', { through: 3 })
  await at.append(letter({ subject: 'Two', 'message-id': '' }))
  await cutOff
  await subjects(at.host, at.ada).catch(() => {})
  await allDue()
  assert.deepEqual(await subjects(at.host, at.ada), ['One', 'Two'])
})

test('mail is accepted while the server is away, up to the limit, and delivered in order when it is back', async () => {
  // An organization may have half of the spool.
  await using at = await start(8_000)
  at.proxy.drop()
  const body = 'x'.repeat(1_500)
  for (const subject of ['A', 'B', 'C']) await at.append(letter({ subject }, body))
  await assert.rejects(at.append(letter({ subject: 'D' }, body)), { code: 'ENOSPC' })
  await assert.rejects(subjects(at.host, at.ada), unavailable)
  at.proxy.heal()
  await allDue()
  assert.deepEqual(await subjects(at.host, at.ada), ['A', 'B', 'C'])
  const inOrder = await at.host.summaries(at.ada, 'inbox', [1, 2, 3])
  assert.deepEqual(
    inOrder.map(({ subject }) => subject),
    ['A', 'B', 'C'],
  )
  await at.append(letter({ subject: 'D' }, body))
  assert.deepEqual(await subjects(at.host, at.ada), ['A', 'B', 'C', 'D'])
})

test('who looks at a mailbox, or changes it, while the server keeps the mail that it is given sees what is there', async () => {
  await using at = await start()
  await at.append(letter({ subject: 'One' }))
  assert.deepEqual(await subjects(at.host, at.ada), ['One'])
  const kept = at.proxy.cut('client', 'subject: Two', { silently: true })
  await at.append(letter({ subject: 'Two' }))
  await kept
  for (let looks = 0; looks < 3; looks++) assert.deepEqual(await subjects(at.host, at.ada), ['One'])
  assert.deepEqual([...(await at.host.update(at.ada, 'inbox', [1], { seen: true })).keys()], [1])
  at.proxy.drop()
  at.proxy.heal()
  await soon(limitFor(30_000), 'it is there, without a hand', async () => (await subjects(at.host, at.ada)).length > 1)
  assert.deepEqual(await subjects(at.host, at.ada), ['One', 'Two'])
})

test('a change behind one that the server does not answer is refused, and not made later', async () => {
  await using at = await start()
  await at.append(letter({ subject: 'One' }))
  assert.deepEqual(await subjects(at.host, at.ada), ['One'])
  const stuck = at.proxy.cut('client', 'UID STORE', { silently: true })
  const first = assert.rejects(at.host.update(at.ada, 'inbox', [1], { seen: true }), unavailable)
  await stuck
  await assert.rejects(at.host.update(at.ada, 'inbox', [1], { flagged: true }), unavailable)
  assert.deepEqual(await subjects(at.host, at.ada), ['One'])
  at.proxy.drop()
  await first
  at.proxy.heal()
  await at.host.update(at.ada, 'inbox', [1], { addKeywords: ['a'] })
  const [one] = await at.host.summaries(at.ada, 'inbox', [1])
  assert.deepEqual([one?.seen, one?.flagged, one?.keywords], [false, false, ['a']])
})

test('a mailbox for which more waits than can be waited for is read as it is, and delays no other', async () => {
  await using at = await start()
  const bob = await newMailbox(shared.database.db, at.host, await newDomain(shared.database.db), 'bob')
  assert.deepEqual(await subjects(at.host, bob), [])
  at.proxy.delay = 100
  const many = Array.from({ length: 3_000 }, (_, n) => String(n).padStart(4, '0'))
  await at.append(...many.map((subject) => letter({ subject })))
  const inbox = () => at.host.list(at.ada, 'inbox', { limit: 1, page: 0 })
  await soon(limitFor(30_000), 'the first of it is there', async () => (await inbox()).total > 0)
  await shared.database.db.transaction().execute((tx) => at.host.append(tx, [copy(bob)]))
  await delivered(shared.database.db, bob)
  assert.ok((await inbox()).total < many.length)
  at.proxy.heal()
  await delivered(shared.database.db, at.ada)
  assert.equal((await inbox()).total, many.length)
  const uids = many.map((_, n) => n + 1)
  const came = (await at.host.summaries(at.ada, 'inbox', uids)).map(({ subject }) => subject)
  assert.deepEqual(came.sort(), many)
})

test('a deleted mailbox’s spooled mail is deleted', async () => {
  await using at = await start()
  at.proxy.drop()
  await at.append(letter({}))
  await shared.database.db.deleteFrom('mailboxes').where('id', '=', at.ada.mailboxId).execute()
  const { rows } = await sql`select from mail_spool where mailbox_id = ${at.ada.mailboxId}`.execute(shared.database.db)
  assert.equal(rows.length, 0)
})

test('emptying removes spooled mail without delivering it, and ends once none is in delivery', async () => {
  await using at = await start()
  await using other = imapMailHost(shared.database.db, shared.dovecot.server)
  assert.deepEqual(await subjects(at.host, at.ada), [])
  const inHand = at.proxy.cut('client', 'subject: One', { silently: true })
  await at.append(...Array.from({ length: 60 }, () => letter({ subject: 'One' })))
  await inHand
  const steps = other.empty(at.ada)
  assert.deepEqual(await steps.next(), { value: 10, done: false })
  const rest = Array.fromAsync(steps)
  at.proxy.drop()
  assert.equal((await rest).at(-1), 60)
  assert.deepEqual(await subjects(other, at.ada), [])
})

test('mail that several processes deliver, while the server is killed again and again, comes once', async () => {
  await using own = await DovecotServer.start()
  await using one = imapMailHost(shared.database.db, own.server)
  await using other = imapMailHost(shared.database.db, own.server)
  const ada = await newMailbox(shared.database.db, one, await newDomain(shared.database.db), 'ada')
  const expected: string[] = []
  for (let round = 0; round < 6; round++) {
    const accepted = Array.from({ length: 30 }, async () => {
      const subject = randomUUID()
      const copies = [copy(ada, { message: readMessage(letter({ subject })) })]
      await shared.database.db.transaction().execute((tx) => one.append(tx, copies))
      expected.push(subject)
    })
    const looks = [one, other].map((host) => subjects(host, ada).catch(() => []))
    await own.kill()
    await Promise.all([...accepted, ...looks])
    await own.run()
    await allDue()
    await Promise.all([one, other].map((host) => subjects(host, ada).catch(() => [])))
  }
  // On a busy machine a look does not wait for all of it.
  do {
    await allDue()
    await subjects(one, ada)
    await subjects(other, ada)
  } while (await isAwaiting(shared.database.db, ada))
  assert.deepEqual(await subjects(one, ada), expected.sort())
})

test('a folder name that holds a command reaches the server as a name, or not at all', async () => {
  await using at = await start()
  await at.append(letter({ subject: 'One' }))
  const refused = (error: unknown) => error instanceof Refusal && error.field === 'folder'
  for (const name of ['INBOX"\r\nA1 DELETE x', 'x\r\nA1 LOGOUT', '{5}\r\n', '"', '\\', '\0', '&', '(', '*', '%']) {
    await assert.rejects(at.host.list(at.ada, name, { limit: 1, page: 0 }), refused)
    const update = at.host.update(at.ada, 'inbox', [99], { folder: name })
    // Dovecot would repeat control characters in its answer.
    await (/\p{Cc}/u.test(name) ? assert.rejects(update, refused) : update)
  }
  assert.deepEqual(await subjects(at.host, at.ada), ['One'])
})

test('a folder that keeps no more keywords says so, and mail comes without the one that is too many', async () => {
  // In its PERMANENTFLAGS `\\*` lacks. Dovecot has no such limit.
  await using server = await tap(shared.dovecot.server, (answer) => answer.replaceAll('\\*', '\\-'))
  const { db } = shared.database
  const unlimited = () => imapMailHost(db, shared.dovecot.server)
  const append = (to: ImapMailHost, ada: MailboxRef, keywords: string[]) =>
    db.transaction().execute((tx) => to.append(tx, [copy(ada, { keywords })]))
  // All deliver from one spool, so the other is not there yet.
  const ada = await (async () => {
    await using free = unlimited()
    const mailbox = await newMailbox(db, free, await newDomain(db), 'ada')
    await append(free, mailbox, ['a', 'b'])
    await subjects(free, mailbox)
    return mailbox
  })()
  await using host = imapMailHost(db, { ...shared.dovecot.server, port: server.port })
  await assert.rejects(
    host.update(ada, 'inbox', [1], { seen: true, addKeywords: ['a', 'one-more'] }),
    (error) => error instanceof Refusal && error.field === 'keywords' && /accepts no new keywords/.test(error.message),
  )
  await host.update(ada, 'inbox', [1], { flagged: true, addKeywords: ['b'] })
  await append(host, ada, ['b', 'one-more'])
  const [first, second] = await host.summaries(ada, 'inbox', [1, 2])
  assert.deepEqual([first?.seen, first?.flagged, first?.keywords], [false, true, ['a', 'b']])
  assert.deepEqual(second?.keywords, ['b'])
  await assert.rejects(host.update(ada, 'inbox', [1], { folder: 'archive' }), /accepts no new keywords/)
  await using free = unlimited()
  await free.update(ada, 'inbox', [1], { folder: 'archive' })
  assert.deepEqual((await host.update(ada, 'inbox', [2], { folder: 'archive' })).get(2), { folder: 'archive', uid: 2 })
})
