// On both databases: requests make and delete one label at once.
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { byOperator } from '#/audit/actor.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { addLabel } from './catalogue.ts'
import { mostLabels } from './label.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())
const shared = await world.organization()

/** A label of a member's own, which only the web app can make. */
async function personalLabel(organization: TestOrganization, name: string) {
  const member = await organization.member(`${randomUUID()}@${organization.domain}`)
  const owner = { organizationId: organization.id, memberId: member.id }
  return await world.db.transaction().execute((tx) => addLabel(tx, owner, { name, colour: 'slate' }, byOperator))
}

async function create(organization: TestOrganization, name: string, colour?: string) {
  const answer = await organization.request('POST', '/v1/labels', { name, ...(colour && { colour }) })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

async function remove(organization: TestOrganization, label: { id: string }) {
  const answer = await organization.request('DELETE', `/v1/labels/${label.id}`)
  assert.equal(answer.status, 200)
  return answer.body
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
  const { status, body } = await organization.request('GET', '/v1/labels')
  assert.equal(status, 200)
  assert.deepEqual(body, { data: labels, next_cursor: null })
})

for (const [colour, stored] of [
  ...['slate', 'red', 'amber', 'green', 'blue', 'violet', 'pink'].map((one) => [one, one] as const),
  ['#1e90ff', '#1e90ff'],
  ['#1E90FF', '#1e90ff'],
] as const) {
  test(`A label can be ${colour}`, async () => {
    assert.equal((await create(shared, `In ${colour} ${randomUUID().slice(0, 8)}`, colour)).colour, stored)
  })
}

test('A label without a colour is slate', async () => {
  assert.equal((await create(shared, 'No colour')).colour, 'slate')
})

for (const colour of [
  'purple',
  'Slate',
  '',
  '#fff',
  '#1e90f',
  '#1e90fff',
  '1e90ff',
  '#ggg000',
  '#1e90ff\n',
  5,
  ['red'],
]) {
  test(`A bad colour is invalid_request: ${JSON.stringify(colour)}`, async () => {
    const label = await create(shared, `Colour ${randomUUID().slice(0, 8)}`)
    for (const [method, path] of [
      ['POST', '/v1/labels'],
      ['PATCH', `/v1/labels/${label.id}`],
    ] as const) {
      const { status, body } = await shared.request(method, path, { name: label.name.toUpperCase(), colour })
      assert.equal(status, 400)
      assert.partialDeepStrictEqual(body.error, { code: 'invalid_request', field: 'colour' })
    }
  })
}

for (const [what, name] of [
  ['5', 5],
  ['["a"]', ['a']],
  ['empty', ''],
  ['spaces', '   '],
  ['NUL', 'a\u0000b'],
  ['a lone surrogate', 'a\ud83d'],
  ['U+202E', 'abc\u202ecba'],
  ['U+200B alone', '\u200b'],
  ['33 emoji', '😀'.repeat(33)],
  ['33 letters', 'a'.repeat(33)],
] as const) {
  test(`7. A name that is ${what} is 400`, async () => {
    const label = await create(shared, `Name ${randomUUID().slice(0, 8)}`)
    for (const [method, path] of [
      ['POST', '/v1/labels'],
      ['PATCH', `/v1/labels/${label.id}`],
    ] as const) {
      const { status, body } = await shared.request(method, path, { name })
      assert.equal(status, 400)
      assert.partialDeepStrictEqual(body.error, { code: 'invalid_request', field: 'name' })
    }
  })
}

test('7. A name of 32 emoji is 201', async () => {
  const name = '😀'.repeat(32)
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  assert.partialDeepStrictEqual(await create(shared, name), { name, keyword: `label-${digest}` })
})

test('A missing name is invalid_request', async () => {
  const { status, body } = await shared.request('POST', '/v1/labels', { colour: 'red' })
  assert.equal(status, 400)
  assert.partialDeepStrictEqual(body.error, { code: 'invalid_request', field: 'name' })
})

for (const field of ['keyword', 'organization_id', 'member_id', 'id', 'created_at']) {
  test(`8. The caller does not choose ${field}: 400, nothing stored`, async () => {
    const organization = await world.organization()
    const { status, body } = await organization.request('POST', '/v1/labels', { name: 'Work', [field]: 'mine' })
    assert.equal(status, 400)
    assert.equal(body.error.field, field)
    assert.deepEqual((await organization.request('GET', '/v1/labels')).body.data, [])
  })
}

for (const [one, other] of [
  ['Work', 'Work'],
  ['Work', 'wORK'],
  ['Work', ' Work '],
  ['Straße', 'STRASSE'],
  ['Café', 'CAFE\u0301'],
  ['ΟΔΟΣ', 'οδος'],
] as const) {
  test(`A duplicate name is invalid_request: "${other}" beside "${one}"`, async () => {
    const organization = await world.organization()
    const first = await create(organization, one)
    const second = await create(organization, 'Second')
    for (const answer of [
      await organization.request('POST', '/v1/labels', { name: other }),
      await organization.request('PATCH', `/v1/labels/${second.id}`, { name: other }),
    ]) {
      assert.equal(answer.status, 400)
      assert.partialDeepStrictEqual(answer.body.error, { code: 'invalid_request', field: 'name' })
      assert.ok(answer.body.error.fix.includes(first.id), answer.body.error.fix)
      assert.ok(answer.body.error.message.includes(`"${first.name}"`), answer.body.error.message)
    }
  })
}

