import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { type Role, roles } from '#/people/members/member.ts'
import { removeMember } from '#/people/members/members.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, memberOperations, pathOf, removingLast } from '#test/world/routes/every-route.ts'
import { type About, memberMay } from '#test/world/routes/rules.ts'
import { ownSamples, samples } from '#test/world/routes/samples.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** The owner of the mailbox and the items in the samples. */
const relations = ['own mailbox', 'mailbox of another member', 'another organization'] as const
type Relation = (typeof relations)[number]

interface Cell {
  readonly name: string
  readonly about: About
  readonly scopes: readonly string[]
  readonly role: Role
  readonly relation: Relation
}

/** The expected status of a cell of the table. */
function expected({ name, about, scopes, role, relation }: Cell): number {
  const success = samples[name]?.status ?? 200
  if (role === 'member' && !scopes.some(memberMay)) return 403
  const foreign = relation === 'another organization'
  switch (about) {
    case 'organization':
    case 'webhook':
      // Its body names a keyword on messages of the other organization.
      if (foreign && name === 'POST /v1/orphan-labels') return 400
      return foreign && samples[name]?.item !== undefined ? 404 : success
    case 'mail':
      return relation === 'own mailbox' ? success : 404
    case 'mailbox':
      return relation === 'own mailbox' || (role !== 'member' && !foreign) ? success : 404
    case 'new mailbox':
      return foreign ? 404 : success
    default:
      return success
  }
}

async function sessionFor(one: Furnished, role: Role, relation: Relation) {
  const organization = relation === 'another organization' ? await world.organization() : one.organization
  const own = relation === 'own mailbox' ? one.address : (await organization.mailbox('eve')).address
  const { id } = await organization.member(own, role)
  return await signIn(organization, id)
}

for (const role of roles)
  for (const relation of relations)
    test(`every route × ${role} × ${relation}`, async () => {
      const one = await furnish(world)
      const session = await sessionFor(one, role, relation)
      for (const { name, method, path, sample, scopes, rule } of removingLast(await everyOperation(world))) {
        const { about } = rule
        const answer = await session.request(method, pathOf(path, sample, one), sample.body?.(one))
        const status = expected({ name, about, scopes, role, relation })
        assert.equal(answer.status, status, `${name}: ${answer.bytes}`)
        if (name === 'GET /v1/mailboxes' && relation !== 'another organization')
          assert.equal(answer.bytes.includes(one.address), relation === 'own mailbox' || role !== 'member')
        if (relation === 'own mailbox' || status >= 400) continue
        if (about !== 'own mail' && relation !== 'another organization') continue
        assert.ok(!answer.bytes.includes(one.address), `${name} names the other mailbox: ${answer.bytes}`)
      }
    })

/** What each role may do that no key may. */
const permissionsOf: Readonly<Record<Role, readonly string[]>> = {
  owner: [
    ...['manage_api_keys', 'manage_members', 'manage_owners', 'read_audit', 'manage_mailboxes', 'share_own_mailboxes'],
  ],
  admin: ['manage_api_keys', 'manage_members', 'manage_mailboxes'],
  member: [],
}

for (const role of roles)
  for (const relation of relations)
    test(`every route for members alone × ${role} × ${relation}`, async () => {
      const one = await furnish(world)
      const session = await sessionFor(one, role, relation)
      assert.deepEqual((await session.request('GET', '/v1/me')).body.permissions, permissionsOf[role])
      const endsSession = ({ path }: { path: string }) => (path === '/v1/session' ? 1 : 0)
      const operations = removingLast(await memberOperations(world)).toSorted((a, b) => endsSession(a) - endsSession(b))
      for (const { name, method, path, sample, rule } of operations) {
        // test/people/personal-items.test.ts and shared-mailboxes.test.ts have them.
        if (name in ownSamples || path.includes('/access/')) continue
        const { permission, about } = rule
        const may = permission === undefined || permissionsOf[role].includes(permission)
        const hidden =
          (relation === 'another organization' && sample.item !== undefined) ||
          (relation !== 'own mailbox' && (about === 'mail' || (about === 'mailbox' && role === 'member')))
        const answer = await session.request(method, pathOf(path, sample, one), sample.body?.(one))
        const status = may ? (hidden ? 404 : (sample.status ?? 200)) : 403
        assert.equal(answer.status, status, `${name}: ${answer.bytes}`)
        if (!may) assert.ok(answer.body.error.message.includes(permission ?? ''), `${name} names the permission`)
      }
    })

test('what a session schedules is scheduled by its member, as long as there is one', async () => {
  const one = await furnish(world)
  const session = await sessionFor(one, 'member', 'own mailbox')
  const sample = samples['POST /v1/scheduled']
  const { body } = await session.request('POST', '/v1/scheduled', sample?.body?.(one))
  const shown = async () => {
    const { scheduled_by, scheduled_by_member, scheduled_by_key } = (
      await one.organization.request('GET', `/v1/scheduled/${body.id}`)
    ).body
    assert.equal(scheduled_by_key, null)
    return [scheduled_by, scheduled_by_member]
  }
  assert.deepEqual(await shown(), ['member', { id: session.id, email: one.address }])
  const { data } = (await session.request('GET', '/v1/scheduled')).body
  assert.deepEqual(
    data.flatMap((listed: { scheduled_by_member: { id: string } | null }) => listed.scheduled_by_member?.id ?? []),
    [session.id],
  )
  await removeMember(world.db, one.organization.id, session.id, byOperator)
  assert.deepEqual(await shown(), ['member', null])
})
