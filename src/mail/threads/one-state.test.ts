import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import { folderChanges } from '#/mail/store/changes.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Summary } from '#/mail/store/read.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { indexesOn } from '#test/mail/threads/indexes.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { secret } from '#test/world/installation.ts'
import { answering } from '#test/world/observe/meanwhile.ts'
import { World } from '#test/world/world.ts'
import { ThreadCache } from './cache.ts'
import { listConversations, readConversation } from './read.ts'
import { RememberedTexts } from './texts.ts'

const world = await World.ofFile()

const key = idHashKey(secret)

function letter(headers: string) {
  return { seen: true, receivedAt: 1000, sender: 'ann@x.test', headers: `${headers}\r\n` }
}

/** A conversation of two messages, and what happens before its messages are next read, or after that. */
async function conversation(t: TestContext) {
  const { organization, id: mailboxId } = await world.mailbox('ada')
  const mailbox: MailboxRef = { organizationId: organization.id, mailboxId }
  await storeMessages(world, mailbox, [letter('Message-ID: <1@x>'), letter('Message-ID: <2@x>\r\nReferences: <1@x>')])
  const happenings: { before?: () => Promise<unknown>; after?: () => Promise<unknown> }[] = []
  let looks = 0
  const threads = new ThreadCache({
    changes(...asked) {
      looks++
      return folderChanges(world.db, ...asked)
    },
    key,
    maxBytes: 1 << 20,
  })
  const { mailboxIndexes } = indexesOn(world.db, key)
  const parts = { db: world.db, threads, mailboxIndexes, texts: new RememberedTexts(world.db) }
  answering(t, world.db, 'content.thread_root, content.subject', async (ask) => {
    const happening = happenings.shift()
    await happening?.before?.()
    const answer = await ask()
    await happening?.after?.()
    return answer
  })
  const folder = { mailbox, only: 'inbox' }
  const list = async () => (await listConversations(parts, folder, { limit: 1, from: 0 })).data
  const data = await list()
  const looksFor = async (work: () => Promise<unknown>) => {
    looks = 0
    await work()
    return looks
  }
  const read = async () => shown((await readConversation(parts, folder, data[0]?.id ?? '')).messages)
  const flag = (uid: number, seen: boolean) => updateMessages(world.db, mailbox, 'inbox', [uid], { seen })
  const move = (uid: number) => updateMessages(world.db, mailbox, 'inbox', [uid], { folder: 'archive' })
  const reply = () => storeMessages(world, mailbox, [letter('Message-ID: <3@x>\r\nReferences: <1@x>')])
  const other = () => storeMessages(world, mailbox, [letter('Message-ID: <other@x>')])
  return { happenings, list, read, looksFor, flag, move, reply, other }
}

function shown(messages: readonly Summary[]): string {
  return messages.map(({ uid, seen }) => `${uid}${seen ? '' : ' unread'}`).join(', ')
}

test('a conversation that a reply joined before a flag was changed has the reply, if it has the flag', async (t) => {
  const { happenings, read, flag, reply } = await conversation(t)
  happenings.push({
    before: async () => {
      await reply()
      await flag(1, false)
    },
  })
  assert.equal(await read(), '1 unread, 2, 3')
})

test('a conversation that a message left before a flag was changed has it no more, if it has the flag', async (t) => {
  const { happenings, read, flag, move } = await conversation(t)
  happenings.push({
    before: async () => {
      await flag(1, false)
      await move(2)
    },
  })
  assert.equal(await read(), '1 unread')
})

test('a folder is looked at once for a list, and before and after its messages are read for a conversation', async (t) => {
  const { list, read, looksFor } = await conversation(t)
  assert.equal(await looksFor(list), 1)
  assert.equal(await looksFor(read), 2)
})

test('what comes into the folder meanwhile, beside a conversation, does not have it read again', async (t) => {
  const { happenings, read, looksFor, other } = await conversation(t)
  happenings.push({ before: other })
  assert.equal(await looksFor(read), 2)
})

test('what changes after the messages were read, or changes again and again, is shown as it was, or as it is', async (t) => {
  const { happenings, read, looksFor, flag } = await conversation(t)
  happenings.push({ after: () => flag(2, false) })
  assert.equal(await read(), '1, 2 unread')
  for (let count = 0; count < 9; count++) happenings.push({ before: () => flag(1, count % 2 > 0) })
  assert.equal(await looksFor(async () => assert.match(await read(), /^1( unread)?, 2 unread$/)), 4)
})
