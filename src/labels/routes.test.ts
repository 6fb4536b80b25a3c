// On both databases: requests make and delete one label at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { mostLabels } from './label.ts'

const world = await World.ofFile()
const shared = await world.organization()

async function create(organization: TestOrganization, name: string, colour?: string) {
  return await organization.bodyOf(201, 'POST', '/v1/labels', { name, ...(colour && { colour }) })
}

async function remove(organization: TestOrganization, label: { id: string }) {
  return await organization.bodyOf(200, 'DELETE', `/v1/labels/${label.id}`)
}

test('POST /v1/labels answers 201 with the label including keyword, and where it is', async () => {
  const { status, body, headers } = await shared.request('POST', '/v1/labels', {
    name: ' Invoices 2026 ',
    colour: 'amber',
  })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body), ['id', 'name', 'keyword', 'colour', 'created_at'])
  assert.partialDeepStrictEqual(body, { name: 'Invoices 2026', keyword: 'invoices-2026', colour: 'amber' })
  assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(headers.get('location'), `/v1/labels/${body.id}`)
})

test('GET /v1/labels lists the organization’s labels as {data}, oldest first', async () => {
  const organization = await world.organization()
  assert.deepEqual((await organization.request('GET', '/v1/labels')).body, { data: [], next_cursor: null })
  const labels = [await create(organization, 'Zebra'), await create(organization, 'Ant')]
  const body = await organization.bodyOf(200, 'GET', '/v1/labels')
  assert.deepEqual(body, { data: labels, next_cursor: null })
  assert.equal(labels[0].colour, 'slate')
})

test('A duplicate name is invalid_request', async () => {
  const organization = await world.organization()
  const first = await create(organization, 'Straße')
  const second = await create(organization, 'Second')
  for (const answer of [
    await organization.request('POST', '/v1/labels', { name: ' STRASSE ' }),
    await organization.request('PATCH', `/v1/labels/${second.id}`, { name: 'strasse' }),
  ]) {
    assert.equal(answer.status, 400)
    assert.partialDeepStrictEqual(answer.body.error, { code: 'invalid_request', field: 'name' })
    assert.ok(answer.body.error.fix.includes(first.id), answer.body.error.fix)
    assert.ok(answer.body.error.message.includes(`"${first.name}"`), answer.body.error.message)
  }
})

test('Two organizations can have labels of one name and keyword', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  assert.equal((await create(one, 'Work')).keyword, 'work')
  assert.equal((await create(other, 'Work')).keyword, 'work')
})

test('On collision a numeric suffix is appended', async () => {
  const organization = await world.organization()
  assert.equal((await create(organization, 'To do')).keyword, 'to-do')
  assert.equal((await create(organization, 'To-do')).keyword, 'to-do-2')
  assert.equal((await create(organization, 'To do!')).keyword, 'to-do-3')
})

test('A member’s own label collides', async () => {
  const organization = await world.organization()
  assert.equal((await organization.labelOfMember('Work')).keyword, 'work')
  assert.equal((await create(organization, 'Work')).keyword, 'work-2')
  assert.equal((await organization.labelOfMember('Work')).keyword, 'work-3')
})

test('A rename never changes the keyword', async () => {
  const organization = await world.organization()
  const label = await create(organization, 'Work')
  const { status, body } = await organization.request('PATCH', `/v1/labels/${label.id}`, {
    name: 'Play',
    colour: '#ABCDEF',
  })
  assert.equal(status, 200)
  assert.deepEqual(body, { ...label, name: 'Play', colour: '#abcdef' })
  assert.deepEqual((await organization.request('GET', '/v1/labels')).body.data, [body])
  assert.equal((await create(organization, 'Work')).keyword, 'work-2')
})

test('Creating a label later with the same name recovers the same keyword', async () => {
  const organization = await world.organization()
  const [first, second] = [await create(organization, 'To do'), await create(organization, 'To-do')]
  assert.deepEqual(await remove(organization, second), {
    deleted: true,
    id: second.id,
    keyword_left_on_messages: 'to-do-2',
  })
  await remove(organization, first)
  assert.equal((await create(organization, 'TO-DO')).keyword, 'to-do-2')
  assert.equal((await create(organization, 'To do')).keyword, 'to-do')
})

test('No other name takes the keyword of a deleted label', async () => {
  const organization = await world.organization()
  await remove(organization, await create(organization, 'To do'))
  assert.equal((await create(organization, 'To-do')).keyword, 'to-do-2')
  assert.equal((await organization.labelOfMember('To do')).keyword, 'to-do-3')
  assert.equal((await create(organization, 'To do')).keyword, 'to-do')
})

