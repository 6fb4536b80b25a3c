import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

const message = { from: 'Ann Lee <ann@example.com>', to: 'support@tryout.test', subject: 'Invoice of May' }
const draft = { name: 'Draft', field: 'subject', op: 'contains', value: 'invoice', action: 'read' }

async function filter(organization: TestOrganization, fields: object) {
  const whole = { name: 'Ann', field: 'from', op: 'contains', value: 'ann', action: 'star', ...fields }
  return await organization.bodyOf(201, 'POST', '/v1/filters', whole)
}

async function attempt(organization: TestOrganization, body: object) {
  return await organization.bodyOf(200, 'POST', '/v1/filters/test', body)
}

test('POST /v1/filters/test says which filters match, on what text, what each would do, what the message ends as', async () => {
  const organization = await world.organization()
  await organization.request('POST', '/v1/labels', { name: 'Bills' })
  const bills = await filter(organization, { field: 'subject', value: 'INVOICE', action: 'label', argument: 'Bills' })
  await filter(organization, { name: 'Bob', value: 'bob' })
  const moved = await filter(organization, { op: 'is', value: 'ANN@example.com', action: 'move', argument: 'To/A' })
  const late = await filter(organization, { value: 'lee', action: 'move', argument: 'archive' })
  const off = await filter(organization, { enabled: false })
  const match = ({ id, ...rest }: typeof bills, matched_text: string, reason: string | null) => {
    const { name, field, op, value, action, argument } = rest
    const asked = { filter_id: id, name, field, op, value, action, argument }
    return { ...asked, matched_text, applied: reason === null, reason }
  }
  assert.deepEqual(await attempt(organization, { message }), {
    matches: [
      match(bills, 'Invoice of May', null),
      match(moved, 'ann@example.com', null),
      match(late, 'Ann Lee', 'earlier_move'),
      match(off, 'Ann Lee', 'disabled'),
    ],
    result: { folder: 'To/A', labels: ['bills'], starred: false, unread: true },
  })
})

test('A message that no filter matches stays as it would be', async () =>
  assert.deepEqual(await attempt(await world.organization(), { message }), {
    matches: [],
    result: { folder: 'inbox', labels: [], starred: false, unread: true },
  }))

test('A filter whose label is deleted matches and does nothing', async () => {
  const organization = await world.organization()
  const label = (await organization.request('POST', '/v1/labels', { name: 'Bills' })).body
  await filter(organization, { action: 'label', argument: 'bills' })
  await organization.request('DELETE', `/v1/labels/${label.id}`)
  const { matches, result } = await attempt(organization, { message })
  assert.deepEqual([matches[0].applied, matches[0].reason, result.labels], [false, 'label_deleted', []])
})

test('A draft runs after the stored filters, or at its position, and is not stored', async () => {
  const organization = await world.organization()
  await filter(organization, { action: 'move', argument: 'archive', position: 2 })
  const move = { ...draft, action: 'move', argument: 'junk' }
  const last = await attempt(organization, { message, filter: move })
  const [, { filter_id, reason }] = last.matches
  assert.deepEqual([filter_id, reason, last.result.folder], [null, 'earlier_move', 'archive'])
  const first = await attempt(organization, { message, filter: { ...move, position: 1 } })
  assert.deepEqual([first.matches[0].filter_id, first.matches[0].applied, first.result.folder], [null, true, 'junk'])
  const equal = await attempt(organization, { message, filter: { ...move, position: 2 } })
  assert.equal(equal.result.folder, 'archive')
  assert.equal((await organization.request('GET', '/v1/filters')).body.data.length, 1)
})

for (const [what, given] of [
  ['its fields', message],
  ['arrays of addresses', { ...message, from: ['Ann Lee <ann@example.com>', 'bob@example.com'], to: ['x@y.test'] }],
  ['one field alone', { subject: 'Your invoice' }],
  ['its text', 'From: =?utf-8?Q?Ann?= <ann@b.example>\r\nSubject: =?utf-8?Q?Inv?=\r\n =?utf-8?Q?oice?=\r\n\r\nHello'],
  ['its text with bare line feeds', 'From: Ann <ann@example.com>\nSubject: An invoice\n\nHello'],
] as const)
  test(`A message can be given as ${what}`, async () => {
    const { matches } = await attempt(await world.organization(), { message: given, filter: draft })
    assert.equal(matches.length, 1)
    assert.match(matches[0].matched_text, /invoice/i)
  })

test('A body of a message is not looked at', async () => {
  const raw = 'From: ann@example.com\r\n\r\nSubject: invoice\r\n'
  assert.deepEqual((await attempt(await world.organization(), { message: raw, filter: draft })).matches, [])
})
