import assert from 'node:assert/strict'
import { readMessage } from '#/mime/message.ts'
import { copy, letter, rawOf, refusal, second } from '#test/mail/letters.ts'
import { trials } from '#test/world/mail/trial.ts'
import { expungeMessages } from './expunge.ts'
import { standardFolders } from './folder-name.ts'
import { folderStatuses } from './folders.ts'
import { keywordTotals } from './keywords.ts'
import type { Mark } from './marked.ts'
import { markedUids } from './marked.ts'
import { readStored, readSummaries } from './read.ts'
import { storageOf, storageUsed } from './storage.ts'
import { updateMessages } from './update.ts'

const testIt = await trials()

testIt('flags and keywords change on the messages named, and nowhere else', async ({ ada, db, append, uids }) => {
  await append(copy(ada, { keywords: ['old'] }), copy(ada, { seen: true }), copy(ada))
  const change = { seen: true, flagged: true, addKeywords: ['Work', 'work', 'a'], removeKeywords: ['OLD'] }
  const places = await updateMessages(db, ada, 'inbox', [2, 1, 7], change)
  assert.deepEqual(
    [...places],
    [1, 2].map((uid) => [uid, { folder: 'inbox', uid }]),
  )
  const after = (await readSummaries(db, ada, 'inbox', [1, 2, 3])).map(({ seen, flagged, keywords }) => {
    return [seen, flagged, ...keywords]
  })
  assert.deepEqual(after, [
    [true, true, 'a', 'work'],
    [true, true, 'a', 'work'],
    [false, false],
  ])
  assert.deepEqual(await uids('inbox', { keyword: 'work' }), [2, 1])
  assert.deepEqual(await uids('inbox', { keyword: 'old' }), [])
  assert.deepEqual((await folderStatuses(db, ada))[0], { name: 'inbox', total: 3, unread: 1 })
})

testIt('a keyword that no IMAP server would keep changes nothing', async ({ ada, db, append }) => {
  await append(copy(ada))
  for (const keyword of ['', 'two words', 'naïve', 'a(b', 'x"', '\\Seen', 'line\r\n', 'k'.repeat(51)])
    await assert.rejects(
      updateMessages(db, ada, 'inbox', [1], { seen: true, addKeywords: [keyword] }),
      refusal('keywords'),
    )
  assert.equal((await readSummaries(db, ada, 'inbox', [1]))[0]?.seen, false)
})

testIt('a moved message keeps all but its uid', async ({ ada, db, append, uids }) => {
  await append(...[1, 2, 3].map((at) => copy(ada, { receivedAt: second(at), keywords: ['work'], flagged: true })))
  await append(copy(ada, { folder: 'archive' }))
  const before = await readStored(db, ada, 'inbox', 3)
  const places = await updateMessages(db, ada, 'inbox', [3, 1], { folder: 'archive', seen: true })
  assert.deepEqual(
    [...places],
    [
      [1, { folder: 'archive', uid: 2 }],
      [3, { folder: 'archive', uid: 3 }],
    ],
  )
  const after = await readStored(db, ada, 'archive', 3)
  assert.deepEqual(after?.summary, { ...before?.summary, folder: 'archive', uid: 3, seen: true })
  assert.deepEqual(await rawOf(after), await rawOf(before))
  assert.deepEqual(await uids('inbox'), [2])
  assert.deepEqual(await uids('inbox', { keyword: 'work' }), [2])
  assert.deepEqual(await uids('archive', { keyword: 'work' }), [3, 2])
  assert.deepEqual(await uids('archive', { unread: true }), [1])
})

testIt('moving makes the folder that lacks, if there is something to move', async ({ ada, db, append }) => {
  await append(copy(ada))
  assert.equal((await updateMessages(db, ada, 'inbox', [2], { folder: 'Later' })).size, 0)
  assert.equal((await folderStatuses(db, ada)).length, standardFolders.length)
  assert.deepEqual((await updateMessages(db, ada, 'inbox', [1], { folder: 'Later' })).get(1), {
    folder: 'Later',
    uid: 1,
  })
  assert.deepEqual((await updateMessages(db, ada, 'Later', [1], { folder: 'Later' })).get(1), {
    folder: 'Later',
    uid: 1,
  })
})

