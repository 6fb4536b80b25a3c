import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

async function ownerOf(organization: TestOrganization): Promise<SignedInMember> {
  return await signIn(organization, (await organization.member('ada@people.example', 'owner')).id)
}

const trail = async (member: SignedInMember, query = '') => (await member.request('GET', `/v1/audit${query}`)).body

test('an owner reads what the operator reads', async () => {
  const organization = await world.organization()
  const owner = await ownerOf(organization)
  await organization.request('POST', '/v1/labels', { name: 'Later', colour: 'red' })
  const { data, next_cursor } = await trail(owner)
  assert.deepEqual([data[0].action, data[0].after.colour, next_cursor], ['label.created', 'red', null])
  const { data: printedData } = await printed(operatorOn(world), 'audit', '--org', organization.name)
  assert.deepEqual(data, printedData)
})

test('no entry of another organization or of the installation is among them', async () => {
  const [organization, elsewhere] = [await world.organization(), await world.organization()]
  const owner = await ownerOf(organization)
  await elsewhere.request('POST', '/v1/labels', { name: 'Foreign' })
  const gone = `gone-${organization.name}`
  await printed(operatorOn(world), 'org', 'create', gone)
  await printed(operatorOn(world), 'org', 'delete', gone, '--confirm', gone)
  const { data } = await trail(owner, '?limit=1000')
  assert.ok(data.length > 0)
  for (const { action } of data) assert.ok(action !== 'label.created' && action !== 'organization.deleted', action)
})

test('entries are selected by action, item, actor and time', async () => {
  const organization = await world.organization()
  const owner = await ownerOf(organization)
  await organization.request('POST', '/v1/labels', { name: 'By key' })
  await owner.request('POST', '/v1/labels', { name: 'By owner' })
  const { data } = await trail(owner, '?action=label')
  const count = async (query: string) => (await trail(owner, `?action=label&${query}`)).data.length
  const [newest] = data
  for (const [query, expected] of [
    ['', 2],
    [`actor=${owner.id}`, 1],
    [`since=${newest.at}`, 1],
  ] as const)
    assert.equal(await count(query), expected, query)
  for (const query of ['action=lable', 'since=yesterday', 'since=2026-11-21']) {
    const { status, body } = await owner.request('GET', `/v1/audit?${query}`)
    assert.deepEqual([status, body.error.field], [400, query.split('=')[0]])
  }
})