test('Two organizations can have labels of one name and keyword', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  assert.equal((await create(one, 'Work')).keyword, 'work')
  assert.equal((await create(other, 'Work')).keyword, 'work')
})

test('The organization can have a label of the name of a member’s own', async () => {
  const organization = await world.organization()
  await personalLabel(organization, 'Work')
  assert.equal((await create(organization, 'Work')).name, 'Work')
})

test('Keyword rule 1: the same name gives the same keyword', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    // What a name must have, and what it must not.
    .filter((text) => /[\p{L}\p{N}]/u.test(text) && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text))
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      const [here, there] = [await create(one, text), await create(other, text)]
      assert.equal(here.keyword, there.keyword)
      await Promise.all([remove(one, here), remove(other, there)])
    }),
    { numRuns: 20 },
  )
})

test('Keyword rule 2: on collision a numeric suffix is appended', async () => {
  const organization = await world.organization()
  assert.equal((await create(organization, 'To do')).keyword, 'to-do')
  assert.equal((await create(organization, 'To-do')).keyword, 'to-do-2')
  assert.equal((await create(organization, 'To do!')).keyword, 'to-do-3')
})

test('Keyword rule 2: a member’s own label collides', async () => {
  const organization = await world.organization()
  assert.equal((await personalLabel(organization, 'Work')).keyword, 'work')
  assert.equal((await create(organization, 'Work')).keyword, 'work-2')
  assert.equal((await personalLabel(organization, 'Work')).keyword, 'work-3')
})

for (const name of ['Junk', 'Seen', 'forwarded', '$MDNSent', 'PHISHING']) {
  test(`Keyword rule 2: "${name}" is taken from the start`, async () => {
    assert.match((await create(await world.organization(), name)).keyword, /^[a-z]+-2$/)
  })
}

test('Keyword rule 3: a rename never changes the keyword', async () => {
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

test('Keyword rule 4: creating a label later with the same name recovers the same keyword', async () => {
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

test('Keyword rule 4: no other name takes the keyword of a deleted label', async () => {
  const organization = await world.organization()
  await remove(organization, await create(organization, 'To do'))
  assert.equal((await create(organization, 'To-do')).keyword, 'to-do-2')
  assert.equal((await personalLabel(organization, 'To do')).keyword, 'to-do-3')
  assert.equal((await create(organization, 'To do')).keyword, 'to-do')
})

test('Keyword rule 4: the keyword goes with the name that the label had when it was deleted', async () => {
  const organization = await world.organization()
  const label = await create(organization, 'Work')
  await organization.request('PATCH', `/v1/labels/${label.id}`, { name: 'Play' })
  await remove(organization, label)
  assert.equal((await create(organization, 'Work')).keyword, 'work-2')
  assert.equal((await create(organization, 'Play')).keyword, 'work')
})

test('Keyword rule 4: of two that were deleted under one name, the later one is recovered first', async () => {
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
  const { status, body } = await shared.request('PATCH', `/v1/labels/${label.id}`, { name: 'SAME LABEL' })
  assert.equal(status, 200)
  assert.equal(body.name, 'SAME LABEL')
})

test('PATCH with nothing to change is invalid_request', async () => {
  const label = await create(shared, 'Unchanged')
  const { status, body } = await shared.request('PATCH', `/v1/labels/${label.id}`, {})
  assert.equal(status, 400)
  assert.partialDeepStrictEqual(body.error, { code: 'invalid_request', message: 'Nothing to change' })
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

test('A personal label, another organization’s and one that never was answer the same', async () => {
  const organization = await world.organization()
  const personal = await personalLabel(organization, 'Own')
  const foreign = await create(await world.organization(), 'Foreign')
  for (const [method, body] of [
    ['PATCH', { colour: 'red' }],
    ['DELETE', undefined],
  ] as const) {
    const errors = []
    for (const id of [personal.id, foreign.id, randomUUID(), 'not-a-uuid']) {
      const answer = await organization.request(method, `/v1/labels/${id}`, body)
      assert.equal(answer.status, 404)
      const { request_id: _, ...error } = answer.body.error
      errors.push(error)
    }
    assert.deepEqual(errors, Array(4).fill({ code: 'not_found', message: 'No such label' }))
  }
  assert.deepEqual((await organization.request('GET', '/v1/labels')).body.data, [])
  assert.equal((await world.db.selectFrom('labels').selectAll().where('id', '=', personal.id).execute()).length, 1)
})

test('A shape that is wrong is 400 before an id that is not there is 404', async () => {
  const { status } = await shared.request('PATCH', `/v1/labels/${randomUUID()}`, { name: '' })
  assert.equal(status, 400)
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
  assert.equal((await personalLabel(organization, 'Own')).keyword, 'own')
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
