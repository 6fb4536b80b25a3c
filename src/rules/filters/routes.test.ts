// On both databases: requests change one list of filters at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { addFilter } from './changes.ts'
import { mostFilters } from './filter.ts'

const world = await World.ofFile()
const shared = await world.organization()

const plain = { name: 'From Ann', field: 'from', op: 'contains', value: 'ann@', action: 'star' }

async function create(organization: TestOrganization, fields: object = {}) {
  return await organization.bodyOf(201, 'POST', '/v1/filters', { ...plain, ...fields })
}

async function list(organization: TestOrganization) {
  return (await organization.request('GET', '/v1/filters')).body.data
}

async function label(organization: TestOrganization, name: string) {
  return await organization.bodyOf(201, 'POST', '/v1/labels', { name })
}

/** A filter of a member's own, which only the web app can make. */
async function personalFilter(organization: TestOrganization, fields: object = {}) {
  const member = await organization.member(`${randomUUID()}@${organization.domain}`)
  const owner = { organizationId: organization.id, memberId: member.id }
  const filter = { ...plain, argument: null, enabled: true, ...fields } as Parameters<typeof addFilter>[2]
  return await world.db.transaction().execute((tx) => addFilter(tx, owner, filter, byOperator))
}

function refused(answer: { status: number; body: { error: unknown } }, field: string): void {
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  assert.partialDeepStrictEqual(answer.body.error, { code: 'invalid_request', field })
}

test('A filter is made as it is given, and shown so', async () => {
  const organization = await world.organization()
  const body = await create(organization)
  assert.partialDeepStrictEqual(body, { ...plain, argument: null, position: 1, enabled: true, broken: null })
  assert.deepEqual((await organization.request('GET', `/v1/filters/${body.id}`)).body, body)
  assert.deepEqual(await list(organization), [body])
})

for (const [what, from, change, result] of [
  ['move to star without clearing', { action: 'move', argument: 'archive' }, { action: 'star' }, null],
  ['star to move with a folder', { action: 'star' }, { action: 'move', argument: 'Trash' }, ['move', 'trash']],
  ['star to label with an unknown one', { action: 'star' }, { action: 'label', argument: 'nothing' }, null],
  ['star to label with one', { action: 'star' }, { action: 'label', argument: 'Work' }, ['label', 'work']],
  ['move to label, its folder being no label', { action: 'move', argument: 'archive' }, { action: 'label' }, null],
] as const)
  test(`The argument must fit the filter as it will be: ${what}`, async () => {
    const organization = await world.organization()
    await label(organization, 'Work')
    const filter = await create(organization, from)
    const answer = await organization.request('PATCH', `/v1/filters/${filter.id}`, change)
    const now = (await organization.request('GET', `/v1/filters/${filter.id}`)).body
    if (result === null) {
      refused(answer, 'argument')
      assert.deepEqual(now, filter)
    } else assert.deepEqual([answer.status, now.action, now.argument], [200, ...result])
  })

test('A label is given by its keyword, id or name, in any case, and stored as its keyword', async () => {
  const organization = await world.organization()
  const { id, keyword, name } = await label(organization, 'To do later')
  for (const argument of [keyword, id, id.toUpperCase(), name, name.toUpperCase()]) {
    const filter = await create(organization, { action: 'label', argument })
    assert.deepEqual([filter.argument, filter.broken], ['to-do-later', null])
  }
})

test('What is one label’s keyword and another’s name is the keyword', async () => {
  const organization = await world.organization()
  await label(organization, 'x')
  const second = await label(organization, 'x!')
  const named = await label(organization, 'x-2')
  assert.deepEqual([second.keyword, named.keyword], ['x-2', 'x-2-2'])
  const filter = await create(organization, { action: 'label', argument: 'x-2' })
  assert.equal(filter.argument, 'x-2')
})

test('A label that is unknown, another organization’s, a member’s own or deleted is invalid_request', async () => {
  const [organization, other] = [await world.organization(), await world.organization()]
  const foreign = await label(other, 'Foreign')
  const gone = await label(organization, 'Gone')
  await organization.request('DELETE', `/v1/labels/${gone.id}`)
  const own = await organization.labelOfMember('Own')
  for (const argument of ['nothing', '', 'own', randomUUID(), foreign.id, foreign.keyword, gone.keyword, own.id])
    refused(await organization.request('POST', '/v1/filters', { ...plain, action: 'label', argument }), 'argument')
})

