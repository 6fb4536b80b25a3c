import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '#/db/open.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { readMessage } from '#/mime/message.ts'
import type { Copy, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { copy, letter } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { sentAbout } from '#test/conformance/mail-host/originals.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { sqlMailHost } from './sql-mail-host.ts'

let database: Database
let host: MailHost
let ada: MailboxRef
let bob: MailboxRef
before(async () => {
  database = await testDatabase()
  host = sqlMailHost(database.db, idHashKey('a secret'))
  const domain = await newDomain(database.db)
  ada = await newMailbox(database.db, host, domain, 'ada')
  bob = await newMailbox(database.db, host, domain, 'bob')
})
after(() => database[Symbol.asyncDispose]())

const by = { kind: 'member', id: '0199f0a2-0000-7000-8000-000000000009', name: 'Ada' } as const
const append = (...copies: Copy[]) => database.db.transaction().execute((tx) => host.append(tx, copies, by))
const named = (id: string, mailbox: MailboxRef, folder = 'inbox') =>
  copy(mailbox, { folder, message: readMessage(letter({ 'message-id': id })) })

async function told(mailbox: MailboxRef) {
  const { rows } = await sql<{ name: string; data: object }>`
    select actor_name as name, data - 'id' as data from events event
    where mailbox_id = ${mailbox.mailboxId} and type = 'message.changed' and exists (
      select from mail_messages
      where mail_messages.id = (event.data ->> 'id')::bigint and uid = (event.data ->> 'uid')::bigint)
    order by position, event.id`.execute(database.db)
  return rows.map(({ name, data }) => ({ by: name, ...data }))
}

async function modseqs({ mailboxId }: MailboxRef) {
  const { rows } = await sql<{ name: string; modseq: number; last: number }>`
    select name, modseq, (select max(modseq) from mail_messages where folder_id = folder.id) as last
    from mail_folders folder where mailbox_id = ${mailboxId}`.execute(database.db)
  return new Map(rows.map(({ name, ...one }) => [name, one]))
}

test('a message is marked once, with an event that says who did it and a modification sequence that readers see', async () => {
  await append(named('<1@x>', ada), named('<1@x>', ada, 'archive'), named('<"1"@x>', bob), named('<2@x>', bob))
  const start = await modseqs(ada)
  const about = [sentAbout(ada, ['<1@x>']), sentAbout(bob, ['<2@x>'], ['<1@x>'])]
  await append(...about)
  const marked = await modseqs(ada)
  for (const folder of ['inbox', 'archive']) {
    const [before, now] = [start.get(folder), marked.get(folder)]
    assert.deepEqual([now?.modseq, now?.last], [(before?.modseq ?? 0) + 1, now?.modseq])
  }
  await append(...about.toReversed())
  assert.equal((await modseqs(ada)).get('inbox')?.modseq, marked.get('inbox')?.modseq)
  assert.deepEqual(await told(ada), [
    { by: 'Ada', folder: 'archive', uid: 1, answered: true },
    { by: 'Ada', folder: 'inbox', uid: 1, answered: true },
  ])
  assert.deepEqual(await told(bob), [
    { by: 'Ada', folder: 'inbox', uid: 1, forwarded: true },
    { by: 'Ada', folder: 'inbox', uid: 2, answered: true },
  ])
})

test('what is marked in a transaction that fails is not marked, and its folder for the copy can lack', async () => {
  await append(named('<3@x>', ada))
  const before = await told(ada)
  const sent = { ...sentAbout(ada, ['<3@x>']), folder: 'Sent elsewhere' }
  await assert.rejects(
    database.db.transaction().execute(async (tx) => {
      await host.append(tx, [sent], by)
      throw new Error('not today')
    }),
    /not today/,
  )
  assert.deepEqual(await told(ada), before)
  await append(sent)
  assert.equal((await told(ada)).length, before.length + 1)
})

test('a message that names itself is not marked', async () => {
  await append({ ...named('<4@x>', ada), originals: { answered: ['<4@x>'], forwarded: [] } })
  const [own] = (await host.list(ada, 'inbox', { limit: 1, page: 0 })).messages
  assert.equal(own?.answered, false)
})
