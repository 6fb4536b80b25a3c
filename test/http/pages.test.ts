import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid } from '#/base/text/text.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { everyCall } from '#test/world/routes/every-call.ts'
import { everyOperation, memberOperations, pathOf } from '#test/world/routes/every-route.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

// What holds for the pages of all lists. How cursors stand while entries come and go is in cursors.test.ts.

const world = await World.ofFile()

interface List {
  readonly name: string
  readonly read: (query: Readonly<Record<string, string>>) => Promise<Answer>
  /** Whether its pages have numbers too. */
  readonly numbered: boolean
}

/** Every list of an organization in which there is more than one of what a request can make. */
async function lists(one: Furnished): Promise<List[]> {
  const calls = await everyCall(world, one)
  for (const { name, path, sample, ask, about } of calls)
    if (name.startsWith('POST') && !path.includes('{') && (sample.status === 201 || sample.status === 202)) {
      const { status } = await ask(path + (sample.query?.(about) ?? ''), sample.body?.(about))
      assert.equal(status, sample.status, name)
    }
  return calls.flatMap(({ name, method, path, operation: { parameters = [] }, sample, ask, about }) => {
    const takes = (wanted: string) => parameters.some((one) => one.name === wanted)
    if (method !== 'GET' || !takes('cursor')) return []
    // Forwarding is listed where no mailbox is named.
    const [target = '', asked] = name === 'GET /v1/forwarding' ? [path] : pathOf(path, sample, about).split('?')
    const read = (query: object) =>
      ask(`${target}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(asked)), ...query })}`)
    return [{ name, read, numbered: takes('page') }]
  })
}

/** What names the entries, of all pages of such sizes; the last size is that of all further ones. */
async function met({ name, read }: List, limits: readonly number[]): Promise<string[]> {
  const found: string[] = []
  for (let [cursor, page] = ['', 0]; ; page++) {
    const limit = limits[page] ?? limits.at(-1) ?? 1
    const { status, body } = await read({ limit: String(limit), cursor })
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    assert.ok(body.data.length <= limit, name)
    for (const { id, uid, ...rest } of body.data) found.push(id ?? uid ?? JSON.stringify(rest))
    if (body.next_cursor === null) return found
    cursor = body.next_cursor
  }
}

test('every list × small and large pages: each entry once, in one order, and none of another organization', async () => {
  let long = 0
  const others = await lists(await furnish(world))
  for (const [index, list] of (await lists(await furnish(world))).entries()) {
    const whole = await met(list, [100])
    const ids = (await met(others[index] ?? list, [100])).filter((one) => isUuid(String(one)))
    assert.ok(!whole.some((one) => ids.includes(one)), list.name)
    assert.deepEqual(await met(list, [1, 2, 100]), whole, list.name)
    assert.equal(new Set(whole).size, whole.length, list.name)
    if (whole.length > 1) long++
    if (!list.numbered) continue
    const { body } = await list.read({ limit: '1', page: '1' })
    const { data, ...rest } = body
    assert.equal(data.length, Math.min(1, Math.max(0, whole.length - 1)), list.name)
    const has_more = whole.length > 2
    assert.partialDeepStrictEqual(rest, { total: whole.length, page: 1, has_more }, list.name)
    const both = (await list.read({ page: '0', cursor: '' })).body.error
    assert.equal(both.field, 'page', list.name)
  }
  assert.ok(long > 20, `${long}`)
})

test('every list × cursors: its own alone is taken, and none of another list or organization', async () => {
  const [here, there] = [await lists(await furnish(world)), await lists(await furnish(world))]
  const own = await Promise.all(
    here.map(async ({ read }) => (await read({ limit: '1' })).body.next_cursor as string | null),
  )
  const known = own.filter((cursor) => cursor !== null)
  const noLists = ['5', 'null', '{}'].map((text) => Buffer.from(text).toString('base64url'))
  for (const [index, { name, read }] of here.entries()) {
    const cursor = own[index]
    // A place in the log of events is no place in a list: it says nothing of whose they are.
    const foreign = name !== 'GET /v1/events' && (await there[index]?.read({ limit: '1' }))?.body.next_cursor
    const others = known.filter((one) => one !== cursor).slice(0, 3)
    const [list] = /^\["([^"]+)/.exec(Buffer.from(cursor ?? '', 'base64url').toString())?.slice(1) ?? []
    const forged = list && Buffer.from(JSON.stringify([list, 1e300, null])).toString('base64url')
    assert.deepEqual((await read({ limit: '1', cursor: '' })).body.next_cursor, cursor, name)
    for (const wrong of ['x', 'a\0b', ...noLists, ...others, foreign, forged].filter(Boolean)) {
      const { status, body } = await read({ cursor: wrong })
      assert.deepEqual([status, body.error?.field], [400, 'cursor'], `${name} ${wrong}`)
    }
  }
})

test('what a POST makes is where its Location says, and is what it answered', async () => {
  const one = await furnish(world)
  const { organization } = one
  const member = await signIn(organization, (await organization.member('eve@people.example', 'owner')).id)
  const operations = [
    ...(await everyOperation(world)).map((operation) => ({ ...operation, by: organization })),
    ...(await memberOperations(world)).map((operation) => ({ ...operation, by: member })),
  ]
  let locations = 0
  for (const { name, method, path, sample, by } of operations) {
    if (method !== 'POST') continue
    const answer = await by.request(method, pathOf(path, sample, one), sample.body?.(one))
    const location = answer.headers.get('location')
    assert.equal(location !== null, answer.status === 201, name)
    if (location === null) continue
    locations++
    const there = await by.request('GET', location)
    assert.equal(there.status, 200, `${name} → ${location}`)
    const { password, warnings, key, secret, link, link_expires_at, mailed, ...made } = answer.body
    for (const [field, value] of Object.entries(made)) assert.deepEqual(there.body[field], value, `${name}: ${field}`)
  }
  assert.equal(locations, 21)
})