for (const [action, expected] of [
  ['move', ['argument', 'name']],
  // A label may be called so.
  ['label', ['name']],
] as const)
  test(`An invalid folder name is reported with all other errors: of a filter to ${action} ${expected}`, async () => {
    const wrong = { ...plain, name: '', action, argument: 'a//b' }
    const { status, body } = await shared.request('POST', '/v1/filters', wrong)
    assert.equal(status, 400)
    const fields = body.error.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields.toSorted(), expected)
  })

test('A filter whose label is deleted stays, shows that it is broken, and works again when the label is back', async () => {
  const organization = await world.organization()
  const work = await label(organization, 'Work')
  const filter = await create(organization, { action: 'label', argument: 'work' })
  await organization.request('DELETE', `/v1/labels/${work.id}`)
  const broken = (await organization.request('GET', `/v1/filters/${filter.id}`)).body
  assert.deepEqual(broken, { ...filter, broken: 'label_deleted' })
  assert.deepEqual(await list(organization), [broken])
  const body = await organization.bodyOf(200, 'PATCH', `/v1/filters/${filter.id}`, { enabled: false })
  assert.partialDeepStrictEqual(body, { enabled: false, broken: 'label_deleted', argument: 'work' })
  await label(organization, 'work')
  assert.equal((await list(organization))[0].broken, null)
})

test('The list is in the order of position, then of creation', async () => {
  const organization = await world.organization()
  for (const [name, position] of Object.entries({ c: 3, a: 0, b2: 1.5, b1: 1.25, c2: 3 }))
    await create(organization, { name, position })
  const names = (await list(organization)).map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['a', 'b1', 'b2', 'c', 'c2'])
})

test('A filter without position goes to the end', async () => {
  const organization = await world.organization()
  assert.equal((await create(organization)).position, 1)
  assert.equal((await create(organization)).position, 2)
  await create(organization, { position: 7.5 })
  assert.equal((await create(organization)).position, 8.5)
  await personalFilter(organization, { position: 100 })
  assert.equal((await create(organization)).position, 9.5)
})

test('DELETE answers {deleted, id} and leaves a gap in positions', async () => {
  const organization = await world.organization()
  const [first, second, third] = [await create(organization), await create(organization), await create(organization)]
  const body = await organization.bodyOf(200, 'DELETE', `/v1/filters/${second.id}`)
  assert.deepEqual(body, { deleted: true, id: second.id })
  assert.deepEqual(await list(organization), [first, third])
  assert.equal((await organization.request('GET', `/v1/filters/${second.id}`)).status, 404)
})

test('50 filters created at once get 50 positions', async () => {
  const organization = await world.organization()
  const made = await Promise.all(Array.from({ length: 50 }, () => create(organization)))
  const positions = made.map(({ position }) => position - 1).sort((one, other) => one - other)
  assert.deepEqual(positions, [...made.keys()])
})

test('Of PATCHes of one filter at once, each result obeys the argument rule', async () => {
  const organization = await world.organization()
  const filter = await create(organization)
  const changes = [
    { action: 'move', argument: 'archive' },
    { action: 'star', argument: null },
    { action: 'read' },
    { argument: null },
  ]
  const asked = Array(10).fill(changes).flat()
  const answers = await Promise.all(
    asked.map((change) => organization.request('PATCH', `/v1/filters/${filter.id}`, change)),
  )
  for (const answer of answers)
    if (answer.status === 200) assert.equal(answer.body.argument !== null, answer.body.action === 'move')
    else refused(answer, 'argument')
  assert.ok(answers.some(({ status }) => status === 200))
})

test('PATCHes of different fields at once are all kept', async () => {
  const filter = await create(shared)
  const changes = { name: 'New', value: 'new', op: 'is', field: 'to', position: 9, enabled: false, action: 'read' }
  const answers = await Promise.all(
    Object.entries(changes).map(([field, value]) =>
      shared.request('PATCH', `/v1/filters/${filter.id}`, { [field]: value }),
    ),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  assert.partialDeepStrictEqual((await shared.request('GET', `/v1/filters/${filter.id}`)).body, changes)
})

test(`An organization has at most ${mostFilters} filters`, async () => {
  const organization = await world.organization()
  const fields = { ...plain, argument: null, organization_id: organization.id, member_id: null, position: 1 }
  const rows = Array(mostFilters - 1).fill(fields)
  await world.db.insertInto('filters').values(rows).execute()
  await create(organization)
  const { error } = await organization.bodyOf(400, 'POST', '/v1/filters', plain)
  assert.equal(error.message, `There can be at most ${mostFilters} filters`)
  assert.equal((await personalFilter(organization)).position, 1)
})
