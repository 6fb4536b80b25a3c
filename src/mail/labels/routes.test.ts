// On both databases: requests make and delete one label at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { each } from '#test/world/each.ts'
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

test('A label has its name without spaces around, its keyword, and slate if no other colour is given, and the list is oldest first', async () => {
  const organization = await world.organization()
  const labels = [await create(organization, ' Invoices 2026 ', 'amber'), await create(organization, 'Ant')]
  assert.deepEqual(each(labels, 'name', 'keyword', 'colour'), [
    ['Invoices 2026', 'invoices-2026', 'amber'],
    ['Ant', 'ant', 'slate'],
  ])
  assert.deepEqual(await organization.bodyOf(200, 'GET', '/v1/labels'), { data: labels, next_cursor: null })
})

test('A duplicate name is invalid_request', async () => {
  const organization = await world.organization()
  const first = await create(organization, 'Straße')
  const second = await create(organization, 'Second')
  for (const answer of [
    await organization.request('POST', '/v1/labels', { name: ' STRASSE ' }),
    await organization.request('PATCH', `/v1/labels/${second.id}`, { name: 'strasse' }),
  ]) {
    assert.deepEqual([answer.status, answer.body.error.field], [400, 'name'])
    assert.ok(answer.body.error.fix.includes(first.id), answer.body.error.fix)
    assert.ok(answer.body.error.message.includes(`"${first.name}"`), answer.body.error.message)
  }
})

test('A member’s own label collides', async () => {
  const organization = await world.organization()
  assert.equal((await organization.labelOfMember('Work')).keyword, 'work')
  assert.equal((await create(organization, 'Work')).keyword, 'work-2')
  assert.equal((await organization.labelOfMember('Work')).keyword, 'work-3')
})

const twoOfOneName = '+One One>Same -Same +Two Two>Same -Same'
/** In a story labels are made (`+`), renamed (`>`) and deleted (`-`). */
for (const [what, story, keyword] of [
  ['stays when it is renamed', '+Work Work>Play', 'work'],
  ['is left on messages when it is deleted', '+Work -Work', 'work'],
  ['comes back with a label of its name, in any case', '+to.do +to-do -to-do -to.do +TO-DO', 'to-do-2'],
  ['is taken by no other name when it is deleted', '+to.do -to.do +to-do', 'to-do-2'],
  ['goes with the name that it had when it was deleted', '+Work Work>Play -Play +Play', 'work'],
  ['does not come back with an earlier name', '+Work Work>Play -Play +Work', 'work-2'],
  ['that was deleted later comes back first', `${twoOfOneName} +Same`, 'two'],
  ['that was deleted earlier comes back then', `${twoOfOneName} +Same Same>Other +Same`, 'one'],
] as const)
  test(`The keyword of a label ${what}`, async () => {
    const organization = await world.organization()
    const ids = new Map<string, string>()
    let last: string | undefined
    for (const [, deed, name = '', to = name] of story.matchAll(/([+-]?)(\w[\w.-]*)(?:>(\w+))?/g)) {
      const [id, path] = [ids.get(name) ?? '', `/v1/labels/${ids.get(name)}`]
      if (deed === '-') last = (await remove(organization, { id })).keyword_left_on_messages
      else {
        const given = { name: to, colour: '#ABCDEF' }
        const label = deed ? await create(organization, name) : await organization.bodyOf(200, 'PATCH', path, given)
        if (!deed) assert.deepEqual([label.name, label.colour], [to, '#abcdef'])
        ids.set(to, label.id)
        last = label.keyword
      }
    }
    assert.equal(last, keyword)
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
      const now = (await organization.request('GET', '/v1/labels')).body.data
      assert.equal(new Set(each(now, 'keyword')).size, now.length)
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
  const outcomes = answers.map(({ status, body }) => `${status} ${body.error?.field}`).sort()
  assert.deepEqual(outcomes, ['201 undefined', ...Array(49).fill('400 name')])
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
  const { error } = await organization.bodyOf(400, 'POST', '/v1/labels', { name: 'One more' })
  assert.equal(error.message, `There can be at most ${mostLabels} labels`)
  assert.equal((await organization.labelOfMember('Own')).keyword, 'own')
})

async function fill({ id }: TestOrganization, count: number): Promise<void> {
  const of = { organization_id: id, member_id: null, colour: 'red' }
  const names = Array.from({ length: count }, (_, index) => `filler-${index}`)
  const rows = names.map((name) => ({ ...of, name, name_key: name, keyword: name }))
  await world.db.insertInto('labels').values(rows).execute()
}
