import assert from 'node:assert/strict'
import { copy, refusal } from '#test/world/letters/letters.ts'
import { trials } from '#test/world/mail/trial.ts'
import { standardFolders } from './folder-name.ts'
import { folderStatuses } from './folders.ts'
import { keywordTotals } from './keywords.ts'
import type { Mark } from './marked.ts'
import { markedUids } from './marked.ts'
import { readSummaries } from './read.ts'
import { updateMessages } from './update.ts'

const testIt = await trials()

testIt('a keyword that no IMAP server would keep changes nothing', async ({ ada, db, append }) => {
  await append(copy(ada))
  for (const keyword of ['', 'two words', 'naïve', 'a(b', 'x"', '\\Seen', 'line\r\n', 'k'.repeat(51)])
    await assert.rejects(
      updateMessages(db, ada, 'inbox', [1], { seen: true, addKeywords: [keyword] }),
      refusal('keywords'),
    )
  assert.equal((await readSummaries(db, ada, 'inbox', [1]))[0]?.seen, false)
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
