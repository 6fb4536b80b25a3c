import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { generateKey } from '#/keys/api-key.ts'
import type { Answer } from '#test/sockets/http-client.ts'
import { everyOperation, type Furnished, furnish, pathOf, samples } from '#test/world/every-route.ts'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

/** What a route has to do with mailboxes, which decides what a key that is restricted to others gets. */
const rules = {
  /** Concerns the organization and no mailbox. */
  whole: { other: 'success', this: 'success' },
  /** Names a mailbox, or something in one or from one. */
  named: { other: 404, this: 'success' },
  /** Lists or counts what is of mailboxes: others are left out. */
  listed: { other: 'success', this: 'success' },
  /** Makes what no restricted key would see. */
  made: { other: 403, this: 403 },
} as const

interface Row {
  readonly rule: keyof typeof rules
  /** The sample goes to an address. */
  readonly sends?: true
}

/** The decision on every route, as docs/reference/keys.md has it. */
const table: Readonly<Record<string, Row>> = {
  'GET /v1/labels': { rule: 'whole' },
  'POST /v1/labels': { rule: 'whole' },
  'GET /v1/labels/{id}': { rule: 'whole' },
  'PATCH /v1/labels/{id}': { rule: 'whole' },
  'DELETE /v1/labels/{id}': { rule: 'whole' },
  'GET /v1/filters': { rule: 'whole' },
  'POST /v1/filters': { rule: 'whole' },
  'POST /v1/filters/test': { rule: 'whole' },
  'GET /v1/filters/{id}': { rule: 'whole' },
  'PATCH /v1/filters/{id}': { rule: 'whole' },
  'DELETE /v1/filters/{id}': { rule: 'whole' },
  'GET /v1/blocked-senders': { rule: 'whole' },
  'POST /v1/blocked-senders': { rule: 'whole' },
  'GET /v1/blocked-senders/{id}': { rule: 'whole' },
  'DELETE /v1/blocked-senders/{id}': { rule: 'whole' },
  'GET /v1/forwarding': { rule: 'named' },
  'PATCH /v1/forwarding': { rule: 'named' },
  'POST /v1/send': { rule: 'named', sends: true },
  'GET /v1/sent': { rule: 'listed' },
  'GET /v1/sent/{id}': { rule: 'named' },
  'GET /v1/drafts': { rule: 'named' },
  'POST /v1/drafts': { rule: 'named' },
  'GET /v1/drafts/{id}': { rule: 'named' },
  'PATCH /v1/drafts/{id}': { rule: 'named' },
  'DELETE /v1/drafts/{id}': { rule: 'named' },
  'POST /v1/drafts/{id}/attachments': { rule: 'named' },
  'DELETE /v1/drafts/{id}/attachments/{index}': { rule: 'named' },
  'POST /v1/drafts/{id}/send': { rule: 'named', sends: true },
  'GET /v1/folders': { rule: 'named' },
  'POST /v1/folders': { rule: 'named' },
  'GET /v1/folders/{path}': { rule: 'named' },
  'PATCH /v1/folders/{path}': { rule: 'named' },
  'DELETE /v1/folders/{path}': { rule: 'named' },
  'GET /v1/messages': { rule: 'named' },
  'PATCH /v1/messages': { rule: 'named' },
  'GET /v1/messages/{uid}': { rule: 'named' },
  'PATCH /v1/messages/{uid}': { rule: 'named' },
  'GET /v1/messages/{uid}/headers': { rule: 'named' },
  'GET /v1/messages/{uid}/raw': { rule: 'named' },
  'GET /v1/messages/{uid}/attachments/{id}': { rule: 'named' },
  'GET /v1/search': { rule: 'named' },
  'GET /v1/scheduled': { rule: 'listed' },
  'POST /v1/scheduled': { rule: 'named', sends: true },
  'GET /v1/scheduled/{id}': { rule: 'named' },
  'DELETE /v1/scheduled/{id}': { rule: 'named' },
  'POST /v1/scheduled/{id}/retry': { rule: 'named', sends: true },
  'GET /v1/threads': { rule: 'named' },
  'GET /v1/threads/{id}': { rule: 'named' },
  'GET /v1/events': { rule: 'listed' },
  'GET /v1/domains': { rule: 'whole' },
  'POST /v1/domains': { rule: 'whole' },
  'GET /v1/domains/{id}': { rule: 'whole' },
  'GET /v1/domains/{id}/zone': { rule: 'whole' },
  'DELETE /v1/domains/{id}': { rule: 'whole' },
  'GET /v1/mailboxes': { rule: 'listed' },
  'GET /v1/mailboxes/{address}': { rule: 'named' },
  'POST /v1/mailboxes': { rule: 'made' },
  'GET /v1/usage': { rule: 'listed' },
  'GET /v1/members': { rule: 'whole' },
}

const success = (name: string) => samples[name]?.status ?? 200

