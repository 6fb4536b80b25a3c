import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import type { Scope } from '#/http/access/scopes.ts'
import { generateKey } from '#/keys/api-key.ts'
import { createKey, revokeKey } from '#/keys/keys.ts'
import type { Answer } from '#test/sockets/http-client.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { insertPersonalItems } from '#test/world/organization/stored-personal-items.ts'
import { everyOperation, pathOf, removingLast } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

/** The body of an error without what differs from request to request. */
function bodyOf({ body }: Answer): unknown {
  const { request_id, ...error } = body.error
  assert.match(request_id, /^req_/)
  return error
}

test('row 1: every route × whose id it is: only the organization’s own exists, and all others answer alike', async () => {
  const [mine, other] = [await furnish(world), await furnish(world)]
  const [ours, personal] = [
    await insertPersonalItems(world, mine.organization),
    await insertPersonalItems(world, other.organization),
  ]
  for (const { name, method, path, sample } of removingLast(await everyOperation(world))) {
    // Every mailbox has a trash, which nobody else's names; the next test asks for that of another's mailbox.
    if (!sample.item || sample.item === 'trash') continue
    const body = sample.body?.(mine)
    const ask = (id?: string) => mine.organization.request(method, pathOf(path, sample, mine, id), body)
    const isUid = sample.item === 'message' || sample.item === 'attachment' || sample.item === 'thread'
    const strangers = [
      ...(isUid ? [] : [other.ids[sample.item]]),
      ...(sample.item in ours ? [ours[sample.item as 'label'], personal[sample.item as 'label']] : []),
      ...(sample.item === 'thread' ? [other.ids.thread] : []),
      randomUUID(),
      'not-a-uuid',
      '0',
      '999999',
    ]
    const answers = await Promise.all(strangers.map((id) => ask(id)))
    for (const [index, answer] of answers.entries()) {
      assert.equal(answer.status, 404, `${name} with ${strangers[index]}`)
      assert.deepEqual(bodyOf(answer), bodyOf(answers[0] as Answer), name)
    }
    const own = await ask()
    assert.equal(own.status, sample.status ?? 200, `${name} with its own id: ${JSON.stringify(own.body)}`)
  }
})

test('row 1: every route that names a mailbox: another organization’s is as one that never was', async () => {
  const mine = await furnish(world)
  const other = await furnish(world)
  for (const { name, method, path, sample } of await everyOperation(world)) {
    if (!sample.query) continue
    const ask = (address: string) =>
      mine.organization.request(method, pathOf(path, sample, { ...mine, address }), sample.body?.(mine))
    const [stranger, nobody] = [await ask(other.address), await ask(`nobody@${mine.organization.domain}`)]
    assert.deepEqual([stranger.status, nobody.status], [404, 404], name)
    assert.deepEqual(bodyOf(stranger), bodyOf(nobody), name)
  }
})

test('row 2: every route × every single scope: the documented one opens it, any other changes nothing', async () => {
  const operations = await everyOperation(world)
  const scopes = [...new Set(operations.flatMap((operation) => operation.scopes))] as Scope[]
  const [one, other] = [await furnish(world), await furnish(world)]
  const keys = new Map(
    await Promise.all(scopes.map(async (scope) => [scope, await one.organization.newKey(scope)] as const)),
  )
  const before = await everyRow(one)
  for (const { name, method, path, sample, scopes: opening } of removingLast(operations)) {
    const ask = (about: Furnished, key = '') =>
      about.organization.request(method, pathOf(path, sample, about), sample.body?.(about), { key })
    for (const scope of scopes.filter((scope) => !opening.includes(scope))) {
      const answer = await ask(one, keys.get(scope))
      assert.equal(answer.status, 403, `${name} with ${scope}`)
      assert.equal(answer.body.error.code, 'forbidden')
      for (const wanted of opening)
        assert.ok(answer.body.error.message.includes(wanted), `${name} says ${wanted} is missing`)
    }
    assert.deepEqual(await everyRow(one), before, `${name} changed something without its scope`)
    for (const [index, scope] of (opening as Scope[]).entries()) {
      // What may change something is asked of another, and a second time of one who has everything still.
      const about = method === 'GET' ? one : index === 0 ? other : await furnish(world)
      const key = about === one ? keys.get(scope) : await about.organization.newKey(scope)
      const answer = await ask(about, key)
      assert.equal(answer.status, sample.status ?? 200, `${name} with ${scope}: ${JSON.stringify(answer.body)}`)
    }
  }
  assert.deepEqual(await everyRow(one), before, 'reading changes nothing')
})

