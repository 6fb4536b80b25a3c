import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import { World } from '#test/world/world.ts'
import { addMember, memberNamed, removeMember } from './members.ts'

const world = await World.ofFile()

test('GET /v1/members lists the organization’s members as {data}', async () => {
  const organization = await world.organization()
  const fields = { organizationId: organization.id, email: 'Ada@Example.com', name: ' Ada Lovelace ', role: 'owner' }
  const { id, joined_at } = await addMember(world.db, fields, byOperator)
  await (await world.organization()).member('foreign@example.com')
  const body = await organization.bodyOf(200, 'GET', '/v1/members')
  const ada = { id, email: 'Ada@Example.com', name: 'Ada Lovelace', role: 'owner', joined_at: joined_at.toISOString() }
  assert.deepEqual(body, { data: [ada], total: 1, page: 0, has_more: false, next_cursor: null })
})

test('No two members have one address, whatever its case', async () => {
  const organization = await world.organization()
  await organization.member('ada@example.com')
  await assert.rejects(organization.member('ADA@example.com'), { field: 'email' })
  assert.equal((await memberNamed(world.db, organization.id, 'ADA@EXAMPLE.COM')).email, 'ada@example.com')
})

for (const [field, value] of [
  ['email', 'ada'],
  ['email', 'a b@example.com'],
  ['role', 'king'],
  ['name', 'a\u202eb'],
] as const)
  test(`A member is refused for ${field} ${JSON.stringify(value)}`, async () => {
    const organization = await world.organization()
    const fields = { organizationId: organization.id, email: 'a@example.com', name: '', role: 'member', [field]: value }
    await assert.rejects(addMember(world.db, fields, byOperator), { field })
  })

test('A removed member’s own labels are deleted, and the keywords stay in use', async () => {
  const organization = await world.organization()
  const member = await organization.member('ada@example.com')
  const owner = { organizationId: organization.id, memberId: member.id }
  await world.db.transaction().execute((tx) => addLabel(tx, owner, { name: 'Work', colour: 'red' }, byOperator))
  await removeMember(world.db, organization.id, 'ADA@example.com', byOperator)
  assert.equal((await organization.request('GET', '/v1/members')).body.total, 0)
  assert.equal((await organization.request('POST', '/v1/labels', { name: 'Work' })).body.keyword, 'work-2')
})

test('A member of another organization is not found', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  const { id } = await one.member('ada@example.com')
  for (const name of [id, 'ada@example.com'])
    await assert.rejects(removeMember(world.db, other.id, name, byOperator), { code: 'not_found' })
})

test('A member who is added has the mailbox of their address, and no other', async () => {
  const organization = await world.organization()
  const [own, other] = [await organization.mailbox('ada'), await organization.mailbox('bob')]
  const { id } = await organization.member(`Ada@${organization.domain}`)
  const rows = await world.db
    .selectFrom('mailboxes')
    .select(['id', 'member_id'])
    .where('organization_id', '=', organization.id)
    .execute()
  const owners = new Map(rows.map((row) => [row.id, row.member_id]))
  assert.deepEqual([owners.get(own.id), owners.get(other.id)], [id, null])
})
