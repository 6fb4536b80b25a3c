import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

interface Listing {
  readonly path: string
  /** Adds an entry at the beginning of the list, or at its end, and answers what is known of it. */
  readonly add: (at: Owner, number: number) => Promise<string>
  readonly remove: (at: Owner, entry: string) => Promise<void>
  /** What an entry is known by. */
  readonly name: string
  /** Otherwise than by removing or adding, and without a new place. */
  readonly touch?: (at: Owner, entry: string) => Promise<void>
}

/** Entries that are made there with such a body, and deleted. */
function made(path: string, body: (number: number, at: Owner) => object): Listing {
  return {
    ...{ path: `${path}?`, name: 'id' },
    add: async (at, number) => (await at.bodyOf(201, 'POST', path, body(number, at))).id,
    remove: (at, id) => at.bodyOf(200, 'DELETE', `${path}/${id}`),
  }
}

type Owner = TestOrganization & { readonly address: string; readonly mailbox: MailboxRef }

const listings: Readonly<Record<string, Listing>> = {
  scheduled: made('/v1/scheduled', (number, at) => ({
    ...{ from: at.address, to: 'a@b.example', text: 'x' },
    // The same time for several: then the id decides.
    send_at: new Date(world.clock.now() + 3_600_000 + Math.floor(number / 3) * 60_000).toISOString(),
  })),
  'blocked senders': made('/v1/blocked-senders', (number) => ({ pattern: `@n${number}.example` })),
  domains: made('/v1/domains', (number, at) => ({ domain: `n${number}-${at.name.slice(0, 8)}.test` })),
  labels: {
    ...made('/v1/labels', (number) => ({ name: `Label ${number}` })),
    touch: async (at, id) => void (await at.request('PATCH', `/v1/labels/${id}`, { colour: 'red' })),
  },
  filters: made('/v1/filters', (number) => ({
    // The same position for several: then the time decides.
    ...{ name: 'F', field: 'from', op: 'is', value: 'x', action: 'star', position: (number * 7) % 5 },
  })),
  folders: {
    path: '/v1/folders?',
    name: 'name',
    add: async (at, number) => {
      const name = `Folder ${String(number).padStart(4, '0')}`
      await at.bodyOf(201, 'POST', `/v1/folders?mailbox=${at.address}`, { name })
      return name
    },
    remove: (at, name) => at.bodyOf(200, 'DELETE', `/v1/folders/${encodeURIComponent(name)}?mailbox=${at.address}`),
  },
  threads: { path: '/v1/threads?', name: 'root_message_id', ...mail('threads') },
  messages: { path: '/v1/messages?', name: 'message_id', ...mail('messages') },
  conversations: { path: '/v1/conversations?', name: 'root_message_id', ...mail('conversations') },
}

interface Filed {
  readonly uid: number
  readonly message_id: string
}

/** Messages in the inbox, of dates that are often the same. */
function mail(list: string): Omit<Listing, 'path' | 'name'> {
  const change = async (at: Owner, id: string, body: object) => {
    const { data } = (await at.request('GET', `/v1/messages?mailbox=${at.address}&limit=100`)).body
    const uids = data.filter((one: Filed) => one.message_id === id).map(({ uid }: Filed) => uid)
    const changed = await at.request('PATCH', `/v1/messages?mailbox=${at.address}`, { uids, ...body })
    assert.deepEqual(changed.body.updated, uids, list)
  }
  return {
    add: async (at, number) => {
      const id = `<${number}@letters.example>`
      const receivedAt = Date.UTC(2026, 10, 21, 7, 0, (number * 7) % 5)
      const headers = `Message-ID: ${id}\r\n`
      await storeMessages(world, at.mailbox, [{ headers, receivedAt, seen: false, sender: 'ann@x.test' }])
      return id
    },
    remove: (at, id) => change(at, id, { folder: 'trash' }),
    touch: (at, id) => change(at, id, { unread: false }),
  }
}

async function organizationWithMailbox(): Promise<Owner> {
  const { organization, id: mailboxId, address } = await world.mailbox('ada', { plan: 'business' })
  return Object.assign(organization, { address, mailbox: { organizationId: organization.id, mailboxId } })
}

const listIn = (at: Owner, { path }: Listing, query: object) => {
  const given = {
    ...(/^\/v1\/(?:messages|conversations|threads|folders)/.test(path) && { mailbox: at.address }),
    ...query,
  }
  return at.request('GET', path + new URLSearchParams(given as Record<string, string>))
}

/** What happens between two pages. The number picks among the entries that are there. */
type Happening =
  | { readonly what: 'add' }
  | { readonly what: 'remove' | 'remove last met' | 'touch'; readonly which: number }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ what: fc.constant('add' as const) }),
  fc.record({ what: fc.constantFrom('remove', 'remove last met', 'touch'), which: fc.nat() }),
)
const reading = fc.record({
  entries: fc.integer({ min: 1, max: 9 }),
  pages: fc.array(fc.record({ limit: fc.integer({ min: 1, max: 4 }), after: fc.array(happening, { maxLength: 3 }) }), {
    maxLength: 5,
  }),
})

