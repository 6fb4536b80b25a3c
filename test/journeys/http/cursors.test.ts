import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hand, letter } from '#test/mail/letter.ts'
import type { TestOrganization } from '#test/world/test-organization.ts'
import { World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await World.start()
})
after(() => world[Symbol.asyncDispose]())

interface Listing {
  readonly path: string
  /** Adds an entry at the beginning of the list, or at its end, and answers what is known of it. */
  readonly add: (at: TestOrganization, number: number) => Promise<string>
  readonly remove: (at: TestOrganization, entry: string) => Promise<void>
  /** What an entry is known by. */
  readonly name: string
}

async function created(at: TestOrganization, path: string, body: object): Promise<string> {
  const answer = await at.request('POST', path, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

async function deleted(at: TestOrganization, path: string): Promise<void> {
  assert.equal((await at.request('DELETE', path)).status, 200)
}

const addressOf = new Map<TestOrganization, string>()

const listings: Readonly<Record<string, Listing>> = {
  scheduled: {
    path: '/v1/scheduled?',
    name: 'id',
    add: (at, number) => {
      // The same time for several: then the id decides.
      const sendAt = new Date(world.clock.now() + 3_600_000 + Math.floor(number / 3) * 60_000).toISOString()
      return created(at, '/v1/scheduled', { from: addressOf.get(at), to: 'a@b.example', text: 'x', send_at: sendAt })
    },
    remove: (at, id) => deleted(at, `/v1/scheduled/${id}`),
  },
  'blocked senders': {
    path: '/v1/blocked-senders?',
    name: 'id',
    add: (at, number) => created(at, '/v1/blocked-senders', { pattern: `@n${number}.example` }),
    remove: (at, id) => deleted(at, `/v1/blocked-senders/${id}`),
  },
  domains: {
    path: '/v1/domains?',
    name: 'id',
    add: (at, number) => created(at, '/v1/domains', { domain: `n${number}-${at.name.slice(0, 8)}.test` }),
    remove: (at, id) => deleted(at, `/v1/domains/${id}`),
  },
  messages: {
    path: '/v1/messages?',
    name: 'subject',
    add: async (at, number) => {
      const subject = `Letter ${number}`
      const to = addressOf.get(at) ?? ''
      assert.equal(await hand(world, 'x@peer.example', to, letter({ Subject: subject })), '250 2.6.0')
      return subject
    },
    remove: async (at, subject) => {
      const mailbox = addressOf.get(at) ?? ''
      const { data } = (await at.request('GET', `/v1/messages?mailbox=${mailbox}&limit=100`)).body
      const uids = data
        .filter((one: { subject: string }) => one.subject === subject)
        .map(({ uid }: { uid: number }) => uid)
      const change = await at.request('PATCH', `/v1/messages?mailbox=${mailbox}`, { uids, folder: 'archive' })
      assert.deepEqual(change.body.updated, uids)
    },
  },
}

async function organizationWithMailbox(): Promise<TestOrganization> {
  const at = await world.organization({ plan: 'business' })
  addressOf.set(at, (await at.mailbox('ada')).address)
  return at
}

const listIn = (at: TestOrganization, { path }: Listing, query: object) => {
  const given = { ...(path.startsWith('/v1/messages') && { mailbox: addressOf.get(at) }), ...query }
  return at.request('GET', path + new URLSearchParams(given as Record<string, string>))
}

for (const [what, listing] of Object.entries(listings)) {
  test(`${what}: who follows the cursor while entries come and go meets each once that stays`, async () => {
    const at = await organizationWithMailbox()
    const first = (await listIn(at, listing, {})).body.data.length
    const entries: string[] = []
    for (let number = 0; number < 8; number++) entries.push(await listing.add(at, number))
    const met: string[] = []
    let gone: string | undefined
    for (let cursor = ''; ; ) {
      const { status, body } = await listIn(at, listing, { limit: 3, cursor })
      assert.equal(status, 200, JSON.stringify(body))
      met.push(...body.data.map((one: Record<string, string>) => one[listing.name]))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
      if (gone !== undefined) continue
      // The very one that the cursor is behind, and a new one.
      gone = met.at(-1)
      await listing.remove(at, gone ?? '')
      await listing.add(at, 9)
    }
    for (const entry of entries) assert.equal(met.filter((one) => one === entry).length, 1, `${entry} in ${met}`)
    assert.ok(met.length <= first + 9, `${met}`)
    assert.equal(new Set(met).size, met.length)
  })

  test(`${what}: without a cursor the answer has none, and only a cursor of the list is taken`, async () => {
    const at = await organizationWithMailbox()
    for (let number = 0; number < 2; number++) await listing.add(at, number)
    assert.ok(!('next_cursor' in (await listIn(at, listing, {})).body))
    const { body } = await listIn(at, listing, { limit: 1, cursor: '' })
    const other = listings[what === 'domains' ? 'scheduled' : 'domains'] as Listing
    const forged = Buffer.from(JSON.stringify([...JSON.parse(atob(body.next_cursor)).slice(0, 1), 1e300, 'x']))
    const elsewhere = await organizationWithMailbox()
    for (const number of [0, 1]) await other.add(elsewhere, number)
    const foreign = (await listIn(elsewhere, other, { limit: 1, cursor: '' })).body.next_cursor
    const noLists = ['5', 'null', '{}'].map((text) => Buffer.from(text).toString('base64url'))
    for (const cursor of ['x', foreign, forged.toString('base64url'), 'a\u0000b', ...noLists]) {
      const refused = await listIn(at, listing, { cursor })
      assert.deepEqual([refused.status, refused.body.error.field], [400, 'cursor'], cursor)
    }
  })
}

test('a cursor is of one filter: of what is unread, or of a status', async () => {
  const at = await organizationWithMailbox()
  for (const listing of [listings.messages, listings.scheduled] as Listing[])
    for (const number of [0, 1]) await listing.add(at, number)
  for (const [listing, filter] of [
    [listings.messages, { unread: 'true' }],
    [listings.scheduled, { status: 'pending' }],
  ] as [Listing, object][]) {
    const { body } = await listIn(at, listing, { ...filter, limit: 1, cursor: '' })
    assert.equal((await listIn(at, listing, { ...filter, cursor: body.next_cursor })).body.data.length, 1)
    assert.equal((await listIn(at, listing, { cursor: body.next_cursor })).status, 400)
  }
})

test('scheduled messages are listed by status', async () => {
  const at = await organizationWithMailbox()
  await (listings.scheduled as Listing).add(at, 0)
  const count = async (status: string) => (await at.request('GET', `/v1/scheduled?status=${status}`)).body.data.length
  assert.deepEqual([await count('pending'), await count('sending'), await count('failed')], [1, 0, 0])
  const refused = await at.request('GET', '/v1/scheduled?status=gone')
  assert.deepEqual([refused.status, refused.body.error.field], [400, 'status'])
})

test('after_uid tells what is new, in the order in which it came', async () => {
  const at = await organizationWithMailbox()
  const messages = listings.messages as Listing
  for (let number = 0; number < 5; number++) await messages.add(at, number)
  const since = async (uid: number, limit = 25) => (await listIn(at, messages, { after_uid: uid, limit })).body
  const uids = (body: { data: { uid: number }[] }) => body.data.map(({ uid }) => uid)
  const first = await since(0, 3)
  assert.deepEqual([uids(first), first.total, first.has_more, 'next_cursor' in first], [[1, 2, 3], 3, true, false])
  await messages.remove(at, 'Letter 4')
  assert.deepEqual([uids(await since(3)), (await since(3)).has_more], [[4], false])
  await messages.add(at, 6)
  assert.deepEqual([uids(await since(4)), uids(await since(6)), uids(await since(4_294_967_295))], [[6], [], []])
  for (const [field, query] of [
    ['page', { after_uid: '1', page: '0' }],
    ['unread', { after_uid: '1', unread: 'true' }],
    ['cursor', { after_uid: '1', cursor: '' }],
    ['after_uid', { after_uid: '1', uids: '1' }],
    ['page', { cursor: '', page: '1' }],
    ['after_uid', { after_uid: '-1' }],
  ] as const) {
    const { status, body } = await listIn(at, messages, query)
    assert.deepEqual([status, body.error.field], [400, field], JSON.stringify(query))
  }
})