test('The keyword goes with the name that the label had when it was deleted', async () => {
  const organization = await world.organization()
  const label = await create(organization, 'Work')
  await organization.request('PATCH', `/v1/labels/${label.id}`, { name: 'Play' })
  await remove(organization, label)
  assert.equal((await create(organization, 'Work')).keyword, 'work-2')
  assert.equal((await create(organization, 'Play')).keyword, 'work')
})

test('Of two that were deleted under one name, the later one is recovered first', async () => {
  const organization = await world.organization()
  const one = await create(organization, 'One')
  await organization.request('PATCH', `/v1/labels/${one.id}`, { name: 'Same' })
  await remove(organization, one)
  const two = await create(organization, 'Two')
  await organization.request('PATCH', `/v1/labels/${two.id}`, { name: 'Same' })
  await remove(organization, two)
  const again = await create(organization, 'Same')
  assert.equal(again.keyword, 'two')
  await organization.request('PATCH', `/v1/labels/${again.id}`, { name: 'Other' })
  assert.equal((await create(organization, 'Same')).keyword, 'one')
})

test('No two labels of an organization ever have one keyword, whatever is created, renamed and deleted', async () => {
  const organization = await world.organization()
  const name = fc.constantFrom('a', 'A!', 'a-2', 'a 2', 'b', 'ä')
  const step = fc.oneof(
    fc.record({ do: fc.constant('create' as const), name }),
    fc.record({ do: fc.constant('rename' as const), name }),
    fc.record({ do: fc.constant('delete' as const), name }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const [index, { do: action, name }] of steps.entries()) {
        const { data } = (await organization.request('GET', '/v1/labels')).body
        const label = data[index % Math.max(1, data.length)]
        if (action === 'create') await organization.request('POST', '/v1/labels', { name })
        else if (label && action === 'rename') await organization.request('PATCH', `/v1/labels/${label.id}`, { name })
        else if (label) await remove(organization, label)
      }
      const keywords = (await organization.request('GET', '/v1/labels')).body.data.map(
        (one: { keyword: string }) => one.keyword,
      )
      assert.equal(new Set(keywords).size, keywords.length)
    }),
    { numRuns: 5 },
  )
})

test('A label can be renamed to its own name in another case', async () => {
  const label = await create(shared, 'Same label')
  const body = await shared.bodyOf(200, 'PATCH', `/v1/labels/${label.id}`, { name: 'SAME LABEL' })
  assert.equal(body.name, 'SAME LABEL')
})

test('50 creates of one name at once: one 201, 49 invalid_request', async () => {
  const organization = await world.organization()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const headers: Record<string, string> = index % 3 ? {} : { 'Idempotency-Key': randomUUID() }
      return organization.request('POST', '/v1/labels', { name: index % 2 ? 'Race' : 'RACE' }, { headers })
    }),
  )
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, ...Array(49).fill(400)])
  for (const { status, body } of answers) {
    if (status === 400) assert.partialDeepStrictEqual(body.error, { code: 'invalid_request', field: 'name' })
  }
  assert.equal((await organization.request('GET', '/v1/labels')).body.data.length, 1)
})

test('Names created at once that give one keyword get one suffix each', async () => {
  const organization = await world.organization()
  const names = ['x', 'x!', 'x?', '(x)', 'x.']
  const labels = await Promise.all(names.map((name) => create(organization, name)))
  assert.deepEqual(labels.map(({ keyword }) => keyword).sort(), ['x', 'x-2', 'x-3', 'x-4', 'x-5'])
})

test('Of deletes of one label at once, one succeeds', async () => {
  const label = await create(shared, 'Deleted once')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => shared.request('DELETE', `/v1/labels/${label.id}`)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(404)])
})

test(`An organization has at most ${mostLabels} labels`, async () => {
  const organization = await world.organization()
  await fill(organization, mostLabels - 1)
  await create(organization, 'The last')
  const { status, body } = await organization.request('POST', '/v1/labels', { name: 'One more' })
  assert.equal(status, 400)
  assert.partialDeepStrictEqual(body.error, {
    code: 'invalid_request',
    message: `There can be at most ${mostLabels} labels`,
  })
  assert.equal((await organization.labelOfMember('Own')).keyword, 'own')
})

async function fill({ id }: TestOrganization, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => `filler-${index}`)
  await world.db
    .insertInto('labels')
    .values(
      rows.map((name) => ({
        organization_id: id,
        member_id: null,
        name,
        name_key: name,
        keyword: name,
        colour: 'red',
      })),
    )
    .execute()
}
