// On both databases: processes start at once.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#/config/config.ts'
import type { Database } from '#/db/open.ts'
import { sqlMailHost } from '#/mail/sql-mail-host.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { openKeyring } from '#/secrets/open.ts'
import { copy } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { each } from '#test/each.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { secret } from '#test/world/installation.ts'
import { adoptMailHost, assertSameMailHost, inDatabase, mailHostNameOf, recordedMailHost } from './mail-host-name.ts'

const one = 'imap.example.test:143'
const other = 'other.example.test:143'

let database: Database
let host: MailHost
beforeEach(async () => {
  database = await testDatabase()
  host = sqlMailHost(database.db, idHashKey('a secret'))
  await openKeyring(database.db, [secret])
})
afterEach(() => database[Symbol.asyncDispose]())

const starts = (here: string) => assertSameMailHost(database.db, here)

async function mailbox(): Promise<MailboxRef> {
  return newMailbox(database.db, host, await newDomain(database.db), 'ada')
}

async function receive(): Promise<MailboxRef> {
  const ada = await mailbox()
  await database.db.transaction().execute((tx) => host.append(tx, [copy(ada)]))
  return ada
}

for (const [what, url, name] of [
  ['without an IMAP server', undefined, inDatabase],
  ['by name and port', 'imap://u:p@IMAP.example.test', 'imap.example.test:143'],
  ['with implicit TLS', 'imaps://u:p@imap.example.test', 'imap.example.test:993'],
  ['by an address', 'imap://u:p@[::1]:1143', '[::1]:1143'],
] as const)
  test(`the configured mail host, ${what}`, () =>
    assert.equal(mailHostNameOf(readConfig({ MAILROOM_IMAP_URL: url })), name))

test('the first process of a new installation records the mail host', async () => {
  await starts(one)
  assert.deepEqual(await recordedMailHost(database.db), { host: one })
  await starts(one)
})

for (const [first, second, words] of [
  [inDatabase, one, /keeps its mail in its database, and MAILROOM_IMAP_URL names.*`mailroom mail move imap`/],
  [one, inDatabase, /on the IMAP server imap.example.test:143, and MAILROOM_IMAP_URL is not set.*move database`/],
  [one, other, /server imap.example.test:143, and MAILROOM_IMAP_URL names other.*:143.*`mailroom mail adopt`/],
] as const)
  test(`with mail on ${first}, a process that is configured for ${second} does not start`, async () => {
    await starts(first)
    await assert.rejects(starts(second), words)
    assert.deepEqual(await recordedMailHost(database.db), { host: first })
  })

test('of ten processes that start at once with two settings, those with one setting start', async () => {
  const all = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => starts(index % 2 ? one : inDatabase)))
  const { host: recorded } = await recordedMailHost(database.db)
  for (const [index, { status }] of all.entries())
    assert.equal(status, recorded === (index % 2 ? one : inDatabase) ? 'fulfilled' : 'rejected')
})

test('an old installation with mail in the database has its mail host there', async () => {
  await receive()
  await assert.rejects(starts(one), /keeps its mail in its database/)
  await starts(inDatabase)
  assert.deepEqual(await recordedMailHost(database.db), { host: inDatabase })
})

test('or on an IMAP server, if the spool was used', async () => {
  await mailbox()
  await sql`select nextval('mail_spool_id_seq')`.execute(database.db)
  await assert.rejects(starts(inDatabase), /on an IMAP server, and MAILROOM_IMAP_URL is not set/)
  await starts(one)
  assert.deepEqual(await recordedMailHost(database.db), { host: one })
})

test('or on an IMAP server, if a mailbox has no folders here', async () => {
  const { mailboxId } = await mailbox()
  await database.db.deleteFrom('mail_folders').where('mailbox_id', '=', mailboxId).execute()
  await assert.rejects(starts(inDatabase), /on an IMAP server/)
})

test('if both were in use, or neither, the first process decides', async () => {
  await receive()
  await sql`select nextval('mail_spool_id_seq')`.execute(database.db)
  await starts(one)
  assert.deepEqual(await recordedMailHost(database.db), { host: one })
})

test('another server is adopted, but not if mail would stay on the old one', async () => {
  await starts(one)
  assert.equal(await adoptMailHost(database.db, other), one)
  await starts(other)
  await adoptMailHost(database.db, inDatabase)
  await receive()
  await assert.rejects(adoptMailHost(database.db, one), /There is mail in the database/)
  await starts(inDatabase)
})

test('a process that still runs after mail was moved stores nothing, changes nothing and is not ready', async () => {
  const ada = await receive()
  await starts(inDatabase)
  await database.db.updateTable('installation').set({ mail_host: one }).execute()
  const away = { code: 'mail_unavailable' }
  const append = (folder: string) => database.db.transaction().execute((tx) => host.append(tx, [copy(ada, { folder })]))
  await assert.rejects(append('inbox'), away)
  await assert.rejects(append('Another'), away)
  await assert.rejects(host.update(ada, 'inbox', [1], { seen: true }), away)
  await assert.rejects(host.update(ada, 'inbox', [1], { folder: 'trash' }), away)
  await assert.rejects(host.expunge(ada, 'inbox', [1]), away)
  await assert.rejects(Array.fromAsync(host.empty(ada)), away)
  await assert.rejects(host.ping(), away)
  assert.equal((await host.folders(ada)).length, 6)
  const { messages } = await host.list(ada, 'inbox', { limit: 1, page: 0 })
  assert.deepEqual(each(messages, 'uid', 'seen'), [[1, false]])
})
