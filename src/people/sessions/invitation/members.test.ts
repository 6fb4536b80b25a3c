// On both databases: two owners remove each other at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '#/app/cli/run.ts'
import { entriesOf } from '#/base/audit/queries.ts'
import type { Role } from '#/people/members/member.ts'
import { each } from '#test/world/each.ts'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import { operatorOn } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

async function signedIn(organization: TestOrganization, role: Role, name: string = role): Promise<SignedInMember> {
  return await signIn(organization, (await organization.member(`${name}@people.example`, role)).id)
}

async function rolesIn(organization: TestOrganization): Promise<Record<string, Role>> {
  const { data } = (await organization.request('GET', '/v1/members')).body
  return Object.fromEntries(data.map(({ email, role }: { email: string; role: Role }) => [email.split('@')[0], role]))
}

test('a member who is added signs in with the link of the answer, once, and has the mailbox of their address', async () => {
  const organization = await world.organization()
  const admin = await signedIn(organization, 'admin')
  const { id: mailbox, address } = await organization.mailbox('ada')
  const answer = await admin.request('POST', '/v1/members', { email: address, name: ' Ada ', role: 'member' })
  assert.equal(answer.status, 201)
  const { link, link_expires_at, mailed, ...member } = answer.body
  assert.equal(mailed, false)
  assert.deepEqual((await admin.request('GET', `/v1/members/${member.id}`)).body, member)
  assert.partialDeepStrictEqual(member, { email: address, name: 'Ada', role: 'member' })
  assert.equal(Date.parse(link_expires_at), world.clock.now() + 72 * 3_600_000)
  assert.ok(link.startsWith(`${world.base}/sign-in#`), link)
  const sign = () => world.client.request('POST', '/v1/session', { body: { link } })
  const first = await sign()
  assert.deepEqual([first.status, first.body.mailboxes[0].id], [201, mailbox])
  assert.equal((await sign()).status, 401)
})

test('an admin makes no owner and does nothing to one; the refusal names the permission', async () => {
  const organization = await world.organization()
  const [owner, second] = [await signedIn(organization, 'owner'), await signedIn(organization, 'owner', 'second')]
  const [admin, member] = [await signedIn(organization, 'admin'), await signedIn(organization, 'member')]
  const before = await rolesIn(organization)
  for (const [method, path, body] of [
    ['POST', '/v1/members', { email: 'eve@people.example', role: 'owner' }],
    ['POST', `/v1/members/${owner.id}/invitation`],
    ['PATCH', `/v1/members/${owner.id}`, { role: 'member' }],
    ['PATCH', `/v1/members/${owner.id}`, { role: 'owner' }],
    ['PATCH', `/v1/members/${member.id}`, { role: 'owner' }],
    ['PATCH', `/v1/members/${admin.id}`, { role: 'owner' }],
    ['DELETE', `/v1/members/${second.id}`],
  ] as const) {
    const answer = await admin.request(method, path, body)
    assert.equal(answer.status, 403, `${method} ${path}`)
    assert.match(answer.body.error.message, /permission manage_owners$/)
  }
  assert.deepEqual(await rolesIn(organization), before)
  assert.equal((await admin.request('PATCH', `/v1/members/${member.id}`, { role: 'admin' })).body.role, 'admin')
  assert.equal((await owner.request('PATCH', `/v1/members/${member.id}`, { role: 'owner' })).body.role, 'owner')
})

test('the last owner can be neither removed nor demoted, by anybody', async () => {
  const organization = await world.organization()
  const owner = await signedIn(organization, 'owner')
  const path = `/v1/members/${owner.id}`
  for (const [answer, field] of [
    [await owner.request('PATCH', path, { role: 'admin' }), 'role'],
    [await owner.request('DELETE', path), 'id'],
  ] as const)
    assert.deepEqual([answer.status, answer.body.error.field], [400, field])
  for (const command of ['role owner@people.example admin', 'remove owner@people.example']) {
    const argv = ['member', ...command.split(' '), '--org', organization.name]
    const { exitCode, stderr } = await runCommand(argv, operatorOn(world))
    assert.equal(exitCode, 1)
    assert.match(stderr, /The last owner of an organization can neither be removed nor get another role/)
  }
  assert.deepEqual(await rolesIn(organization), { owner: 'owner' })
  assert.equal((await owner.request('PATCH', path, { role: 'owner' })).status, 200)
  await signedIn(organization, 'owner', 'second')
  assert.equal((await owner.request('PATCH', path, { role: 'admin' })).status, 200)
})

for (const [what, method, body] of [
  ['demote', 'PATCH', { role: 'member' }],
  ['remove', 'DELETE', undefined],
] as const)
  test(`of two owners who ${what} each other at once, one stays an owner`, async () => {
    for (let round = 0; round < 5; round++) {
      const organization = await world.organization()
      const [a, b] = [await signedIn(organization, 'owner', 'a'), await signedIn(organization, 'owner', 'b')]
      const ask = (from: SignedInMember, to: SignedInMember) => from.request(method, `/v1/members/${to.id}`, body)
      const answers = await Promise.all([ask(a, b), ask(b, a)])
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(Object.values(await rolesIn(organization)).filter((role) => role === 'owner').length, 1)
    }
  })

test('another role, and the end of a membership, hold within five seconds in another process', async () => {
  await using other = await World.start({ database: world.database })
  const organization = await world.organization()
  const owner = await signedIn(organization, 'owner')
  const admin = await signedIn(organization, 'admin')
  const elsewhere = async () =>
    (await other.client.request('GET', '/v1/api-keys', { headers: { cookie: admin.cookie } })).status
  const assertNext = async (status: number) => {
    other.clock.advance(5_000)
    assert.equal(await elsewhere(), status)
  }
  assert.equal(await elsewhere(), 200)
  await owner.request('PATCH', `/v1/members/${admin.id}`, { role: 'member' })
  await assertNext(403)
  await owner.request('PATCH', `/v1/members/${admin.id}`, { role: 'admin' })
  await assertNext(200)
  assert.deepEqual((await owner.request('DELETE', `/v1/members/${admin.id}`)).body, { deleted: true, id: admin.id })
  await assertNext(401)
})

test('the audit trail has who added, invited, promoted and removed whom', async () => {
  const organization = await world.organization()
  const owner = await signedIn(organization, 'owner')
  const { id } = (await owner.request('POST', '/v1/members', { email: 'ada@people.example' })).body
  const path = `/v1/members/${id}`
  const { link_expires_at } = (await owner.request('POST', `${path}/invitation`)).body
  for (const role of ['admin', 'admin']) await owner.request('PATCH', path, { role })
  await owner.request('DELETE', path)
  const all = await entriesOf(world.db, organization.id, { action: 'member', actor: owner.id }, 10)
  const entries = all.filter(({ action }) => action !== 'member.signed_in')
  const ada = { email: 'ada@people.example', name: '', role: 'member' }
  assert.deepEqual(each(entries.reverse(), 'action', 'before', 'after'), [
    ['member.added', null, ada],
    ['member.invited', null, { link_expires_at }],
    ['member.role_changed', { role: 'member' }, { role: 'admin' }],
    ['member.removed', { ...ada, role: 'admin' }, null],
  ])
  for (const { actor, item } of entries)
    assert.deepEqual([actor.name, item], ['owner@people.example', { id, name: ada.email }])
})
