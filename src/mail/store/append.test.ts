import assert from 'node:assert/strict'
import { pieceBytes } from '#/base/event-loop/pieces.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { each } from '#test/world/each.ts'
import { copy, letter, rawOf, second } from '#test/world/letters/letters.ts'
import { idKey } from '#test/world/mail/mailboxes.ts'
import { trials } from '#test/world/mail/trial.ts'
import { appendCopies } from './append-copies.ts'
import { expungeMessages } from './expunge.ts'
import { standardFolders } from './folder-name.ts'
import { folderStatuses } from './folders.ts'
import { listMessages } from './list.ts'
import { readStored, readSummaries } from './read.ts'
import { storageUsed } from './storage.ts'
import { updateMessages } from './update.ts'

const folders = standardFolders

const testIt = await trials()

testIt('a new mailbox has the six folders, all empty', async ({ ada, db }) => {
  assert.deepEqual(
    await folderStatuses(db, ada),
    folders.map((name) => ({ name, total: 0, unread: 0 })),
  )
  for (const folder of folders)
    assert.deepEqual(await listMessages(db, ada, folder, { limit: 25, page: 0 }), { total: 0, messages: [] })
})

testIt('a message is read as it was stored, byte for byte', async ({ ada, db, append }) => {
  const filteredBy = [
    { filter_id: '0199f0a2-0000-7000-8000-000000000001', name: 'Work', action: 'label', argument: 'work' },
  ]
  const fields = {
    subject: 'Notes',
    date: 'Sat, 21 Nov 2026 12:00:00 +0100',
    'list-unsubscribe': '<https://a.test/u>',
  }
  const raw = letter(fields, 'Dear Bob,\r\n\xff\x00')
  const message = readMessage(raw)
  await append(copy(ada, { message, flagged: true, keywords: ['work'], receivedAt: second(1), filteredBy }))
  const stored = await readStored(db, ada, 'inbox', 1)
  assert.deepEqual(await rawOf(stored), raw)
  assert.deepEqual(stored?.filteredBy, filteredBy)
  assert.deepEqual(stored.summary, {
    id: stored.summary.id,
    uid: 1,
    folder: 'inbox',
    messageId: message.messageId,
    threadRoot: message.messageId,
    subject: 'Notes',
    from: { name: 'Ada', address: 'Ada@example.test' },
    to: [{ name: '', address: 'bob@example.test' }],
    receivedAt: second(1),
    seen: false,
    flagged: true,
    answered: false,
    forwarded: false,
    keywords: ['work'],
    hasAttachment: false,
    preview: readMessage(raw).preview,
    sizeBytes: raw.length,
    facts: {
      date: '2026-11-21T11:00:00.000Z',
      results: null,
      unsubscribe: { urls: ['https://a.test/u'], mailto: [], one_click: false },
      automatic: true,
    },
  })
  assert.deepEqual(await readSummaries(db, ada, 'inbox', [1]), [stored?.summary])
  assert.deepEqual((await listMessages(db, ada, 'inbox', { limit: 1, page: 0 })).messages, [stored?.summary])
})

