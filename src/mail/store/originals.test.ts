import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readMessage } from '#/formats/mime/read-message.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy, letter } from '#test/world/letters/letters.ts'
import { idKey, newDomain, newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { newTrial } from '#test/world/mail/trial.ts'
import { appendCopies } from './append-copies.ts'
import type { Copy } from './copy-to-append.ts'
import { expungeMessages } from './expunge.ts'
import { folderStatuses } from './folders.ts'
import { keywordTotals } from './keywords.ts'
import { listMessages } from './list.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { readStored, readSummaries } from './read.ts'
import { updateMessages } from './update.ts'

const { db } = await databaseOfFile()
const domain = await newDomain(db)
const ada = await newMailbox(db, 'ada', domain)
const bob = await newMailbox(db, 'bob', domain)

const by = { kind: 'member', id: '0199f0a2-0000-7000-8000-000000000009', name: 'Ada' } as const
const append = (...copies: Copy[]) => storeCopies(db, copies, by)
const named = (id: string, mailbox: MailboxRef, folder = 'inbox') =>
  copy(mailbox, { folder, message: readMessage(letter({ 'message-id': id })) })

async function told(mailbox: MailboxRef) {
  const { rows } = await sql<{ name: string; data: object }>`
    select actor_name as name, data - 'id' as data from events event
    where mailbox_id = ${mailbox.mailboxId} and type = 'message.changed' and exists (
      select from mail_messages
      where mail_messages.id = (event.data ->> 'id')::bigint and uid = (event.data ->> 'uid')::bigint)
    order by position, event.id`.execute(db)
  return rows.map(({ name, data }) => ({ by: name, ...data }))
}

async function modseqs({ mailboxId }: MailboxRef) {
  const { rows } = await sql<{ name: string; modseq: number; last: number }>`
    select name, modseq, (select max(modseq) from mail_messages where folder_id = folder.id) as last
    from mail_folders folder where mailbox_id = ${mailboxId}`.execute(db)
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
    db.transaction().execute(async (tx) => {
      await appendCopies(tx, idKey, [sent], by)
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
  const [own] = (await listMessages(db, ada, 'inbox', { limit: 1, page: 0 })).messages
  assert.equal(own?.answered, false)
})

/** A copy in Sent. */
function sentAbout(mailbox: MailboxRef, answered: readonly string[], forwarded: readonly string[] = []): Copy {
  return copy(mailbox, { folder: 'sent', seen: true, originals: { answered, forwarded } })
}

/** The marks of the messages of a folder, by uid, and their keywords. */
async function marksIn(mailbox: MailboxRef, folder: string): Promise<string[]> {
  const found = await readSummaries(db, mailbox, folder, [1, 2, 3, 4, 5])
  return found.map(({ answered, forwarded, keywords }) =>
    [answered && 'answered', forwarded && 'forwarded', ...keywords].filter((mark) => mark !== false).join(' '),
  )
}

test('what a copy answers or forwards is marked in all folders of its mailbox, and nowhere else', async () => {
  const { ada, bob, stranger, append } = await newTrial(db)
  await append(
    ...['<1@x>', '<2@x>', '<3@x>', '<4@x>'].map((id) => ({ ...named(id, ada), keywords: ['work'] })),
    ...['archive', 'Projects/A', 'sent'].map((folder) => named('<1@x>', ada, folder)),
    ...[bob, stranger].map((mailbox) => named('<1@x>', mailbox)),
  )
  const before = await folderStatuses(db, ada)
  await append(sentAbout(ada, ['<1@x>', '<3@x>', '<nowhere@x>'], ['<2@x>', '<3@x>']))
  assert.deepEqual(await marksIn(ada, 'inbox'), ['answered work', 'forwarded work', 'answered forwarded work', 'work'])
  for (const folder of ['archive', 'Projects/A']) assert.deepEqual(await marksIn(ada, folder), ['answered'])
  assert.deepEqual(await marksIn(ada, 'sent'), ['answered', ''])
  for (const mailbox of [bob, stranger]) assert.deepEqual(await marksIn(mailbox, 'inbox'), [''])
  const counted = before.map((one) => (one.name === 'sent' ? { ...one, total: one.total + 1 } : one))
  assert.deepEqual(await folderStatuses(db, ada), counted)
  assert.deepEqual(await keywordTotals(db, [ada]), [{ keyword: 'work', total: 4, unread: 4 }])
})

test('a marked message keeps its marks as it is changed and moved', async () => {
  const { ada, append } = await newTrial(db)
  await append(named('<1@x>', ada))
  await append(sentAbout(ada, [], ['<1@x>']), sentAbout(ada, ['<1@x>']), sentAbout(ada, ['<1@x>']))
  await updateMessages(db, ada, 'inbox', [1], { seen: true, addKeywords: ['work'] })
  await updateMessages(db, ada, 'inbox', [1], { folder: 'archive', removeKeywords: ['work'] })
  assert.deepEqual(await marksIn(ada, 'archive'), ['answered forwarded'])
  assert.deepEqual((await readStored(db, ada, 'archive', 1))?.summary.answered, true)
})

test('what was deleted meanwhile is not marked, and the copy is stored', async () => {
  const { ada, append, uids } = await newTrial(db)
  await append(named('<1@x>', ada), named('<2@x>', ada))
  await expungeMessages(db, ada, 'inbox', [1])
  await append(sentAbout(ada, ['<1@x>'], ['<gone@x>']))
  assert.deepEqual(await marksIn(ada, 'inbox'), [''])
  assert.deepEqual(await uids('sent'), [1])
})
