import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { readMessage } from '#/formats/mime/read-message.ts'
import { printQuery } from '#/mail/search/query.ts'
import type { SearchTree } from '#/mail/search-index/query.ts'
import { World } from '#test/world/world.ts'
import { asked, folders, idOf, judged, make, numbers, pick, says, shouldFind } from './mail.ts'

const howMany = 240
const queries = 80
const fields = ['subject', 'from', 'to', 'cc', 'filename'] as const

const world = await World.ofFile()
const organization = await world.organization()
const mailboxes = await Promise.all(['ada', 'bob', 'eve'].map((name) => organization.mailbox(name)))
const keyword: string = (await organization.request('POST', '/v1/labels', { name: 'Work' })).body.keyword
const stranger = await world.mailbox('ada')
// No limit of a day falls into the time that the test takes.
const now = new Date(Math.floor(world.clock.now() / 1_000) * 1_000)
const written = numbers(7)
const generated = Array.from({ length: howMany }, (_, number) => make(number, written, now))
const all = generated.map(({ made }) => judged(made))

/** Stores the generated mail, and the same for another organization. */
before(async () => {
  const copies = generated.map(({ made, raw }) => {
    const { folder, receivedAt, seen, flagged } = made
    const mailbox = { organizationId: organization.id, mailboxId: mailboxes[made.mailbox]?.id ?? '' }
    const keywords = made.labelled ? [keyword] : []
    return { ...{ mailbox, folder, receivedAt, seen, flagged, keywords }, message: readMessage(raw), filteredBy: [] }
  })
  const other = { organizationId: stranger.organization.id, mailboxId: stranger.id }
  const foreign = copies.map((copy) => ({ ...copy, mailbox: other, folder: 'inbox' }))
  await world.store([...copies, ...foreign])
  await world.searchIndexer?.processAll()
})

/** A query as people may make them. */
function query(random: (below: number) => number, depth = 0): SearchTree {
  const few = () => Array.from({ length: 2 + random(2) }, () => query(random, depth + 1))
  const kind = random(depth > 2 ? 12 : 16)
  if (kind >= 14) return { kind: 'all', of: few() }
  if (kind === 13) return { kind: 'either', of: few() }
  if (kind === 12) return { kind: 'not', of: query(random, depth + 1) }
  const text = pick(asked, random)
  if (kind < 3) return { kind: 'text', field: 'any', text }
  if (kind < 6) return { kind: 'text', field: pick(fields, random), text }
  return pick(operatorsWith(random), random)
}

/** Of each operator without words. */
function operatorsWith(random: (below: number) => number): SearchTree[] {
  const day = () => new Date(now.getTime() - random(400) * 86_400_000).toISOString().slice(0, 10)
  const age = () => ({ amount: random(60), unit: pick(['d', 'w'] as const, random) })
  const bytes = () => 200 + random(400)
  return [
    { kind: 'label', keyword },
    ...[...folders, 'Nowhere', null].map((name) => ({ kind: 'folder' as const, name })),
    ...(['attachment', 'unread', 'starred'] as const).map((kind) => ({ kind })),
    { kind: 'before', day: day() },
    { kind: 'after', day: day() },
    { kind: 'older_than', ...age() },
    { kind: 'newer_than', ...age() },
    { kind: 'larger', bytes: bytes() },
    { kind: 'smaller', bytes: bytes() },
    { kind: 'message_id', id: idOf({ number: random(howMany) }) },
  ]
}

/** Whether anything was found, of one mailbox or of all. */
async function assertFound(tree: SearchTree, chosen: number | undefined, limit: number): Promise<boolean> {
  const q = printQuery(tree)
  const at = new Date(world.clock.now())
  const expected = all
    .filter(({ mailbox, folder }) => (chosen ?? mailbox) === mailbox && (q.includes('in:') || folder !== 'junk'))
    .filter((message) => shouldFind(tree, message, at))
  const found = await searched(q, chosen === undefined ? [] : [mailboxes[chosen]?.address ?? ''], limit)
  assert.deepEqual(found.map(({ message_id }) => message_id).sort(), expected.map(idOf).sort(), q)
  const times = found.map(({ received_at }) => received_at)
  assert.deepEqual(times, times.toSorted().reverse(), `${q}: the newest come first`)
  if (tree.kind !== 'text') return found.length > 0
  // On a busy machine the last of a page come without: the time to find the places is limited.
  const shown = found.findLastIndex(({ match }) => match !== null) + 1
  assert.ok(shown > 0 || found.length === 0, `${q}: the first answer has the place that matched`)
  for (const { match } of found.slice(0, shown)) {
    assert.ok(match, `${q}: the answer has the place that matched`)
    assert.ok(says(match.text, tree.text), `${q}: ${match.text}`)
    assert.ok(tree.field === 'any' || match.field === tree.field, `${q}: ${match.field}`)
  }
  return found.length > 0
}

async function assertQueries(): Promise<void> {
  const random = numbers(11)
  let finding = 0
  for (let count = 0; count < queries; count++) {
    const chosen = random(3) === 0 ? random(3) : undefined
    if (await assertFound(query(random), chosen, 20 + random(80))) finding++
  }
  assert.ok(finding > queries / 3, 'many of the queries find something')
}

test('a search finds what a plain reading of every message finds', assertQueries)

test('so it does in mailboxes that are so large that frequent words are not looked up', async () => {
  const addTotals = (more: number) => sql`update mail_folders set total = total + ${more}::integer`.execute(world.db)
  await addTotals(1_000_000)
  await assertQueries()
  await addTotals(-1_000_000)
})

test('so does each operator alone, and each word in each field', async () => {
  const random = numbers(13)
  for (const tree of operatorsWith(random))
    for (const one of [tree, { kind: 'not', of: tree } as const]) await assertFound(one, undefined, 100)
  for (const text of asked)
    for (const field of ['any', pick(fields, random)] as const)
      await assertFound({ kind: 'text', field, text }, undefined, 100)
})

test('what is found moves, changes and goes, and the search with it', async () => {
  const mailbox = mailboxes[0]?.address ?? ''
  const [first] = await searched('is:unread in:inbox', [mailbox], 100)
  assert.ok(first)
  const change = { unread: false, starred: true, folder: 'Elsewhere' }
  await organization.request('PATCH', `/v1/messages/${first.uid}?mailbox=${mailbox}`, change)
  const places = async (q: string) =>
    (await searched(`message_id:"${first.message_id}" ${q}`, [mailbox], 10)).map((one) => [one.folder, one.starred])
  assert.deepEqual(await places('is:read in:elsewhere OR in:Elsewhere'), [['Elsewhere', true]])
  assert.deepEqual(await places('is:unread'), [])
  assert.deepEqual(await places('in:inbox'), [])
})

interface Item {
  readonly message_id: string
  readonly received_at: string
  readonly uid: number
  readonly folder: string
  readonly starred: boolean
  readonly match: { readonly field: string; readonly text: string } | null
}

/** All pages. */
async function searched(q: string, among: readonly string[], limit: number): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor = ''; ; ) {
    const given = new URLSearchParams({ q, limit: `${limit}`, ...(cursor && { cursor }) })
    for (const one of among) given.append('mailbox', one)
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
