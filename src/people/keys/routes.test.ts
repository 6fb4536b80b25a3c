import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { isWellFormedKey } from './api-key.ts'

const world = await World.ofFile()

const day = 86_400_000

async function adminOf(organization: TestOrganization, email = 'ada@people.example'): Promise<SignedInMember> {
  return await signIn(organization, (await organization.member(email, 'admin')).id)
}

const scopes = ['labels:read']
const create = (member: SignedInMember, body: object, options = {}) =>
  member.request('POST', '/v1/api-keys', body, options)

test('a key is shown once, works, and is listed with what it is restricted to', async () => {
  const organization = await world.organization()
  const admin = await adminOf(organization)
  const { id, address } = await organization.mailbox('support')
  const expiresAt = new Date(world.clock.now() + day).toISOString()
  const body = {
    ...{ name: ' Shop ', scopes: ['messages:read', 'labels:read', 'messages:read'], expires_at: expiresAt },
    mailboxes: [address.toUpperCase()],
    recipients: ['@There.example', 'bob@else.example', '@there.example'],
    networks: ['127.0.0.0/8', '2001:DB8::/32'],
    requests_per_minute: 60,
  }
  const answer = await create(admin, body)
  assert.equal(answer.status, 201)
  const { key, ...shown } = answer.body
  assert.ok(isWellFormedKey(key))
  const { id: keyId, created_at, ...rest } = shown
  assert.deepEqual(rest, {
    ...{ name: 'Shop', prefix: key.slice(0, 8), last_four: key.slice(-4), status: 'live' },
    scopes: ['labels:read', 'messages:read'],
    mailboxes: [{ id, address }],
    recipients: ['@there.example', 'bob@else.example'],
    networks: ['127.0.0.0/8', '2001:db8::/32'],
    ...{ requests_per_minute: 60, expires_at: expiresAt, last_used_at: null, revoked_at: null },
  })
  assert.deepEqual((await admin.request('GET', `/v1/api-keys/${keyId}`)).body, shown)
  const { data, total } = (await admin.request('GET', '/v1/api-keys')).body
  assert.deepEqual([data.at(-1), total], [shown, 2])
  assert.ok(!JSON.stringify(data).includes(key))
  const used = await organization.request('GET', '/v1/labels', undefined, { key })
  assert.deepEqual([used.status, used.headers.get('ratelimit-policy')], [200, '"key";q=60;w=60'])
})

test('what a key cannot have makes none, and is named', async () => {
  const [organization, elsewhere] = [await world.organization(), await world.organization()]
  const admin = await adminOf(organization)
  const [{ address }, { address: foreign }] = [
    await organization.mailbox('support'),
    await elsewhere.mailbox('support'),
  ]
  for (const [field, change] of [
    ['scopes[1]', { scopes: ['labels:read', 'members:write'] }],
    ['name', { name: 'x'.repeat(65) }],
    ['expires_at', { expires_at: '2999-01-01T00:00:00' }],
    ['expires_at', { expires_at: '2001-01-01T00:00:00Z' }],
    ['mailboxes[1]', { mailboxes: [address, 'nobody@x.test'] }],
    ['mailboxes[1]', { mailboxes: [address, foreign] }],
    ['mailboxes[0]', { mailboxes: [`postmaster@${organization.domain}`] }],
    ['recipients[1]', { recipients: ['@a.example', 'b.example'] }],
    ['networks[0]', { networks: ['192.0.2.7/24'] }],
  ] as const) {
    const { status, body } = await create(admin, { scopes, ...change })
    assert.deepEqual([status, body.error.field], [400, field], JSON.stringify(change))
  }
  assert.equal((await admin.request('GET', '/v1/api-keys')).body.total, 1)
})
