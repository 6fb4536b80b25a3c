import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import { Authenticator } from '#/keys/authenticate.ts'
import { createKey } from '#/keys/keys.ts'
import { unrestricted } from '#/keys/restrictions.ts'
import { addAlias } from '#/mailboxes/aliases.ts'
import { removeMailbox } from '#/mailboxes/remove.ts'
import { each } from '#test/each.ts'
import { countingStatements } from '#test/observe/counting-statements.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** An organization with the mailboxes ada and bob, and a key that sees ada alone. */
async function two() {
  const organization = await world.organization()
  const ada = await organization.mailbox('ada')
  const bob = await organization.mailbox('bob')
  const key = await organization.restrictedKey({ mailbox_ids: [ada.id] })
  const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    organization.request(method, path, body, { key, ...(headers && { headers }) })
  return { organization, ada, bob, key, ask }
}

function later(from: string, to = 'ann@nowhere.example') {
  return { from, to, text: 'Hello', send_at: new Date(world.clock.now() + 3_600_000).toISOString() }
}

async function queued({ id }: TestOrganization): Promise<number> {
  const { rows } = await sql`select from outbound_messages where organization_id = ${id}`.execute(world.db)
  return rows.length
}

test('lists, totals and counts leave other mailboxes out', async () => {
  const { organization, ada, bob, ask } = await two()
  await world.send({ from: 'ann@example.com', to: [ada.address, bob.address], subject: 'x', text: 'x'.repeat(5_000) })
  for (const { address } of [ada, bob, bob]) await organization.request('POST', '/v1/scheduled', later(address))

  const mailboxes = (await ask('GET', '/v1/mailboxes')).body
  assert.deepEqual([each(mailboxes.data, 'address'), mailboxes.total], [[ada.address], 1])
  assert.equal((await ask('GET', '/v1/mailboxes?limit=1')).body.has_more, false)
  const forwarding = (await ask('GET', '/v1/forwarding')).body
  assert.deepEqual(each(forwarding.data, 'mailbox'), [ada.address])
  const scheduled = (await ask('GET', '/v1/scheduled')).body
  assert.deepEqual(each(scheduled.data, 'from'), [ada.address])

  const usage = (await ask('GET', '/v1/usage')).body
  const whole = (await organization.request('GET', '/v1/usage')).body
  assert.deepEqual([usage.mailboxes.used, whole.mailboxes.used], [1, 2])
  assert.equal(usage.storage.used_bytes, mailboxes.data[0].storage_used_bytes)
  assert.ok(usage.storage.used_bytes > 5_000 && whole.storage.used_bytes > 10_000)
})

test('a mailbox that is made again under the same address is another one', async () => {
  const { organization, ada, ask } = await two()
  const paths = ['/v1/threads?mailbox=', '/v1/messages?mailbox=', '/v1/folders?mailbox=', '/v1/mailboxes/']
  for (const path of paths) assert.equal((await ask('GET', path + ada.address)).status, 200, path)
  const { db } = world
  const mailbox = { organizationId: organization.id, mailboxId: ada.id }
  await removeMailbox({ db }, mailbox, byOperator, () => {})
  await organization.mailbox('ada')
  for (const path of paths) {
    assert.equal((await organization.request('GET', path + ada.address)).status, 200, path)
    assert.equal((await ask('GET', path + ada.address)).status, 404, path)
  }
  assert.partialDeepStrictEqual((await ask('GET', '/v1/mailboxes')).body, { total: 0, has_more: false })
})

test('a key sends from an alias of a mailbox that it sees, and from no other', async () => {
  const { organization, ada, bob, ask } = await two()
  for (const [mailbox, alias, status] of [
    [ada, 'sales', 202],
    [bob, 'press', 404],
  ] as const) {
    const from = `${alias}@${organization.domain}`
    const ref = { organizationId: organization.id, mailboxId: mailbox.id }
    await world.db.transaction().execute((tx) => addAlias(tx, ref, from, byOperator))
    assert.equal((await ask('POST', '/v1/send', { from, to: 'ann@nowhere.example', text: 'Hi' })).status, status, alias)
  }
})

for (const path of ['/v1/send', '/v1/scheduled'])
  test(`POST ${path} checks every address that the message goes to, and sends nothing where one is not allowed`, async () => {
    const { organization, address: from } = await world.mailbox('ada')
    const key = await organization.restrictedKey({ recipients: ['@there.example', 'bob@else.example'] })
    const { to: _, send_at, ...base } = later(from)
    const body = path === '/v1/send' ? base : { ...base, send_at }
    const post = (to: object) => organization.request('POST', path, { ...body, ...to }, { key })
    for (const [fields, field, named] of [
      [{ to: 'cy@else.example' }, 'to', 'cy@else.example'],
      [{ to: ['Ann <ann@there.example>', 'Cy <CY@Else.example>'] }, 'to[1]', 'CY@Else.example'],
      [{ to: 'ann@there.example', cc: ['ann@sub.there.example'] }, 'cc[0]', 'ann@sub.there.example'],
      [{ to: 'ann@there.example', bcc: 'bob+x@else.example' }, 'bcc', 'bob+x@else.example'],
      [{ to: from }, 'to', from],
    ] as const) {
      const { status, body } = await post(fields)
      assert.deepEqual([status, body.error.code, body.error.field], [400, 'invalid_request', field])
      assert.ok(body.error.message.includes(named), body.error.message)
    }
    assert.equal(await queued(organization), 0)
    assert.equal((await organization.request('GET', '/v1/usage')).body.sending.sent_today, 0)
    const others = { cc: 'BOB@ELSE.EXAMPLE', bcc: ['cy@there.example'], reply_to: 'x@y.example' }
    const fine = { to: ['Ann <ANN@There.example>'], ...others }
    assert.equal((await post(fine)).status, path === '/v1/send' ? 202 : 201)
    assert.equal(await queued(organization), 1)
  })