testIt('a uid is never given twice in a folder', async ({ ada, db, append, uids }) => {
  await append(copy(ada), copy(ada))
  await expungeMessages(db, ada, 'inbox', [2])
  await append(copy(ada))
  await updateMessages(db, ada, 'inbox', [3], { folder: 'trash' })
  await append(copy(ada))
  assert.deepEqual(await uids('inbox'), [4, 1])
})

testIt('an expunged message is deleted, others stay', async ({ ada, db, append, uids }) => {
  await append(copy(ada, { keywords: ['work'] }), copy(ada, { keywords: ['work'] }))
  assert.deepEqual(await expungeMessages(db, ada, 'inbox', [9, 1]), [1])
  assert.deepEqual(await expungeMessages(db, ada, 'inbox', [1]), [])
  assert.deepEqual(await uids('inbox', { keyword: 'work' }), [2])
  assert.equal(await readStored(db, ada, 'inbox', 1), undefined)
})

testIt('keywords are counted over all folders and mailboxes', async ({ ada, bob, stranger, db, append }) => {
  const two = { keywords: ['later', 'work'] }
  await append(
    copy(ada, two),
    copy(ada, { ...two, seen: true }),
    copy(bob, { keywords: ['work'] }),
    copy(stranger, two),
  )
  await updateMessages(db, ada, 'inbox', [1], { folder: 'archive', removeKeywords: ['later'] })
  const work = { keyword: 'work', total: 2, unread: 1 }
  assert.deepEqual(await keywordTotals(db, [ada]), [{ keyword: 'later', total: 1, unread: 0 }, work])
  assert.deepEqual((await keywordTotals(db, [ada, bob]))[1], { keyword: 'work', total: 3, unread: 2 })
  assert.deepEqual(await keywordTotals(db, []), [])
})

testIt('messages with a mark are found in folders that are named', async ({ ada, db, append }) => {
  const work = { keywords: ['work'] }
  await append(copy(ada, work), copy(ada, { ...work, flagged: true }), copy(ada), copy(ada, work))
  await updateMessages(db, ada, 'inbox', [2], { folder: 'archive' })
  await updateMessages(db, ada, 'inbox', [3], { flagged: true })
  const found = async (folders: readonly string[], mark: Mark) => {
    const byFolder = [...(await markedUids(db, ada, folders, mark))].filter(([, uids]) => uids.length > 0)
    return byFolder.map(([name, uids]) => [name, uids.toSorted((a, b) => a - b)]).sort()
  }
  assert.deepEqual(await found(['inbox', 'archive', 'sent'], { keyword: 'Work' }), [
    ['archive', [1]],
    ['inbox', [1, 4]],
  ])
  assert.deepEqual(await found(['inbox', 'archive'], 'flagged'), [
    ['archive', [1]],
    ['inbox', [3]],
  ])
  assert.deepEqual(await found(['archive'], { keyword: 'play' }), [])
  assert.deepEqual(await found([], 'flagged'), [])
})

testIt('storage counts every copy until it is expunged', async ({ ada, bob, stranger, db, append }) => {
  const message = readMessage(letter({}, 'x'.repeat(5_000)))
  const size = message.raw.length
  await append(copy(ada, { message }), copy(bob, { message }), copy(stranger, { message }))
  await updateMessages(db, ada, 'inbox', [1], { folder: 'trash', seen: true })
  assert.equal(await storageUsed(db, ada.organizationId), 2 * size)
  assert.equal(await storageUsed(db, stranger.organizationId), size)
  assert.deepEqual(
    await storageOf(db, [ada, stranger]),
    new Map([
      [ada.mailboxId, size],
      [stranger.mailboxId, size],
    ]),
  )
  await expungeMessages(db, ada, 'trash', [1])
  assert.equal(await storageUsed(db, ada.organizationId), size)
  assert.ok((await rawOf(await readStored(db, bob, 'inbox', 1)))?.equals(message.raw))
  assert.equal((await storageOf(db, [ada])).get(ada.mailboxId) ?? 0, 0)
})