/** The entries that a reader gets, page by page. */
async function met(
  at: Owner,
  listing: Listing,
  pages: readonly { readonly limit: number; readonly after: readonly Happening[] }[],
  happen: (one: Happening, last: string | undefined) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const found: string[] = []
  for (let [cursor, number] = ['', 0]; ; number++) {
    const { limit, after } = pages[number] ?? { limit: 3, after: [] }
    const { status, body } = await listIn(at, listing, { limit, cursor })
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(body.data.length <= limit)
    found.push(...body.data.map((one: Record<string, string>) => one[listing.name]))
    if (body.next_cursor === null) return found
    cursor = body.next_cursor
    for (const one of after) await happen(one, found.at(-1))
  }
}

for (const [what, listing] of Object.entries(listings))
  test(`${what}: who follows the cursor while entries come and go meets each once that stays, and none twice`, async () => {
    let [added, runs] = [0, 0]
    const at = await organizationWithMailbox()
    const begins = new Set(await met(at, listing, [{ limit: 100, after: [] }]))
    await fc.assert(
      fc.asyncProperty(reading, async ({ entries, pages }) => {
        runs++
        // Else these are too many requests of one key.
        await world.advance(60_000)
        const there = new Set<string>()
        const add = async () => there.add(await listing.add(at, added++))
        for (let number = 0; number < entries; number++) await add()
        const stayed = new Set(there)
        const happen = async (one: Happening, last: string | undefined) => {
          if (one.what === 'add') await add()
          const entry =
            one.what === 'remove last met' ? last : [...there][('which' in one ? one.which : 0) % there.size]
          if (one.what === 'add' || entry === undefined || !there.has(entry)) return
          if (one.what === 'touch') return listing.touch?.(at, entry)
          await listing.remove(at, entry)
          there.delete(entry)
          stayed.delete(entry)
        }
        const found = await met(at, listing, pages, happen)
        assert.equal(new Set(found).size, found.length, `none twice: ${found}`)
        for (const entry of stayed) assert.ok(found.includes(entry), `${entry} in ${found}`)
        const ours = found.filter((one) => !begins.has(one))
        assert.ok(ours.length <= added, `${ours}`)
        for (const entry of there) await listing.remove(at, entry)
      }),
      { numRuns: 12 },
    )
    assert.ok(runs > 0)
  })

test('a conversation that is answered while a list is read is met at most once, and is there for the next reading', async () => {
  const at = await organizationWithMailbox()
  const conversations = listings.conversations as Listing
  for (let number = 0; number < 6; number++) await conversations.add(at, number)
  const list = await met(at, conversations, [])
  const answered = [list.at(0), list.at(-1)]
  const found = await met(at, conversations, [{ limit: 2, after: [{ what: 'add' }] }], async () => {
    for (const id of answered) {
      const headers = `Message-ID: <re-${id?.slice(1)}\r\nIn-Reply-To: ${id}\r\n`
      const receivedAt = Date.UTC(2026, 10, 22)
      await storeMessages(world, at.mailbox, [{ headers, receivedAt, seen: false, sender: 'ben@x.test' }], 'archive')
    }
  })
  assert.deepEqual(found, list.slice(0, -1))
  assert.deepEqual((await met(at, conversations, [])).slice(0, 2).sort(), answered.sort())
})

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

test('after_uid tells what is new, in the order in which it came', async () => {
  const at = await organizationWithMailbox()
  const messages = listings.messages as Listing
  for (let number = 0; number < 5; number++) await messages.add(at, number)
  const since = async (uid: number, limit = 25) => (await listIn(at, messages, { after_uid: uid, limit })).body
  const uids = (body: { data: { uid: number }[] }) => body.data.map(({ uid }) => uid)
  const first = await since(0, 3)
  assert.deepEqual([uids(first), first.total, first.has_more], [[1, 2, 3], 3, true])
  const rest = await listIn(at, messages, { after_uid: 0, limit: 3, cursor: first.next_cursor })
  assert.deepEqual([uids(rest.body), rest.body.next_cursor], [[4, 5], null])
  await messages.remove(at, '<4@letters.example>')
  assert.deepEqual([uids(await since(3)), (await since(3)).has_more], [[4], false])
  await messages.add(at, 6)
  assert.deepEqual([uids(await since(4)), uids(await since(6)), uids(await since(4_294_967_295))], [[6], [], []])
  for (const [field, query] of [
    ['page', { after_uid: '1', page: '0' }],
    ['unread', { after_uid: '1', unread: 'true' }],
    ['cursor', { after_uid: '1', cursor: first.next_cursor }],
    ['after_uid', { after_uid: '1', uids: '1' }],
    ['page', { cursor: '', page: '1' }],
    ['after_uid', { after_uid: '-1' }],
  ] as const) {
    const { status, body } = await listIn(at, messages, query)
    assert.deepEqual([status, body.error.field], [400, field], JSON.stringify(query))
  }
})
