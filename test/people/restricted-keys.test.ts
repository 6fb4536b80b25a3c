import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Scope } from '#/http/access/scopes.ts'
import { generateKey } from '#/people/keys/api-key.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, pathOf, removingLast } from '#test/world/routes/every-route.ts'
import type { About, Rule } from '#test/world/routes/rules.ts'
import { samples } from '#test/world/routes/samples.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** How a route concerns mailboxes, which decides what a key that is restricted to others gets. */
const rules = {
  /** Concerns the organization and no mailbox. */
  whole: { other: 'success', this: 'success' },
  /** Names a mailbox, or something in one or from one. */
  named: { other: 404, this: 'success' },
  /** Lists or counts what is of mailboxes: others are left out. */
  listed: { other: 'success', this: 'success' },
  /** Names what a restricted key sees only if it is its own. */
  foreign: { other: 404, this: 404 },
  /** Makes what no restricted key would see. */
  made: { other: 403, this: 403 },
} as const

const ruleOf = {
  organization: 'whole',
  mail: 'named',
  'own mail': 'listed',
  mailboxes: 'listed',
  mailbox: 'named',
  'new mailbox': 'made',
  webhook: 'foreign',
} as const satisfies Record<About, keyof typeof rules>

const success = (name: string) => samples[name]?.status ?? 200

