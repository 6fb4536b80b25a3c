// On both databases: requests change one list of filters at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { invalid } from '#/errors.ts'
import { addLabel } from '#/labels/catalogue.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { addFilter } from './changes.ts'
import { mostFilters } from './filter.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())
const shared = await world.organization()

const plain = { name: 'From Ann', field: 'from', op: 'contains', value: 'ann@', action: 'star' }

async function create(organization: TestOrganization, fields: object = {}) {
  const answer = await organization.request('POST', '/v1/filters', { ...plain, ...fields })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

async function list(organization: TestOrganization) {
  return (await organization.request('GET', '/v1/filters')).body.data
}

async function label(organization: TestOrganization, name: string) {
  const answer = await organization.request('POST', '/v1/labels', { name })
  assert.equal(answer.status, 201)
  return answer.body
}

/** A filter of a member's own, which only the web app can make. */
async function personalFilter(organization: TestOrganization, fields: object = {}) {
  const member = await organization.member(`${randomUUID()}@${organization.domain}`)
  const owner = { organizationId: organization.id, memberId: member.id }
  const filter = {
    name: 'Own',
    field: 'from',
    op: 'is',
    value: 'a@b.test',
    action: 'star',
    argument: null,
    enabled: true,
  }
  return await world.db
    .transaction()
    .execute((tx) => addFilter(tx, owner, { ...filter, ...fields } as Parameters<typeof addFilter>[2], byOperator))
}

function refused(answer: { status: number; body: { error: unknown } }, field: string): void {
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  assert.partialDeepStrictEqual(answer.body.error, { code: 'invalid_request', field })
}

test('POST /v1/filters answers 201 with the filter, and where it is', async () => {
  const organization = await world.organization()
  const { status, body, headers } = await organization.request('POST', '/v1/filters', plain)
  assert.equal(status, 201)
  const { id, created_at, updated_at, ...rest } = body
  assert.deepEqual(rest, { ...plain, argument: null, position: 1, enabled: true, broken: null })
  assert.equal(headers.get('location'), `/v1/filters/${id}`)
  assert.match(created_at, /Z$/)
  assert.match(updated_at, /Z$/)
  assert.deepEqual((await organization.request('GET', `/v1/filters/${id}`)).body, body)
  assert.deepEqual(await list(organization), [body])
})

for (const missing of ['name', 'field', 'op', 'value', 'action']) {
  test(`A filter without ${missing} is invalid_request`, async () => {
    const { [missing]: _, ...rest } = plain as Record<string, string>
    refused(await shared.request('POST', '/v1/filters', rest), missing)
  })
}

for (const [field, value] of [
  ['field', 'cc'],
  ['field', 'From'],
  ['field', ''],
  ['op', 'matches'],
  ['action', 'delete'],
  ['action', ['star']],
  ['enabled', 'true'],
  ['enabled', 1],
  ['position', -1],
  ['position', '1'],
  ['argument', 5],
  ['name', ''],
  ['name', '  '],
  ['name', '\u200b'],
  ['name', 'a\u202eb'],
  ['name', 'n'.repeat(65)],
  ['name', 5],
  ['value', ''],
  ['value', ' \u3000 '],
  ['value', 'v'.repeat(121)],
  ['value', '😀'.repeat(121)],
  ['value', 'a\nb'],
  ['value', 'a\u0000'],
  ['value', 'a\ud83d'],
  ['id', randomUUID()],
  ['broken', null],
  ['organization_id', randomUUID()],
  ['member_id', randomUUID()],
] as const) {
  test(`A value outside its vocabulary or bounds is invalid_request: ${field} ${JSON.stringify(value).slice(0, 20)}`, async () => {
    const filter = await create(shared)
    refused(await shared.request('POST', '/v1/filters', { ...plain, [field]: value }), field)
    refused(await shared.request('PATCH', `/v1/filters/${filter.id}`, { [field]: value }), field)
    assert.deepEqual((await shared.request('GET', `/v1/filters/${filter.id}`)).body, filter)
  })
}

test('A position that is no finite number is invalid_request', async () => {
  refused(
    await shared.request('POST', '/v1/filters', JSON.stringify({ ...plain, position: 7 }).replace('7', '1e999')),
    'position',
  )
})

test('A name can have 64 characters and a value 120, counted as code points', async () => {
  const filter = await create(shared, { name: '😀'.repeat(64), value: '😀'.repeat(120) })
  assert.equal(filter.name, '😀'.repeat(64))
  assert.equal(filter.value, '😀'.repeat(120))
})

for (const [action, argument, fits] of [
  ['move', 'archive', true],
  ['move', undefined, false],
  ['move', null, false],
  ['label', 'work', true],
  ['label', undefined, false],
  ['label', null, false],
  ['star', undefined, true],
  ['star', null, true],
  ['star', 'archive', false],
  ['star', '', false],
  ['read', undefined, true],
  ['read', null, true],
  ['read', 'archive', false],
] as const) {
  test(`Argument rule: ${action} with ${JSON.stringify(argument)} is ${fits ? 'taken' : 'refused'}`, async () => {
    const organization = await world.organization()
    await label(organization, 'Work')
    const filter = { ...plain, action, ...(argument !== undefined && { argument }) }
    const answer = await organization.request('POST', '/v1/filters', filter)
    if (!fits) return refused(answer, 'argument')
    assert.equal(answer.status, 201)
    assert.equal(answer.body.argument, argument ?? null)
  })
}

for (const [what, from, change, result] of [
  ['move to star without clearing', { action: 'move', argument: 'archive' }, { action: 'star' }, null],
  [
    'move to star, cleared',
    { action: 'move', argument: 'archive' },
    { action: 'star', argument: null },
    ['star', null],
  ],
  ['star to move without an argument', { action: 'star' }, { action: 'move' }, null],
  ['star to move with one', { action: 'star' }, { action: 'move', argument: 'junk' }, ['move', 'junk']],
  ['star to label with an unknown one', { action: 'star' }, { action: 'label', argument: 'nothing' }, null],
  ['star to label with one', { action: 'star' }, { action: 'label', argument: 'Work' }, ['label', 'work']],
  ['clearing what move needs', { action: 'move', argument: 'archive' }, { argument: null }, null],
  ['giving star an argument', { action: 'star' }, { argument: 'archive' }, null],
  ['move to label, its folder being no label', { action: 'move', argument: 'archive' }, { action: 'label' }, null],
  ['another folder', { action: 'move', argument: 'archive' }, { argument: 'Trash' }, ['move', 'trash']],
] as const) {
  test(`Argument rule on the resulting filter: ${what}`, async () => {
    const organization = await world.organization()
    await label(organization, 'Work')
    const filter = await create(organization, from)
    const answer = await organization.request('PATCH', `/v1/filters/${filter.id}`, change)
    const now = (await organization.request('GET', `/v1/filters/${filter.id}`)).body
    if (result === null) {
      refused(answer, 'argument')
      assert.deepEqual(now, filter)
    } else {
      assert.equal(answer.status, 200)
      assert.deepEqual([now.action, now.argument], result)
    }
  })
}

test('PATCH changes what is given and keeps the rest', async () => {
  const filter = await create(shared, { position: 4 })
  const { status, body } = await shared.request('PATCH', `/v1/filters/${filter.id}`, { name: ' New ', enabled: false })
  assert.equal(status, 200)
  assert.ok(body.updated_at >= filter.updated_at)
  assert.deepEqual({ ...body, updated_at: filter.updated_at }, { ...filter, name: 'New', enabled: false })
})

test('PATCH with nothing in it is invalid_request', async () => {
  const filter = await create(shared)
  const { status, body } = await shared.request('PATCH', `/v1/filters/${filter.id}`, {})
  assert.equal(status, 400)
  assert.partialDeepStrictEqual(body.error, { code: 'invalid_request', message: 'Nothing to change' })
})

for (const [what, argument] of [
  ['keyword', (made: { keyword: string }) => made.keyword],
  ['id', (made: { id: string }) => made.id],
  ['id in upper case', (made: { id: string }) => made.id.toUpperCase()],
  ['name', (made: { name: string }) => made.name],
  ['name in another case', (made: { name: string }) => made.name.toUpperCase()],
] as const) {
  test(`A label is given by its ${what} and stored as its keyword`, async () => {
    const organization = await world.organization()
    const made = await label(organization, 'To do later')
    const filter = await create(organization, { action: 'label', argument: argument(made) })
    assert.equal(filter.argument, 'to-do-later')
    assert.equal(filter.broken, null)
  })
}

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
  const member = await organization.member('own@example.com')
  const owner = { organizationId: organization.id, memberId: member.id }
  const personal = await world.db
    .transaction()
    .execute((tx) => addLabel(tx, owner, { name: 'Personal', colour: 'red' }, byOperator))
  for (const argument of [
    'nothing',
    randomUUID(),
    '',
    foreign.id,
    foreign.keyword,
    gone.keyword,
    personal.id,
    'personal',
  ]) {
    const filter = { ...plain, action: 'label', argument }
    refused(await organization.request('POST', '/v1/filters', filter), 'argument')
  }
})