/** The keys, and what each route answers to them. */
const columns = {
  'an unrestricted key': { restrict: () => ({}), expected: success },
  'a key for another mailbox': {
    restrict: (_: Ids, other: string) => ({ mailbox_ids: [other] }),
    expected: (name: string, { rule }: Row) => statusOf(name, rules[rule].other),
  },
  'a key for this mailbox': {
    restrict: ({ mailboxId }: Ids) => ({ mailbox_ids: [mailboxId] }),
    expected: (name: string, { rule }: Row) => statusOf(name, rules[rule].this),
  },
  'a key for other recipients': {
    restrict: () => ({ recipients: ['@elsewhere.example', 'ann@nowhere.example'] }),
    expected: (name: string, { sends }: Row) => (sends ? 400 : success(name)),
  },
  'a key for these recipients': { restrict: () => ({ recipients: ['@nowhere.example'] }), expected: success },
  'a key for another network': {
    restrict: () => ({ networks: ['192.0.2.0/24', '2001:db8::/32'] }),
    expected: () => 401,
  },
  'a key for this network': { restrict: () => ({ networks: ['127.0.0.0/8', '::1/128'] }), expected: success },
} as const

function statusOf(name: string, status: number | 'success'): number {
  return status === 'success' ? success(name) : status
}

interface Ids {
  readonly mailboxId: string
}

async function idOf({ organization, address }: Furnished): Promise<Ids> {
  const { body } = await organization.request('GET', `/v1/mailboxes/${address}`)
  return { mailboxId: body.id }
}

test('every route of the description has a row in the table, and no other', async () => {
  const operations = await everyOperation(world)
  assert.deepEqual(operations.map(({ name }) => name).sort(), Object.keys(table).sort())
})

for (const [what, { restrict, expected }] of Object.entries(columns)) {
  test(`every route × ${what}`, async () => {
    const one = await furnish(world)
    const keyFor = async (about: Furnished) => {
      const { id: other } = await about.organization.mailbox(`other-${randomUUID().slice(0, 8)}`)
      return await about.organization.restrictedKey(restrict(await idOf(about), other))
    }
    const key = await keyFor(one)
    for (const { name, method, path, sample } of await everyOperation(world)) {
      const status = expected(name, row(name))
      // What may change something is asked of somebody who has everything still.
      const about = method === 'GET' || status >= 400 ? one : await furnish(world)
      const its = about === one ? key : await keyFor(about)
      const answer = await ask(about, its, { method, path, sample })
      assert.equal(answer.status, status, `${name}: ${answer.bytes}`)
      if (what !== 'a key for another mailbox') continue
      assert.ok(!answer.bytes.includes(about.address), `${name} names the other mailbox: ${answer.bytes}`)
    }
  })
}

type Asked = Pick<Awaited<ReturnType<typeof everyOperation>>[number], 'method' | 'path' | 'sample'>

function ask(about: Furnished, key: string, { method, path, sample }: Asked): Promise<Answer> {
  return about.organization.request(method, pathOf(path, sample, about), sample.body?.(about), { key })
}

function row(name: string): Row {
  const row = table[name]
  assert.ok(row, `${name} has no row in the table of restrictions, nor in docs/reference/keys.md`)
  return row
}

/** An answer without what differs from request to request. */
function comparable({ status, headers, body }: Answer): unknown {
  const { request_id: _, ...error } = body.error
  const varying = ['x-request-id', 'date', 'ratelimit', 'content-length']
  return { status, error, headers: [...headers].filter(([name]) => !varying.includes(name)) }
}

test('a mailbox that a key does not see is answered like one that does not exist, to the letter', async () => {
  const one = await furnish(world)
  const { id } = await one.organization.mailbox('other')
  const key = await one.organization.restrictedKey({ mailbox_ids: [id] })
  const address = `nobody@${one.organization.domain}`
  const unknown = {
    ...one,
    address,
    ids: { ...one.ids, mailbox: address, scheduled: randomUUID(), failed: randomUUID(), sent: randomUUID() },
  }
  for (const { name, ...asked } of await everyOperation(world)) {
    if (row(name).rule !== 'named') continue
    const [hidden, none] = [await ask(one, key, asked), await ask(unknown, key, asked)]
    assert.equal(none.status, 404, name)
    assert.deepEqual(comparable(hidden), comparable(none), name)
  }
})

test('from another network a key is answered like an unknown one, to the letter', async () => {
  const one = await furnish(world)
  const key = await one.organization.restrictedKey({ networks: ['192.0.2.0/24'] })
  for (const { name, ...asked } of await everyOperation(world)) {
    const [elsewhere, unknown] = [await ask(one, key, asked), await ask(one, generateKey(), asked)]
    assert.deepEqual(comparable(elsewhere), comparable(unknown), name)
    assert.equal(elsewhere.headers.get('ratelimit'), null, name)
  }
})
