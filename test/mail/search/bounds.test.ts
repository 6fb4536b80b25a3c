// On both databases: the planner decides how much a search reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { parseQuery } from '#/mail/search/query.ts'
import type { SearchPlace } from '#/mail/search-index/query.ts'
import { searchMail } from '#/mail/search-index/search.ts'
import { World } from '#test/world/world.ts'

/** More than a request reads in one step. */
const howMany = 4_300

const world = await World.ofFile()
const { organization, id: mailboxId } = await world.mailbox('ada')
const mailbox = { organizationId: organization.id, mailboxId }
for (let from = 0; from < howMany; from += 500) {
  const copies = Array.from({ length: Math.min(500, howMany - from) }, (_, at) => {
    const number = from + at
    const message = readMessage(Buffer.from(`Subject: Letter ${number}\r\n\r\nHello${number === 0 ? ' letter' : ''}`))
    // The wanted message is the oldest.
    const marks = { seen: true, flagged: number === 0, receivedAt: new Date(Date.UTC(2026, 0, 1) + number * 1_000) }
    return { ...{ mailbox, folder: 'inbox', message, keywords: [], filteredBy: [] }, ...marks }
  })
  await world.store(copies)
}
await world.searchIndexer?.processAll()

async function search(after?: SearchPlace, q = 'is:starred') {
  const { tree } = parseQuery(q)
  return searchMail(world.db, [mailbox], { tree, now: new Date(), limit: 25, after })
}

test('a query that takes long ends, says that it has, and goes on with the next page', async (t) => {
  const whole = await search()
  assert.deepEqual([whole.found.length, whole.partial, whole.next], [1, false, undefined])
  // Each look at the clock is three seconds later than the one before.
  let now = performance.now()
  t.mock.method(performance, 'now', () => (now += 3_000))
  let page = await search()
  assert.deepEqual([page.found, page.partial, page.next !== undefined], [[], true, true])
  let pages = 1
  for (; page.next && pages < 100; pages++) page = await search(page.next)
  assert.deepEqual([page.found.map(({ summary }) => summary.subject), page.partial], [['Letter 0'], false])
  assert.ok(pages > 1 && pages < 10, `${pages}`)
})

test('the more words a query has, the fewer messages a statement compares with them', async (t) => {
  let now = performance.now()
  t.mock.method(performance, 'now', () => (now += 3_000))
  for (const words of [
    `"${Array.from({ length: 400 }, () => 'a').join(' ')}"`,
    Array.from({ length: 40 }, (_, number) => `-w${number}`).join(' '),
  ]) {
    const page = await search(undefined, `${words} is:starred`)
    assert.ok(page.partial && page.next)
    const looked = howMany - (page.next.receivedAt - Date.UTC(2026, 0, 1)) / 1_000
    assert.ok(looked <= 100, `${looked} of ${words}`)
  }
})

test('messages whose many words are in the index, but not in this order, are compared in several statements', async (t) => {
  const q = '"hello letter" '.repeat(20)
  let now = performance.now()
  t.mock.method(performance, 'now', () => (now += 500))
  let page = await search(undefined, q)
  let pages = 1
  for (; page.next && pages < 100; pages++) {
    assert.deepEqual([page.found.length, page.partial], [0, true])
    page = await search(page.next, q)
  }
  assert.deepEqual([page.found.map(({ summary }) => summary.subject), page.partial], [['Letter 0'], false])
  assert.ok(pages > 1 && pages < 50, `${pages}`)
})
