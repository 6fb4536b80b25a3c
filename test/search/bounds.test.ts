import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readMessage } from '#/mime/message.ts'
import { delivered } from '#test/world/delivered.ts'
import { type TestOrganization, World } from '#test/world/world.ts'

/** More than a request looks at in one step. */
const howMany = 4_300

let world: World
let organization: TestOrganization
before(async () => {
  world = await World.start()
  organization = await world.organization()
  const { id: mailboxId } = await organization.mailbox('ada')
  const mailbox = { organizationId: organization.id, mailboxId }
  for (let from = 0; from < howMany; from += 500) {
    const copies = Array.from({ length: Math.min(500, howMany - from) }, (_, at) => {
      const number = from + at
      const message = readMessage(Buffer.from(`Subject: Letter ${number}\r\n\r\nHello`))
      // The one that is looked for is the oldest of all.
      const marks = { seen: true, flagged: number === 0, receivedAt: new Date(Date.UTC(2026, 0, 1) + number * 1_000) }
      return { ...{ mailbox, folder: 'inbox', message, keywords: [], filteredBy: [] }, ...marks }
    })
    await world.db.transaction().execute((tx) => world.mailHost.append(tx, copies))
  }
  await delivered(world.db, mailbox)
  await world.searchIndexer?.processAll()
})
after(() => world[Symbol.asyncDispose]())

async function search(query: Record<string, string>) {
  const { status, body } = await organization.request('GET', `/v1/search?${new URLSearchParams(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('a query that takes long ends, says that it has, and goes on with the next page', async (t) => {
  const q = 'is:starred'
  const whole = await search({ q })
  assert.deepEqual([whole.data.length, whole.partial, whole.next_cursor], [1, false, null])
  // Each look at the clock is three seconds later than the one before.
  let now = performance.now()
  const clock = t.mock.method(performance, 'now', () => (now += 3_000))
  const first = await search({ q })
  assert.deepEqual([first.data, first.partial, typeof first.next_cursor], [[], true, 'string'])
  let pages = 1
  let page = first
  while (page.next_cursor !== null && pages < 100) {
    pages++
    page = await search({ q, cursor: page.next_cursor })
  }
  clock.mock.restore()
  assert.deepEqual([page.data.length, page.data[0]?.subject, page.partial], [1, 'Letter 0', false])
  assert.ok(pages > 1 && pages < 10, `${pages}`)
})
