import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { readConfig } from '#/config/config.ts'
import type { Db } from '#/db/schema.ts'
import { sqlMailHost } from '#/mail/sql-mail-host.ts'
import { assertSameMailHost, inDatabase, mailHostNameOf, recordedMailHost } from '#/mailboxes/mail-host-name.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { readMessage } from '#/mime/message.ts'
import type { Copy, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { MoveReport, MoveTarget } from '#/ports/mail-mover.ts'
import { openKeyring } from '#/secrets/open.ts'
import { moverOn } from '#/server/adapters.ts'
import { copy, letter, rawOf, second } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import type { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { sharedDovecot } from '#test/peers/dovecot/shared-dovecot.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { homeAt } from '#test/world/database/database.ts'
import { keyring, secret } from '#test/world/installation.ts'
import { mailroom, spawnMailroom } from '#test/world/service.ts'

const shared = sharedDovecot()
const filteredBy = [
  { filter_id: '6469e417-13e0-415e-bff0-318581f703a0', name: 'Work', action: 'label', argument: 'work' },
]

/** An installation whose mail is in the database. */
async function movedIn(db: Db): Promise<{ own: MailHost; ada: MailboxRef; bob: MailboxRef }> {
  await openKeyring(db, [secret])
  await db.updateTable('installation').set({ mail_host: inDatabase, mail_moving_from: null }).execute()
  await db.deleteFrom('mailboxes').execute()
  const own = sqlMailHost(db, idHashKey('a secret'))
  const domain = await newDomain(db)
  return {
    own,
    ada: await newMailbox(db, own, domain, 'ada'),
    bob: await newMailbox(db, own, await newDomain(db), 'bob'),
  }
}

function settings({ url }: DovecotServer) {
  return readConfig({ MAILROOM_IMAP_URL: url })
}

async function move(db: Db, to: MoveTarget, dovecot = shared.dovecot): Promise<MoveReport> {
  await using mover = moverOn(settings(dovecot), db, keyring)
  assert.ok(mover)
  return await mover.move(to, () => {})
}

async function append(db: Db, host: MailHost, copies: readonly Copy[]): Promise<void> {
  await db.transaction().execute((tx) => host.append(tx, copies))
}

/** All that is in a mailbox, in the order of uids in each folder. */
async function everything(host: MailHost, mailbox: MailboxRef) {
  const found: Record<string, unknown[]> = {}
  for (const { name, total, unread } of await host.folders(mailbox)) {
    const messages: unknown[] = []
    const { messages: listed } = await host.list(mailbox, name, { limit: 10_000, page: 0 })
    for (const { uid } of listed.toSorted((a, b) => a.uid - b.uid)) {
      const stored = await host.read(mailbox, name, uid)
      assert.ok(stored)
      const { messageId, subject, seen, flagged, answered, forwarded, keywords, receivedAt } = stored.summary
      const marks = { seen, flagged, answered, forwarded, keywords }
      const raw = createHash('sha256')
        .update((await rawOf(stored)) ?? '')
        .digest('hex')
      messages.push({ messageId, subject, ...marks, receivedAt, raw, filteredBy: stored.filteredBy })
    }
    found[name] = [total, unread, ...messages]
  }
  return found
}

/** As IMAP holds it: dates to the second. */
function wholeSeconds(found: Awaited<ReturnType<typeof everything>>): unknown {
  return JSON.parse(JSON.stringify(found).replaceAll(/(T\d\d:\d\d:\d\d)\.\d{3}Z/g, '$1.000Z'))
}

test('all mail goes to the server and back: folders, flags, keywords, dates, octets and what filters did', async () => {
  const { db } = shared.database
  const { own, ada, bob } = await movedIn(db)
  const twice = readMessage(letter({ subject: 'The same twice' }))
  await append(db, own, [
    copy(ada),
    copy(ada, { message: twice, seen: true, forwarded: true, keywords: ['work'] }),
    copy(ada, { message: twice, seen: true, forwarded: true, keywords: ['work'] }),
    copy(ada, { flagged: true, filteredBy, receivedAt: second(9) }),
    copy(ada, { folder: 'Projects/Apollo', answered: true }),
    copy(ada, { folder: 'Geträumt & gedacht', receivedAt: new Date('1996-02-29T23:59:59Z') }),
    copy(ada, { folder: 'sent', message: readMessage(letter({}, 'x'.repeat(3 << 20))) }),
    copy(ada, { folder: 'Emptied' }),
    copy(bob, { message: twice }),
    ...Array.from({ length: 130 }, (_, index) => copy(bob, { receivedAt: second(index), folder: 'archive' })),
  ])
  await own.expunge(ada, 'Emptied', [1])
  await own.expunge(ada, 'inbox', [1])
  const before = { ada: await everything(own, ada), bob: await everything(own, bob) }
  const used = await own.storageUsed(bob.organizationId)

  const there = await move(db, 'imap')
  assert.deepEqual([there.messages, there.renamed, there.keywordsLost], [137, [], 0])
  assert.deepEqual(await recordedMailHost(db), { host: mailHostNameOf(settings(shared.dovecot)) })
  for (const table of ['mail_folders', 'mail_messages', 'mail_contents', 'mail_keywords', 'mail_moves'] as const) {
    const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(db)
    assert.equal(rows.length, 0, table)
  }
  {
    await using host = imapMailHost(db, shared.dovecot.server)
    assert.deepEqual(await everything(host, ada).then(wholeSeconds), wholeSeconds(before.ada))
    assert.deepEqual(await everything(host, bob).then(wholeSeconds), wholeSeconds(before.bob))
    assert.equal(await counted(db, bob), used)
  }

  const back = await move(db, 'database')
  assert.deepEqual([back.messages, back.digest], [there.messages, there.digest])
  assert.deepEqual(await everything(own, ada).then(wholeSeconds), wholeSeconds(before.ada))
  assert.deepEqual(await everything(own, bob).then(wholeSeconds), wholeSeconds(before.bob))
  assert.equal(await counted(db, bob), used)
  await assertSameMailHost(db, inDatabase)
  await using host = imapMailHost(db, shared.dovecot.server)
  await assert.rejects(host.folders(ada), { code: 'mail_unavailable' })
  assert.deepEqual((await move(db, 'database')).messages, 0)
})

async function counted(db: Db, { organizationId }: MailboxRef): Promise<number | undefined> {
  const usage = db
    .selectFrom('organization_usage')
    .select('storage_bytes')
    .where('organization_id', '=', organizationId)
  return (await usage.executeTakeFirst())?.storage_bytes
}

test('what IMAP cannot hold is there as it holds it, and a folder that it refuses under another name', async () => {
  const { db } = shared.database
  const { own, ada } = await movedIn(db)
  await append(db, own, [
    copy(ada, { message: readMessage(Buffer.alloc(0)) }),
    copy(ada, { message: readMessage(letter({}, 'a\0b')) }),
    copy(ada, { folder: '..', message: readMessage(letter({ subject: 'Above' })) }),
  ])
  const { messages, renamed } = await move(db, 'imap')
  assert.deepEqual([messages, renamed], [3, [{ mailboxId: ada.mailboxId, folder: '..', called: 'Folder __' }]])
  await using host = imapMailHost(db, shared.dovecot.server)
  assert.deepEqual(await rawOf(await host.read(ada, 'inbox', 1)), Buffer.from('\r\n'))
  assert.match((await rawOf(await host.read(ada, 'inbox', 2)))?.toString('latin1') ?? '', /a\x80b/)
  assert.equal((await host.read(ada, 'Folder __', 1))?.summary.subject, 'Above')
  await move(db, 'database')
})

test('mail comes in while mail moves, by processes that look at the new place, and by no others', async () => {
  const { db } = shared.database
  const { own, ada } = await movedIn(db)
  const subjects = Array.from({ length: 200 }, (_, index) => `Before ${index}`)
  await append(
    db,
    own,
    subjects.map((subject) => copy(ada, { message: readMessage(letter({ subject })) })),
  )
  const meanwhile = async (host: MailHost, away: MailHost) => {
    for (let number = 0; number < 10; number++) {
      const one = copy(ada, { message: readMessage(letter({ subject: `Meanwhile ${subjects.length}` })) })
      await assert.rejects(append(db, away, [one]), { code: 'mail_unavailable' })
      await append(db, host, [one])
      subjects.push(`Meanwhile ${subjects.length}`)
    }
  }
  await using server = imapMailHost(db, shared.dovecot.server)
  for (const [to, host, away] of [
    ['imap', server, own],
    ['database', own, server],
  ] as const) {
    await using mover = moverOn(settings(shared.dovecot), db, keyring)
    let arriving: Promise<void> | undefined
    await mover?.move(to, () => {
      arriving ??= meanwhile(host, away)
    })
    await arriving
    const { messages, total } = await host.list(ada, 'inbox', { limit: 1_000, page: 0 })
    assert.deepEqual(messages.map(({ subject }) => subject).sort(), subjects.toSorted())
    assert.equal(total, subjects.length)
  }
})

test('what waits for a server in the spool goes into the database too', async () => {
  const { db } = shared.database
  const { own, ada } = await movedIn(db)
  await move(db, 'imap')
  const nobody = { ...shared.dovecot.server, port: 1 }
  {
    await using away = imapMailHost(db, nobody)
    await append(db, away, [
      copy(ada, { message: readMessage(letter({ subject: 'Small' })), keywords: ['work'], filteredBy }),
      copy(ada, { message: readMessage(letter({ subject: 'Large' }, 'x'.repeat(2 << 20))), folder: 'Later' }),
    ])
  }
  await move(db, 'database')
  assert.deepEqual((await db.selectFrom('mail_spool').select('id').execute()).length, 0)
  const { messages } = await own.list(ada, 'inbox', { limit: 10, page: 0 })
  assert.deepEqual(
    messages.map(({ subject, keywords }) => [subject, keywords]),
    [['Small', ['work']]],
  )
  assert.deepEqual((await own.read(ada, 'inbox', 1))?.filteredBy, filteredBy)
  assert.equal((await own.read(ada, 'Later', 1))?.summary.subject, 'Large')
})

test('flags that other programs set come along, and come back', async () => {
  const { db } = shared.database
  const { own, ada } = await movedIn(db)
  await append(db, own, [copy(ada, { keywords: ['$draft', '$deleted', 'work'] })])
  await move(db, 'imap')
  await using host = imapMailHost(db, shared.dovecot.server)
  assert.deepEqual((await host.read(ada, 'inbox', 1))?.summary.keywords, ['work'])
  await move(db, 'database')
  const kept = (await own.read(ada, 'inbox', 1))?.summary.keywords
  assert.deepEqual(kept, ['$deleted', '$draft', 'work'])
})

test('a move that is killed again and again loses nothing and doubles nothing', async () => {
  await using postgres = await startPostgres()
  await using home = await homeAt(postgres.url)
  await using database = await home.open()
  const { db } = database
  const { own, ada, bob } = await movedIn(db)
  const messages = Array.from({ length: 400 }, (_, index) => readMessage(letter({ subject: `Letter ${index}` })))
  for (const mailbox of [ada, bob])
    await append(
      db,
      own,
      messages.map((message, index) =>
        copy(mailbox, { message, folder: index % 3 ? 'inbox' : 'Other', seen: index % 2 > 0 }),
      ),
    )
  const before = { ada: wholeSeconds(await everything(own, ada)), bob: wholeSeconds(await everything(own, bob)) }
  const env = { ...home.env, MAILROOM_IMAP_URL: shared.dovecot.url }
  for (const to of ['imap', 'database'] as const) {
    const kills = await movedUnderKills(db, env, to)
    assert.ok(kills >= 4, `${kills} kills`)
    await using server = imapMailHost(db, shared.dovecot.server)
    const host = to === 'imap' ? server : own
    assert.deepEqual(wholeSeconds(await everything(host, ada)), before.ada)
    assert.deepEqual(wholeSeconds(await everything(host, bob)), before.bob)
  }
})

/** Kills it at each new batch; answers how often. */
async function movedUnderKills(db: Db, env: Record<string, string>, to: MoveTarget): Promise<number> {
  const state = async () => {
    const { rows } = await sql<{
      hand: string
    }>`select mailbox_id || uids::text || folder as hand from mail_moves`.execute(db)
    return rows.map(({ hand }) => hand).join()
  }
  let last = ''
  for (let kills = 0; kills < 8; kills++) {
    const child = spawnMailroom(env, 'mail', 'move', to)
    child.stdout.resume()
    child.stderr.resume()
    const ended = once(child, 'exit')
    let code: number | null | undefined
    ended.then(([with_]) => {
      code = with_
    })
    while (code === undefined) {
      const now = await state()
      if (now !== '' && now !== last) break
      await wait(1)
    }
    last = await state()
    child.kill('SIGKILL')
    await ended
    if (code === 0) return kills
    // As if its claim had run out.
    await sql`update installation set mail_mover_until = now() - interval '1 second'`.execute(db)
  }
  const { stderr, code } = await mailroom(env, 'mail', 'move', to)
  assert.equal(code, 0, stderr)
  return 8
}