for (const [given, stored] of [
  ['Inbox', 'inbox'],
  ['ARCHIVE', 'archive'],
  ['spam', 'junk'],
  ['Projects/Apollo', 'Projects/Apollo'],
] as const) {
  test(`A folder is stored by its name: ${given} as ${stored}`, async () => {
    assert.equal((await create(shared, { action: 'move', argument: given })).argument, stored)
  })
}

for (const argument of ['', 'INBOX"\r\nA1 DELETE x', 'a\u0000b', '/', 'a//b']) {
  test(`A folder that cannot be is invalid_request: ${JSON.stringify(argument)}`, async () => {
    refused(await shared.request('POST', '/v1/filters', { ...plain, action: 'move', argument }), 'argument')
  })
}

for (const [action, expected] of [
  ['move', ['argument', 'name']],
  // A label may be called so.
  ['label', ['name']],
] as const) {
  test(`An invalid folder name is reported with all other errors: of a filter to ${action} ${expected}`, async () => {
    const wrong = { ...plain, name: '', action, argument: 'a//b' }
    const { status, body } = await shared.request('POST', '/v1/filters', wrong)
    assert.equal(status, 400)
    const fields = body.error.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields.toSorted(), expected)
  })
}

test('A folder that the mail host refuses is refused, in a new filter and in a changed one', async (t) => {
  const filter = await create(shared)
  // The host of the tests takes any name.
  t.mock.method(world.mailHost, 'checkFolder', async () => {
    throw invalid('folder', 'Nothing can be in there')
  })
  const move = { action: 'move', argument: 'Elsewhere' }
  refused(await shared.request('POST', '/v1/filters', { ...plain, ...move }), 'argument')
  refused(await shared.request('PATCH', `/v1/filters/${filter.id}`, move), 'argument')
  assert.deepEqual((await shared.request('GET', `/v1/filters/${filter.id}`)).body, filter)
})