for (const size of [pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes, 3 * pieceBytes + 1])
  testIt(`a message of ${size} bytes is read whole, also piece by piece`, async ({ ada, bob, db, append }) => {
    const start = letter({})
    const raw = Buffer.concat([
      start,
      Buffer.alloc(size - start.length, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ\xff\x00\r\n', 'latin1'),
    ])
    const message = readMessage(raw)
    const held = raw
    await append(copy(ada), copy(ada, { message }), copy(bob, { message }), copy(ada))
    for (const stored of [await readStored(db, ada, 'inbox', 2), await readStored(db, bob, 'inbox', 1)]) {
      const pieces = stored ? await Array.fromAsync(stored.pieces()) : []
      assert.ok(Buffer.concat(pieces).equals(held))
      assert.ok(pieces.every(({ length }) => length <= pieceBytes))
      assert.ok((await rawOf(stored))?.equals(held), 'and once more')
    }
  })

testIt('a large message that is deleted while it is read is not found', async ({ ada, db, append }) => {
  await append(copy(ada, { message: readMessage(Buffer.alloc(2 * pieceBytes + 1, 'A: b\r\n')) }))
  const stored = await readStored(db, ada, 'inbox', 1)
  await expungeMessages(db, ada, 'inbox', [1])
  await assert.rejects(rawOf(stored), { code: 'not_found' })
})

testIt('a folder that lacks is made by the first message to it', async ({ ada, db, append }) => {
  await append(copy(ada, { folder: 'Projects/Apollo' }), copy(ada, { folder: 'Projects/Apollo', seen: true }))
  const names = (await folderStatuses(db, ada)).map(({ name }) => name)
  assert.deepEqual(names, [...folders, 'Projects/Apollo'])
  assert.deepEqual((await folderStatuses(db, ada)).at(-1), { name: 'Projects/Apollo', total: 2, unread: 1 })
})

testIt(
  'many copies to many folders are stored at once, each folder numbering its own',
  async ({ ada, bob, stranger, db, append }) => {
    const message = readMessage(letter({}))
    const targets = [ada, bob, stranger].flatMap((mailbox) =>
      ['inbox', 'junk', 'New'].map((folder) => ({ mailbox, folder })),
    )
    await append(
      ...Array.from({ length: 20 }, () => targets)
        .flat()
        .map((where) => copy(where.mailbox, { ...where, message })),
    )
    for (const { mailbox, folder } of targets) {
      const { messages } = await listMessages(db, mailbox, folder, { limit: 30, page: 0 })
      assert.deepEqual(
        messages.map(({ uid }) => uid),
        Array.from({ length: 20 }, (_, index) => 20 - index),
      )
    }
  },
)

testIt('what is stored in a transaction that fails is not there', async ({ ada, db, uids }) => {
  const failing = db.transaction().execute(async (tx) => {
    await appendCopies(tx, idKey, [copy(ada), copy(ada, { folder: 'New' })])
    throw new Error('not today')
  })
  await assert.rejects(failing, /not today/)
  assert.deepEqual(await uids('inbox'), [])
  assert.equal((await folderStatuses(db, ada)).length, folders.length)
  assert.equal(await storageUsed(db, ada.organizationId), 0)
})

testIt(
  'lists come newest received first, equal dates by uid, in pages that miss nothing',
  async ({ ada, db, append, uids }) => {
    await append(...[3, 1, 2, 3, 1].map((at) => copy(ada, { receivedAt: second(at) })))
    assert.deepEqual(await uids('inbox'), [4, 1, 3, 5, 2])
    const pages = await Promise.all([0, 1, 2, 3].map((page) => listMessages(db, ada, 'inbox', { limit: 2, page })))
    assert.deepEqual(
      pages.map(({ messages }) => messages.map(({ uid }) => uid)),
      [[4, 1], [3, 5], [2], []],
    )
    assert.ok(pages.every(({ total }) => total === 5))
  },
)

testIt('a list continues behind a place, also of a message that is deleted or no longer listed', async (bench) => {
  const { ada, db, append } = bench
  await append(...[3, 1, 2, 3, 1].map((at) => copy(ada, { receivedAt: second(at), keywords: ['k'] })))
  const { messages } = await listMessages(db, ada, 'inbox', { limit: 5, page: 0 })
  const behind = async (filter: object) => {
    const after = messages.map(({ receivedAt, uid }) => ({ receivedAt: receivedAt.getTime(), uid }))
    const lists = after.map((place) => listMessages(db, ada, 'inbox', { limit: 2, page: 0, ...filter, after: place }))
    return (await Promise.all(lists)).map((list) => list.messages.map(({ uid }) => uid))
  }
  assert.deepEqual(await behind({}), [[1, 3], [3, 5], [5, 2], [2], []])
  await updateMessages(db, ada, 'inbox', [1, 5], { seen: true })
  assert.deepEqual(await behind({ unread: true, keyword: 'K' }), [[3, 2], [3, 2], [2], [2], []])
  await expungeMessages(db, ada, 'inbox', [3, 4])
  assert.deepEqual(await behind({}), [[1, 5], [5, 2], [5, 2], [2], []])
})

testIt('summaries are of the uids that are there, in ascending order', async ({ ada, db, append }) => {
  await append(copy(ada), copy(ada), copy(ada))
  const found = await readSummaries(db, ada, 'inbox', [3, 9, 1, 3])
  assert.deepEqual(each(found, 'uid'), [1, 3])
  assert.equal(await readStored(db, ada, 'inbox', 9), undefined)
})
