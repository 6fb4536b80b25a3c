import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SearchTree } from '#/ports/search.ts'
import { printQuery } from '#/search/query.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { World } from '#test/world/world.ts'
import { asked, folders, idOf, judged, type Made, make, messageOf, numbers, pick, says, shouldFind } from './mail.ts'

interface Bench extends AsyncDisposable {
  readonly world: World
}

interface Options {
  /** Other circumstances in which all queries are repeated. */
  readonly again?: {
    readonly what: string
    readonly begin: (world: World) => Promise<unknown>
    readonly end: (world: World) => Promise<unknown>
  }
  /** Fewer queries for a host that reads every message over the network. */
  readonly messages?: number
  readonly queries?: number
  /** Whether the mail host may miss a message, as documented. */
  readonly mayMiss?: (made: Made) => boolean
}

/** Compares searches of generated mail with a scan of every message, on any mail host. */
export function searchOracle(host: string, start: () => Promise<Bench>, options: Options = {}): void {
  const { messages: howMany = 240, queries = 80, mayMiss = () => false } = options
  let bench: Bench
  let organization: TestOrganization
  let now: Date
  let keyword: string
  const addresses: string[] = []
  const all: Made[] = []

  before(async () => {
    bench = await start()
    const { world } = bench
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
  after(() => bench[Symbol.asyncDispose]())

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
    const expected = all
      .filter((made) => shouldFind(tree, judged(made), new Date(bench.world.clock.now())))
      .filter(({ mailbox, folder }) => (chosen ?? mailbox) === mailbox && (q.includes('in:') || folder !== 'junk'))
    const found = await searched(q, chosen === undefined ? [] : [addresses[chosen] ?? ''], limit)
    const ids = new Set(found.map(({ message_id }) => message_id))
    assert.equal(ids.size, found.length, `${q}: each once`)
    const missed = expected.filter((made) => !ids.has(idOf(made)))
    const wrong = [...ids].filter((id) => !expected.some((made) => idOf(made) === id))
    assert.deepEqual({ missed: missed.filter((made) => !mayMiss(made)).map(idOf), wrong }, { missed: [], wrong: [] }, q)
    const times = found.map(({ received_at }) => received_at)
    assert.deepEqual(times, times.toSorted().reverse(), `${q}: the newest come first`)
    // On a busy machine the last of a page come without: the time to find the places is limited.
    const shown = found.findLastIndex(({ match }) => match !== null) + 1
    assert.ok(
      shown > 0 || found.length === 0 || tree.kind !== 'text',
      `${q}: the first answer has the place that matched`,
    )
    for (const { match } of tree.kind === 'text' ? found.slice(0, shown) : []) {
      assert.ok(match && tree.kind === 'text', `${q}: the answer has the place that matched`)
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

  test(`${host}: a search finds what a plain reading of every message finds`, assertQueries)

  const { again } = options
  if (again) {
    test(`${host}: so it does in ${again.what}`, async () => {
      await again.begin(bench.world)
      await assertQueries()
      await again.end(bench.world)
    })
  }

  test(`${host}: so does each operator alone, and each word in each field`, async () => {
    const random = numbers(13)
    for (const tree of operatorsWith(random))
      for (const one of [tree, { kind: 'not', of: tree } as const]) await assertFound(one, undefined, 100)
    for (const text of asked) {
      await assertFound({ kind: 'text', field: 'any', text }, undefined, 100)
      const field = pick(['subject', 'from', 'to', 'cc', 'filename'] as const, random)
      await assertFound({ kind: 'text', field, text }, undefined, 100)
    }
  })

  test(`${host}: what is found moves, changes and goes, and the search with it`, async () => {
    const mailbox = addresses[0] ?? ''
    const [first] = await searched('is:unread in:inbox', [mailbox], 100)
    assert.ok(first)
    const path = `/v1/messages/${first.uid}?mailbox=${mailbox}`
    const id = `message_id:"${first.message_id}"`
    await organization.request('PATCH', path, { unread: false, starred: true, folder: 'Elsewhere' })
    const places = async (q: string) =>
      (await searched(q, [mailbox], 10)).map(({ folder, starred }) => [folder, starred])
    assert.deepEqual(await places(`${id} is:read in:elsewhere OR in:Elsewhere`), [['Elsewhere', true]])
    assert.deepEqual(await places(`${id} is:unread`), [])
    assert.deepEqual(await places(`${id} in:inbox`), [])
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
}