test('A label may be called as no folder can be', async () => {
  const organization = await world.organization()
  await label(organization, 'Now//Later')
  assert.equal((await create(organization, { action: 'label', argument: 'Now//Later' })).argument, 'now-later')
})

test('A filter whose label is deleted stays, shows that it is broken, and works again when the label is back', async () => {
  const organization = await world.organization()
  const work = await label(organization, 'Work')
  const filter = await create(organization, { action: 'label', argument: 'work' })
  await organization.request('DELETE', `/v1/labels/${work.id}`)
  const broken = (await organization.request('GET', `/v1/filters/${filter.id}`)).body
  assert.deepEqual(broken, { ...filter, broken: 'label_deleted' })
  assert.deepEqual(await list(organization), [broken])
  const { status, body } = await organization.request('PATCH', `/v1/filters/${filter.id}`, { enabled: false })
  assert.equal(status, 200)
  assert.partialDeepStrictEqual(body, { enabled: false, broken: 'label_deleted', argument: 'work' })
  await label(organization, 'work')
  assert.equal((await list(organization))[0].broken, null)
})

test('Filter rule 1: the list is in the order of position, then of creation', async () => {
  const organization = await world.organization()
  for (const [name, position] of [
    ['c', 3],
    ['a', 0],
    ['b2', 1.5],
    ['b1', 1.25],
    ['c2', 3],
  ] as const) {
    await create(organization, { name, position })
  }
  const names = (await list(organization)).map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['a', 'b1', 'b2', 'c', 'c2'])
})

test('Filter rule 2: a filter without position goes to the end', async () => {
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
  const { status, body } = await organization.request('DELETE', `/v1/filters/${second.id}`)
  assert.equal(status, 200)
  assert.deepEqual(body, { deleted: true, id: second.id })
  assert.deepEqual(await list(organization), [first, third])
  assert.equal((await organization.request('GET', `/v1/filters/${second.id}`)).status, 404)
})

test('A personal filter, another organization’s and one that never was answer the same', async () => {
  const organization = await world.organization()
  const personal = await personalFilter(organization)
  const foreign = await create(await world.organization())
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { enabled: false }],
    ['DELETE', undefined],
  ] as const) {
    const errors = []
    for (const id of [personal.id, foreign.id, randomUUID(), 'not-a-uuid']) {
      const answer = await organization.request(method, `/v1/filters/${id}`, body)
      assert.equal(answer.status, 404)
      const { request_id: _, ...error } = answer.body.error
      errors.push(error)
    }
    assert.deepEqual(errors, Array(4).fill({ code: 'not_found', message: 'No such filter' }))
  }
  assert.deepEqual(await list(organization), [])
  assert.equal(
    (await world.db.selectFrom('filters').select('enabled').where('id', '=', personal.id).execute())[0]?.enabled,
    true,
  )
})

test('50 filters created at once get 50 positions', async () => {
  const organization = await world.organization()
  const made = await Promise.all(Array.from({ length: 50 }, () => create(organization)))
  const positions = made.map(({ position }) => position).sort((one, other) => one - other)
  assert.deepEqual(
    positions,
    Array.from({ length: 50 }, (_, index) => index + 1),
  )
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
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      organization.request('PATCH', `/v1/filters/${filter.id}`, changes[index % changes.length]),
    ),
  )
  for (const { status, body } of answers) {
    if (status === 200) assert.equal(body.argument !== null, body.action === 'move')
    else refused({ status, body }, 'argument')
  }
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
  await world.db
    .insertInto('filters')
    .values(Array(mostFilters - 1).fill(fields))
    .execute()
  await create(organization)
  const { status, body } = await organization.request('POST', '/v1/filters', plain)
  assert.equal(status, 400)
  assert.partialDeepStrictEqual(body.error, {
    code: 'invalid_request',
    message: `There can be at most ${mostFilters} filters`,
  })
  assert.equal((await personalFilter(organization)).position, 1)
})