/** The keys, and what each route answers to them. */
const columns = {
  'an unrestricted key': { restrict: () => ({}), expected: success },
  'a key for another mailbox': {
    restrict: (_: Ids, other: string) => ({ mailbox_ids: [other] }),
    expected: (name: string, { about }: Rule) => statusOf(name, rules[ruleOf[about]].other),
  },
  'a key for this mailbox': {
    restrict: ({ mailboxId }: Ids) => ({ mailbox_ids: [mailboxId] }),
    expected: (name: string, { about }: Rule) => statusOf(name, rules[ruleOf[about]].this),
  },
  'a key for other recipients': {
    restrict: () => ({ recipients: ['@elsewhere.example', 'ann@nowhere.example'] }),
    expected: (name: string, { sends }: Rule) => (sends ? 400 : success(name)),
  },
  'a key for these recipients': {
    restrict: () => ({ recipients: ['@nowhere.example', '@engines.example'] }),
    expected: success,
  },
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

for (const [what, { restrict, expected }] of Object.entries(columns))
  test(`every route × ${what}`, async () => {
    const one = await furnish(world)
    const { id: other } = await one.organization.mailbox('other')
    const key = await one.organization.restrictedKey(restrict(await idOf(one), other))
    for (const { name, method, path, sample, rule } of removingLast(await everyOperation(world))) {
      const status = expected(name, rule)
      const answer = await ask(one, key, { method, path, sample })
      assert.equal(answer.status, status, `${name}: ${answer.bytes}`)
      if (what !== 'a key for another mailbox') continue
      assert.ok(!answer.bytes.includes(one.address), `${name} names the other mailbox: ${answer.bytes}`)
    }
  })

type Asked = Pick<Awaited<ReturnType<typeof everyOperation>>[number], 'method' | 'path' | 'sample'>

function ask(about: Furnished, key: string, { method, path, sample }: Asked): Promise<Answer> {
  return about.organization.request(method, pathOf(path, sample, about), sample.body?.(about), { key })
}

/** An answer without what differs from request to request. */
function comparable({ status, headers, body }: Answer): unknown {
  const { request_id: _, ...error } = body.error
  const varying = ['x-request-id', 'date', 'ratelimit', 'content-length']
  return { status, error, headers: [...headers].filter(([name]) => !varying.includes(name)) }
}

test('a mailbox that a key does not see, and mail that is not an owner’s own, are answered like what does not exist, to the letter', async () => {
  const one = await furnish(world)
  const { id, address: other } = await one.organization.mailbox('other')
  const key = await one.organization.restrictedKey({ mailbox_ids: [id] })
  const owner = await signIn(one.organization, (await one.organization.member(other, 'owner')).id)
  const address = `nobody@${one.organization.domain}`
  const gone = { scheduled: randomUUID(), failed: randomUUID(), sent: randomUUID(), suppressed: 'x@nowhere.example' }
  const unknown = { ...one, address, ids: { ...one.ids, mailbox: address, ...gone } }
  for (const { name, rule, ...asked } of await everyOperation(world)) {
    if (ruleOf[rule.about] !== 'named') continue
    const inSession = (about: Furnished) =>
      owner.request(asked.method, pathOf(asked.path, asked.sample, about), asked.sample.body?.(about))
    for (const by of [(about: Furnished) => ask(about, key, asked), ...(rule.about === 'mail' ? [inSession] : [])]) {
      const [hidden, none] = [await by(one), await by(unknown)]
      assert.equal(none.status, 404, name)
      assert.deepEqual(comparable(hidden), comparable(none), name)
    }
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

/** What only the mail of `furnish` says, and messages that are to be sent. */
const told = /Notes|charles@engines|Attached|note\.txt|bob@nowhere/

/** A preview that has matched the message. */
async function previewed({ organization, address }: Furnished): Promise<string> {
  const made = async (path: string, body: object) => (await organization.request('POST', path, body)).body
  const matching = { name: 'f', field: 'subject', op: 'contains', value: 'notes', action: 'read' }
  const { id } = await made('/v1/filters', matching)
  const run = await made(`/v1/filters/${id}/runs`, { mailboxes: [address], preview: true })
  await world.filterRunner.processAll()
  const { body } = await organization.request('GET', `/v1/filter-runs/${run.id}`)
  assert.match(JSON.stringify(body.sample), told)
  return run.id
}

test('every route that changes something × a key that may do that alone: its answer says nothing of the mail', async () => {
  const furnished = await furnish(world)
  const one = { ...furnished, ids: { ...furnished.ids, run: await previewed(furnished) } }
  // A draft is read by whoever may write it.
  const changing = removingLast(await everyOperation(world)).filter(
    ({ method, path }) => method !== 'GET' && !path.startsWith('/v1/drafts'),
  )
  for (const { name, method, path, sample, scopes } of changing) {
    const key = await one.organization.newKey(scopes[0] as Scope)
    const body = sample.body?.(one)
    const answer = await one.organization.request(method, pathOf(path, sample, one), body, { key })
    assert.equal(answer.status, sample.status ?? 200, `${name}: ${JSON.stringify(answer.body)}`)
    assert.doesNotMatch(JSON.stringify(answer.body), told, name)
  }
})

test('a change is answered with ids and flags alone, and whole to a key that reads too', async () => {
  const one = await furnish(world)
  const { organization, address, ids } = one
  const change = async (...scopes: Scope[]) => {
    const key = await organization.newKey(...scopes)
    const path = `/v1/messages/${ids.message}?mailbox=${address}`
    return (await organization.request('PATCH', path, { starred: true }, { key })).body
  }
  const flags = ['answered', 'folder', 'forwarded', 'id', 'labels', 'starred', 'uid', 'unread']
  assert.deepEqual(Object.keys(await change('messages:write')).sort(), flags)
  assert.equal((await change('messages:write', 'messages:read')).subject, 'Notes')
})

test('an answer with a quotation, and the addresses that an answer would go to, need the scope to read', async () => {
  const { organization, address, ids } = await furnish(world)
  const reply = async (body: object, ...scopes: Scope[]) => {
    const key = await organization.restrictedKey({ recipients: ['@elsewhere.example'] }, scopes)
    const path = `/v1/messages/${ids.message}/reply?mailbox=${address}`
    const answer = await organization.request('POST', path, body, { key })
    return [answer.status, JSON.stringify(answer.body)] as const
  }
  const [quoting] = await reply({ text: 'Hi', quote: true }, 'sending:write')
  assert.equal(quoting, 403)
  const [status, said] = await reply({ text: 'Hi' }, 'sending:write')
  assert.equal(status, 400)
  assert.doesNotMatch(said, told)
  const [, whole] = await reply({ text: 'Hi', quote: true }, 'sending:write', 'messages:read')
  assert.match(whole, /may not send to charles@engines/)
})