test('a key has no mailbox write to whom it may not write', async () => {
  const { organization, address: mailbox } = await world.mailbox('ada')
  const key = await organization.restrictedKey({ recipients: ['@there.example'] })
  const change = async (change: object, by = key) => {
    const { status, body } = await organization.request('PATCH', '/v1/forwarding', { mailbox, ...change }, { key: by })
    return status === 200 ? 'done' : body.error.field
  }
  assert.equal(await change({ forward_to: 'ann@there.example', forward_enabled: true }), 'done')
  assert.equal(await change({ forward_to: 'ann@else.example' }), 'forward_to')
  assert.equal(await change({ reply_body: 'I am away.' }), 'done')
  assert.equal(await change({ reply_enabled: true }), 'reply_enabled')

  // What somebody else has switched on can be switched off, and not be changed.
  const theirs = { forward_to: 'ann@else.example', forward_enabled: true, reply_enabled: true }
  assert.equal(await change(theirs, organization.key), 'done')
  assert.equal(await change({ forward_enabled: true }), 'forward_to')
  assert.equal(await change({ forward_until: null }), 'forward_to')
  assert.equal(await change({ reply_body: 'Write to me elsewhere.' }), 'reply_enabled')
  assert.equal(await change({ reply_enabled: false }), 'done')
  assert.equal(await change({ forward_enabled: false }), 'done')
  assert.equal(await change({ forward_enabled: true }), 'forward_to')
})

test('a key retries no message to whom it may not write, and leaves it failed', async () => {
  const { organization, address } = await world.mailbox('ada')
  const key = await organization.restrictedKey({ recipients: ['ann@nowhere.example'] })
  const { id } = (await organization.request('POST', '/v1/scheduled', later(address, 'Eve <eve@nowhere.example>'))).body
  const failed = { state: 'failed', last_error: 'The relay refused', failed_at: new Date() } as const
  await world.db.updateTable('outbound_messages').set(failed).where('id', '=', id).execute()
  const refused = await organization.request('POST', `/v1/scheduled/${id}/retry`, undefined, { key })
  assert.deepEqual([refused.status, refused.body.error.field], [400, 'id'])
  assert.match(refused.body.error.message, /eve@nowhere\.example/)
  assert.equal((await organization.request('GET', `/v1/scheduled/${id}`)).body.status, 'failed')
})

test('a restricted key has Idempotency-Keys of its own', async () => {
  const { organization, bob, ask } = await two()
  const once = { 'idempotency-key': 'once' }
  const body = later(bob.address)
  assert.equal((await organization.request('POST', '/v1/scheduled', body, { headers: once })).status, 201)
  const hidden = await ask('POST', '/v1/scheduled', body, once)
  assert.deepEqual([hidden.status, hidden.headers.get('idempotency-replayed')], [404, null])

  const label = { name: 'Mine' }
  const mine = { 'idempotency-key': 'label' }
  assert.equal((await ask('POST', '/v1/labels', label, mine)).status, 201)
  const again = await ask('POST', '/v1/labels', label, mine)
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true'])
  const other = await organization.request('POST', '/v1/labels', { name: 'Theirs' }, { headers: mine })
  assert.deepEqual([other.status, other.headers.get('idempotency-replayed')], [201, null])
})

test('outside its networks a key is one of those that are guessed, and its last use is not recorded', async () => {
  const { id } = await world.organization()
  const restrictions = { ...unrestricted, networks: ['192.0.2.0/24'] }
  const fields = { name: '', scopes: ['labels:read'], expiresAt: null, restrictions } as const
  const { key, secret } = await createKey(world.db, id, fields, world.clock.now(), byOperator)
  const { db, count } = countingStatements(world.db, 'api_keys')
  await using authenticator = new Authenticator(db, world.clock, { every: 1 })
  const from = (address: string, guessing = false) => authenticator.identify(secret, { address, guessing })
  const lastUse = async () => {
    await authenticator.writeLastUsed()
    const used = world.db.selectFrom('api_keys').select('last_used_at').where('id', '=', key.id)
    return (await used.executeTakeFirstOrThrow()).last_used_at
  }
  assert.equal(await from('198.51.100.1'), undefined)
  assert.equal(await lastUse(), null)
  assert.ok(await from('::ffff:192.0.2.7'))
  assert.notEqual(await lastUse(), null)
  const before = count()
  assert.ok(await from('192.0.2.8', true), 'opens at once, though the client has guessed')
  assert.equal(count(), before)
  assert.equal(await from('198.51.100.1', true), undefined)
  assert.equal(count(), before + 1, 'waits for a lookup as a guessed one does')
})

test('behind a trusted proxy it is the network of its client that counts', async () => {
  await using proxied = await World.start({ env: { MAILROOM_TRUSTED_PROXIES: 'loopback' } })
  const organization = await proxied.organization()
  const key = await organization.restrictedKey({ networks: ['192.0.2.0/24'] })
  for (const [client, status] of [
    ['192.0.2.7', 200],
    ['::ffff:192.0.2.7', 200],
    ['198.51.100.1', 401],
    ['192.0.2.7, 198.51.100.1', 401],
    ['127.0.0.1', 401],
  ] as const) {
    const headers = { 'x-forwarded-for': client }
    assert.equal((await organization.request('GET', '/v1/usage', undefined, { key, headers })).status, status, client)
  }
})
