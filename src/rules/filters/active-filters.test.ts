import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import { addLabel, removeLabel } from '#/mail/labels/catalogue.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { activeFilters } from './active-filters.ts'
import { addFilter } from './changes.ts'
import { filterInput } from './filter-input.ts'
import { applyFilters } from './matching.ts'

const world = await World.ofFile()

const input = filterInput({ subject: 'Invoice', sender: [{ name: 'Ann', address: 'ann@example.com' }], to: [], cc: [] })
const plain = { name: 'Ann', field: 'from', op: 'contains', value: 'ann', action: 'star' } as const

async function filter(organization: TestOrganization, fields: object = {}) {
  return await organization.bodyOf(201, 'POST', '/v1/filters', { ...plain, ...fields })
}

async function memberOf(organization: TestOrganization, email: string) {
  return { organizationId: organization.id, memberId: (await organization.member(email)).id }
}

function personal(owner: { organizationId: string; memberId: string }, fields: object) {
  const whole = { ...plain, argument: null, enabled: true, ...fields }
  return world.db.transaction().execute((tx) => addFilter(tx, owner, whole, byOperator))
}

async function placed(mailbox: { organizationId: string; memberId: string | null }) {
  return applyFilters(await activeFilters(world.db, mailbox), input, 'inbox')
}

test('A member’s personal filters run after the organization’s, on that member’s mailbox alone', async () => {
  const organization = await world.organization()
  const [ada, bob] = [await memberOf(organization, 'ada@example.com'), await memberOf(organization, 'bob@example.com')]
  await personal(ada, { action: 'move', argument: 'archive', position: 0 })
  await personal(bob, { action: 'read' })
  await filter(organization, { action: 'star', position: 9 })
  const organizationItself = { organizationId: organization.id, memberId: null }
  const seen = async (mailbox: Parameters<typeof placed>[0]) => {
    const { folder, flagged, seen: read } = await placed(mailbox)
    return [folder, flagged, read]
  }
  assert.deepEqual(await seen(organizationItself), ['inbox', true, false])
  assert.deepEqual(await seen(ada), ['archive', true, false])
  assert.deepEqual(await seen(bob), ['inbox', true, true])
  await filter(organization, { action: 'move', argument: 'junk', position: 10 })
  assert.deepEqual(await seen(ada), ['junk', true, false])
})

test('A personal label filter uses the member’s own keyword', async () => {
  const organization = await world.organization()
  const ada = await memberOf(organization, 'ada@example.com')
  await organization.request('POST', '/v1/labels', { name: 'Work' })
  const label = await world.db
    .transaction()
    .execute((tx) => addLabel(tx, ada, { name: 'Work', colour: 'red' }, byOperator))
  await personal(ada, { action: 'label', argument: 'Work' })
  assert.deepEqual((await placed(ada)).keywords, ['work-2'])
  await world.db.transaction().execute((tx) => removeLabel(tx, ada, label.id, byOperator))
  invalidateRules(world.db, organization.id)
  assert.deepEqual((await placed(ada)).keywords, [])
})

test('What is changed through the API is in force at once', async () => {
  const organization = await world.organization()
  const mailbox = { organizationId: organization.id, memberId: null }
  const label = (await organization.request('POST', '/v1/labels', { name: 'Bills' })).body
  assert.deepEqual((await placed(mailbox)).keywords, [])
  const { id } = await filter(organization, { action: 'label', argument: 'bills' })
  assert.deepEqual((await placed(mailbox)).keywords, ['bills'])
  await organization.request('PATCH', `/v1/filters/${id}`, { enabled: false })
  assert.deepEqual((await placed(mailbox)).keywords, [])
  await organization.request('PATCH', `/v1/filters/${id}`, { enabled: true })
  assert.deepEqual((await placed(mailbox)).keywords, ['bills'])
  await organization.request('DELETE', `/v1/labels/${label.id}`)
  assert.deepEqual((await placed(mailbox)).keywords, [])
  await organization.request('POST', '/v1/labels', { name: 'bills' })
  assert.deepEqual((await placed(mailbox)).keywords, ['bills'])
  await organization.request('DELETE', `/v1/filters/${id}`)
  assert.deepEqual((await placed(mailbox)).keywords, [])
})

test('What another process changes is in force once what was loaded is four and a half seconds old', async (t) => {
  const organization = await world.organization()
  const mailbox = { organizationId: organization.id, memberId: null }
  await filter(organization)
  const clock = t.mock.method(performance, 'now', () => 0)
  assert.equal((await placed(mailbox)).flagged, true)
  await world.db.deleteFrom('filters').where('organization_id', '=', organization.id).execute()
  for (const passed of [4_499, 4_500]) {
    clock.mock.mockImplementation(() => passed)
    assert.equal((await placed(mailbox)).flagged, passed < 4_500)
  }
})

test('Filters that are in force are loaded once, however many messages wait for them', async () => {
  const organization = await world.organization()
  const mailbox = { organizationId: organization.id, memberId: null }
  const waiting = [activeFilters(world.db, mailbox), activeFilters(world.db, mailbox)]
  const [one, other] = await Promise.all(waiting)
  assert.equal(one, other)
  assert.equal(await activeFilters(world.db, mailbox), one)
})

test('One organization’s filters are not in force for another', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  await filter(one)
  assert.deepEqual(await activeFilters(world.db, { organizationId: other.id, memberId: null }), [])
})
