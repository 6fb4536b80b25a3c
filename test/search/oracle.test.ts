import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { SearchTree } from '#/ports/search.ts'
import { printQuery } from '#/search/query.ts'
import type { TestOrganization } from '#test/world/test-organization.ts'
import { World } from '#test/world/world.ts'
import { asked, folders, idOf, type Made, make, messageOf, numbers, pick, shouldFind } from './mail.ts'

const howMany = 240
const queries = 80

let world: World
let organization: TestOrganization
let now: Date
const addresses: string[] = []
const all: Made[] = []
let keyword: string

before(async () => {
  world = await World.start()
  organization = await world.organization()
  const stranger = await world.organization()
  // A day is never cut by the time that the test takes, nor by the precision of a mail host.
  now = new Date(Math.floor(world.clock.now() / 1_000) * 1_000)
  keyword = (await organization.request('POST', '/v1/labels', { name: 'Work' })).body.keyword
  const random = numbers(7)
  const mailboxes: string[] = []
  for (const name of ['ada', 'bob', 'eve']) {
    const { id, address } = await organization.mailbox(name)
    mailboxes.push(id)
    addresses.push(address)
  }
  const other = { organizationId: stranger.id, mailboxId: (await stranger.mailbox('ada')).id }
  const copies = Array.from({ length: howMany }, (_, number) => {
    const { made, raw } = make(number, random, now)
    all.push(made)
    const mailbox = { organizationId: organization.id, mailboxId: mailboxes[made.mailbox] ?? '' }
    const { folder, receivedAt, seen, flagged } = made
    const keywords = made.labelled ? [keyword] : []
    return { ...{ mailbox, folder, receivedAt, seen, flagged, keywords }, message: messageOf(raw), filteredBy: [] }
  })
  await world.db.transaction().execute((tx) => world.mailHost.append(tx, copies))
  const foreign = copies.map((copy) => ({ ...copy, mailbox: other, folder: 'inbox' }))
  await world.db.transaction().execute((tx) => world.mailHost.append(tx, foreign))
  await world.searchIndexer?.processAll()
})
after(() => world[Symbol.asyncDispose]())

/** A query as people may make them. */
function query(random: (below: number) => number, depth = 0): SearchTree {
  const few = () => Array.from({ length: 2 + random(2) }, () => query(random, depth + 1))
  const kind = random(depth > 2 ? 12 : 16)
  if (kind >= 14) return { kind: 'all', of: few() }
  if (kind === 13) return { kind: 'either', of: few() }
  if (kind === 12) return { kind: 'not', of: query(random, depth + 1) }
  const text = pick(asked, random)
  if (kind < 3) return { kind: 'text', field: 'any', text }
  if (kind < 6) return { kind: 'text', field: pick(['subject', 'from', 'to', 'cc', 'filename'], random), text }
  const others: readonly SearchTree[] = [
    { kind: 'label', keyword },
    { kind: 'folder', name: pick([...folders, 'Nowhere', null], random) },
    { kind: pick(['attachment', 'unread', 'starred'], random) },
    {
      kind: pick(['before', 'after'], random),
      day: new Date(now.getTime() - random(400) * 86_400_000).toISOString().slice(0, 10),
    },
    { kind: pick(['older_than', 'newer_than'], random), amount: random(60), unit: pick(['d', 'w'], random) },
    { kind: pick(['larger', 'smaller'], random), bytes: 200 + random(400) },
    { kind: 'message_id', id: idOf({ number: random(howMany) }) },
  ]
  return pick(others, random)
}

test('a search finds what a plain reading of every message finds', compare)

test('so it does in mailboxes that are so large that frequent words are not looked up', async () => {
  await sql`update mail_folders set total = total + 1000000`.execute(world.db)
  await compare()
  await sql`update mail_folders set total = total - 1000000`.execute(world.db)
})

async function compare(): Promise<void> {
  const random = numbers(11)
  let finding = 0
  for (let count = 0; count < queries; count++) {
    const tree = query(random)
    const q = printQuery(tree)
    const chosen = random(3) === 0 ? [random(3)] : undefined
    const expected = all
      .filter((made) => shouldFind(tree, made, new Date(world.clock.now())))
      .filter(({ mailbox, folder }) => (chosen?.includes(mailbox) ?? true) && (q.includes('in:') || folder !== 'junk'))
      .map(idOf)
    const found = await searched(q, chosen?.map((one) => addresses[one] ?? '') ?? [], 20 + random(80))
    assert.deepEqual(found.map(({ message_id }) => message_id).sort(), expected.sort(), q)
    const times = found.map(({ received_at }) => received_at)
    assert.deepEqual(times, times.toSorted().reverse(), `${q}: the newest come first`)
    finding += found.length > 0 ? 1 : 0
  }
  assert.ok(finding > queries / 3, 'many of the queries find something')
}

test('search results follow messages that are moved, changed and deleted', async () => {
  const mailbox = addresses[0] ?? ''
  const [first] = await searched('is:unread in:inbox', [mailbox], 100)
  assert.ok(first)
  const path = `/v1/messages/${first.uid}?mailbox=${mailbox}`
  const id = `message_id:"${first.message_id}"`
  await organization.request('PATCH', path, { unread: false, starred: true, folder: 'Elsewhere' })
  const places = async (q: string) => (await searched(q, [mailbox], 10)).map(({ folder, starred }) => [folder, starred])
  assert.deepEqual(await places(`${id} is:read in:elsewhere OR in:Elsewhere`), [['Elsewhere', true]])
  assert.deepEqual(await places(`${id} is:unread`), [])
  assert.deepEqual(await places(`${id} in:inbox`), [])
})

type Item = { message_id: string; received_at: string; uid: number; folder: string; starred: boolean }

/** All pages. */
async function searched(q: string, mailboxes: readonly string[], limit: number): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor = ''; ; ) {
    const given = new URLSearchParams({ q, limit: `${limit}`, ...(cursor && { cursor }) })
    for (const one of mailboxes) given.append('mailbox', one)
    const { status, body, bytes } = await organization.request('GET', `/v1/search?${given}`)
    assert.equal(status, 200, `${q}: ${bytes}`)
    assert.equal(body.indexing, false)
    assert.ok(body.data.length <= limit)
    found.push(...body.data)
    if (body.next_cursor === null) return found
    assert.ok(body.data.length === limit || body.partial, `${q}: a page is full or says that it is not`)
    cursor = body.next_cursor
  }
}
