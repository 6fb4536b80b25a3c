import { sql } from 'kysely'
import { idKey } from '#test/world/mail/mailboxes.ts'
// On both databases: messages are written together, and known ones are found.

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import { listMessages } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { FollowUp } from '#/out/follow-ups/follow-ups.ts'
import { replyTo } from '#/smtp/protocol/internal-error.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { newMailbox } from '#test/world/mail/mailboxes.ts'
import { ArrivalWriter, type Delivery } from './arrival-writer.ts'

const { db } = await databaseOfFile()
const mailbox = await newMailbox(db, 'ada')

function delivery(subject: string, to: MailboxRef = mailbox): Delivery {
  const raw = Buffer.from(`Subject: ${subject}\r\nMessage-ID: <${randomUUID()}@x>\r\n\r\nHello\r\n`)
  const copy: Copy = {
    ...{ mailbox: to, folder: 'inbox', message: readMessage(raw), receivedAt: new Date() },
    ...{ seen: false, flagged: false, keywords: [], filteredBy: [] },
  }
  return { copies: [copy], digest: createHash('sha256').update(raw).digest() }
}

/** Which of these subjects are in the inbox. */
async function stored(...subjects: string[]): Promise<boolean[]> {
  const { messages } = await listMessages(db, mailbox, 'inbox', { limit: 100, page: 0 })
  return subjects.map((wanted) => messages.some(({ subject }) => subject === wanted))
}

test('messages that come while one is being written share a transaction', async () => {
  const store = new ArrivalWriter(db, idKey)
  await Promise.all(Array.from({ length: 300 }, (_, n) => store.keep(delivery(`shared ${n}`))))
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from mail_messages group by xmin::text order by min(uid)`.execute(db)
  assert.deepEqual(each(rows, 'count'), [1, 200, 99])
})

test('a message that cannot be stored harms no other that came with it', async () => {
  const store = new ArrivalWriter(db, idKey)
  const nowhere = { ...mailbox, mailboxId: randomUUID() }
  const first = store.keep(delivery('first'))
  const results = await Promise.allSettled([
    store.keep(delivery('before')),
    store.keep(delivery('astray', nowhere)),
    store.keep(delivery('behind')),
  ])
  await first
  assert.deepEqual(each(results, 'status'), ['fulfilled', 'rejected', 'fulfilled'])
  assert.deepEqual(await stored('first', 'before', 'astray', 'behind'), [true, true, false, true])
})

test('of the same message twice in one transaction, one is stored and both are done', async () => {
  const store = new ArrivalWriter(db, idKey)
  const twice = delivery('twins')
  await Promise.all([store.keep(delivery('ahead of twins')), store.keep(twice), store.keep({ ...twice })])
  const { messages } = await listMessages(db, mailbox, 'inbox', { limit: 10, page: 0 })
  assert.equal(messages.filter(({ subject }) => subject === 'twins').length, 1)
})

test('a duplicate does not affect messages of the same batch', async () => {
  const store = new ArrivalWriter(db, idKey)
  const known = delivery('known')
  await store.keep(known)
  const [filed] = [delivery('filed')]
  const elsewhere = { ...filed, copies: filed.copies.map((copy) => ({ ...copy, folder: 'bills' })) }
  await Promise.all([store.keep(delivery('ahead of known')), store.keep(known), store.keep(elsewhere)])
  const { messages } = await listMessages(db, mailbox, 'inbox', { limit: 100, page: 0 })
  assert.equal(messages.filter(({ subject }) => subject === 'known').length, 1)
  const bills = await listMessages(db, mailbox, 'bills', { limit: 10, page: 0 })
  assert.deepEqual(each(bills.messages, 'subject'), ['filed'])
})

test('a message for a folder that lacks is stored, and known when it comes again', async () => {
  const store = new ArrivalWriter(db, idKey)
  const one = delivery('newsletter')
  const filed = { ...one, copies: one.copies.map((copy) => ({ ...copy, folder: 'letters' })) }
  await store.keep(filed)
  await store.keep(filed)
  const { messages } = await listMessages(db, mailbox, 'letters', { limit: 10, page: 0 })
  assert.equal(messages.length, 1)
})

for (const [what, error, expected] of [
  ['the disk of the database is full', Object.assign(new Error(), { code: '53100' }), '452 4.3.1'],
  ['the database cannot write', Object.assign(new Error(), { code: '58030' }), '451 4.3.0'],
  ['our own disk is full', Object.assign(new Error(), { code: 'ENOSPC' }), '452 4.3.1'],
  ['the database is away', Object.assign(new Error(), { code: 'ECONNREFUSED' }), '451 4.3.0'],
  ['whatever else happens', new TypeError('x is undefined'), '451 4.3.0'],
  ['something is thrown that is no error', 'oh', '451 4.3.0'],
] as const)
  test(`where ${what}, the reply is ${expected}`, () => {
    const { code, status } = replyTo(error)
    assert.equal(`${code} ${status}`, expected)
  })

/** A follow-up that notes what it is written for. */
function noting(written: string[], what: string, mailboxId: string | null = mailbox.mailboxId): FollowUp {
  return { mailboxId, order: what, write: async () => void written.push(what) }
}

test('what follows from a message is written where it is stored, in one order always, and once', async () => {
  const store = new ArrivalWriter(db, idKey)
  const written: string[] = []
  const elsewhere = randomUUID()
  const one = { ...delivery('followed'), followUps: [noting(written, 'b'), noting(written, 'a')] }
  const other = { ...delivery('other'), followUps: [noting(written, 'x', elsewhere), noting(written, 'c', null)] }
  await Promise.all([store.keep(one), store.keep(one), store.keep(other), store.keep(one)])
  assert.deepEqual(written, ['a', 'b', 'c'])
})

test('where what follows from a message cannot be written, the message is not stored, and others are', async () => {
  const store = new ArrivalWriter(db, idKey)
  const write = () => Promise.reject(new Error('no room'))
  const failing: FollowUp = { mailboxId: mailbox.mailboxId, order: 'a', write }
  const kept = await Promise.allSettled([
    store.keep(delivery('alone')),
    store.keep({ ...delivery('not followed'), followUps: [failing] }),
    store.keep(delivery('beside it')),
  ])
  assert.deepEqual(each(kept, 'status'), ['fulfilled', 'rejected', 'fulfilled'])
  assert.deepEqual(await stored('alone', 'not followed', 'beside it'), [true, false, true])
})