/** Every row of the organization that a route may change. */
async function everyRow({ organization }: Furnished): Promise<unknown> {
  const tables = [
    'labels',
    'retired_keywords',
    'filters',
    'blocked_senders',
    'members',
    'domains',
    'mailboxes',
    'mail_folders',
    'outbound_messages',
    'changes',
  ] as const
  return await Promise.all(
    tables.map(async (table) => {
      const { rows } =
        await sql`select * from ${sql.table(table)} where organization_id = ${organization.id} order by 1, 2, 3`.execute(
          world.db,
        )
      return rows
    }),
  )
}

test('row 3: no key, another scheme, or a key that opens nothing is 401', async () => {
  const { id, key, newKey } = await world.organization()
  assert.ok(newKey)
  const now = world.clock.now()
  const expired = await createKey(
    world.db,
    id,
    { name: '', scopes: ['labels:read'], expiresAt: new Date(now - 1) },
    now,
    byOperator,
  )
  const revoked = await createKey(world.db, id, { name: '', scopes: ['labels:read'], expiresAt: null }, now, byOperator)
  await revokeKey(world.db, revoked.key.id, now, byOperator)
  const mistyped = `${key.slice(0, 10)}${key[10] === 'x' ? 'y' : 'x'}${key.slice(11)}`
  const attempts: Record<string, Record<string, string>> = {
    'no header': {},
    Basic: { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
    'Bearer alone': { authorization: 'Bearer' },
    'a bad checksum': { authorization: `Bearer ${mistyped}` },
    'an unknown key': { authorization: `Bearer ${generateKey()}` },
    'an expired key': { authorization: `Bearer ${expired.secret}` },
    'a revoked key': { authorization: `Bearer ${revoked.secret}` },
    'something behind the key': { authorization: `Bearer ${key} x` },
    'the key in the query': {},
  }
  for (const [what, headers] of Object.entries(attempts)) {
    const path = what === 'the key in the query' ? `/v1/labels?key=${key}` : '/v1/labels'
    const answer = await world.client.request('GET', path, { headers })
    assert.equal(answer.status, 401, what)
    assert.equal(answer.body.error.code, 'unauthorized', what)
  }
  assert.equal(
    (await world.client.request('GET', '/v1/labels', { headers: { authorization: `bEaReR ${key}` } })).status,
    200,
  )
})

test('row 3: two Authorization headers are none', async () => {
  const { key } = await world.organization()
  const { hostname, port } = new URL(world.base)
  const socket = connect(Number(port), hostname)
  const line = `Authorization: Bearer ${key}\r\n`
  socket.end(`GET /v1/labels HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${line}${line}\r\n`)
  const answer = Buffer.concat(await Array.fromAsync(socket)).toString()
  assert.match(answer, /^HTTP\/1\.1 401 /)
})

test('a revoked key is refused within five seconds', async () => {
  const organization = await world.organization()
  const { key, secret } = await createKey(
    world.db,
    organization.id,
    { name: '', scopes: ['labels:read'], expiresAt: null },
    world.clock.now(),
    byOperator,
  )
  assert.equal((await organization.request('GET', '/v1/labels', undefined, { key: secret })).status, 200)
  await revokeKey(world.db, key.id, world.clock.now(), byOperator)
  const since = performance.now()
  for (let asked = since; ; asked = performance.now()) {
    // What counts is when the request was made: on a busy machine its answer may take seconds.
    if ((await organization.request('GET', '/v1/labels', undefined, { key: secret })).status === 401) break
    assert.ok(asked - since < 5_000, 'still accepted after five seconds')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})
