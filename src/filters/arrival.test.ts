import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { addFilter } from './changes.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

async function filter(organization: TestOrganization, fields: object) {
  const whole = { name: 'Ann', field: 'from', op: 'contains', value: 'ann', action: 'star', ...fields }
  const answer = await organization.request('POST', '/v1/filters', whole)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

async function label(organization: TestOrganization, name: string) {
  const answer = await organization.request('POST', '/v1/labels', { name })
  assert.equal(answer.status, 201)
  return answer.body
}

async function mailbox(organization: TestOrganization, localPart: string) {
  const { id, address } = await organization.mailbox(localPart)
  return { ref: { organizationId: organization.id, mailboxId: id }, address }
}

/** The one message in the folder, as filters left it. */
async function arrived({ ref }: Awaited<ReturnType<typeof mailbox>>, folder: string) {
  const { messages } = await world.mailHost.list(ref, folder, { limit: 10, page: 0 })
  assert.equal(messages.length, 1, `one message in ${folder}`)
  const { uid = 0, seen, flagged, keywords } = messages[0] ?? {}
  const stored = await world.mailHost.read(ref, folder, uid)
  return { seen, flagged, keywords, filteredBy: stored?.filteredBy }
}

test('19. Two moves match: the first in the list wins; labels, star and read add up; a disabled filter never runs', async () => {
  const organization = await world.organization()
  const ada = await mailbox(organization, 'ada')
  for (const name of ['One', 'Two', 'Three']) await label(organization, name)
  const acting = [
    await filter(organization, { action: 'label', argument: 'one' }),
    await filter(organization, { action: 'move', argument: 'Projects/Apollo' }),
    await filter(organization, { field: 'subject', op: 'is', value: 'hello', action: 'read' }),
    await filter(organization, { field: 'to', op: 'is', value: ada.address, action: 'label', argument: 'two' }),
    await filter(organization, { action: 'star' }),
  ]
  await filter(organization, { action: 'move', argument: 'trash' })
  await filter(organization, { action: 'label', argument: 'three', enabled: false, position: 0 })
  await world.send({ from: 'Ann <ann@example.com>', to: ada.address, subject: 'Hello', text: 'Hi' })
  assert.deepEqual(await arrived(ada, 'Projects/Apollo'), {
    seen: true,
    flagged: true,
    keywords: ['one', 'two'],
    filteredBy: acting.map(({ id, name, action, argument }) => ({ filter_id: id, name, action, argument })),
  })
})

for (const [what, subject] of [
  ['RFC 2047', '=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus?= =?utf-8?Q?_K=C3=B6ln?='],
  ['8-bit', 'Grüße aus Köln'],
  ['folded', 'Grüße\r\n aus Köln'],
] as const) {
  test(`20. A subject in ${what} matches by its decoded text`, async () => {
    const organization = await world.organization()
    const ada = await mailbox(organization, 'ada')
    await filter(organization, { field: 'subject', op: 'is', value: 'GRÜSSE AUS KÖLN' })
    const raw = `From: ann@example.com\r\nTo: ${ada.address}\r\nSubject: ${subject}\r\n\r\nHi\r\n`
    await world.send({ envelope: { from: 'ann@example.com', to: ada.address }, raw })
    assert.equal((await arrived(ada, 'inbox')).flagged, true)
  })
}

test('20. "is a@b.c" does not match a display name', async () => {
  const organization = await world.organization()
  const ada = await mailbox(organization, 'ada')
  await filter(organization, { op: 'is', value: 'a@b.c' })
  await world.send({ from: { name: 'a@b.c', address: 'x@example.com' }, to: ada.address, subject: 'Hello', text: 'Hi' })
  assert.equal((await arrived(ada, 'inbox')).flagged, false)
})

test('A message to several mailboxes of an organization is filtered for each', async () => {
  const organization = await world.organization()
  const [ada, bob] = [await mailbox(organization, 'ada'), await mailbox(organization, 'bob')]
  await filter(organization, { field: 'to', op: 'is', value: bob.address, action: 'move', argument: 'archive' })
  const envelope = { from: 'ann@example.com', to: [ada.address, bob.address] }
  await world.send({ envelope, from: 'ann@example.com', to: 'undisclosed-recipients:;', subject: 'Hello', text: 'Hi' })
  assert.deepEqual((await arrived(ada, 'inbox')).filteredBy, [])
  assert.equal((await arrived(bob, 'archive')).filteredBy?.length, 1)
})

test('Another organization’s filters do not touch this one’s copy of a message', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  const [ada, bob] = [await mailbox(one, 'ada'), await mailbox(other, 'bob')]
  await filter(other, {})
  await world.send({ from: 'ann@example.com', to: [ada.address, bob.address], subject: 'Hello', text: 'Hi' })
  assert.deepEqual([(await arrived(ada, 'inbox')).flagged, (await arrived(bob, 'inbox')).flagged], [false, true])
})

test('A member’s personal filters run after the organization’s, on that member’s mailbox alone', async () => {
  const organization = await world.organization()
  const member = await organization.member(`ada@${organization.domain}`)
  const [ada, bob] = [await mailbox(organization, 'ada'), await mailbox(organization, 'bob')]
  const owner = { organizationId: organization.id, memberId: member.id }
  const own = { name: 'Own', field: 'from', op: 'contains', value: 'ann', enabled: true, position: 0 } as const
  await world.db.transaction().execute(async (tx) => {
    await addFilter(tx, owner, { ...own, action: 'move', argument: 'archive' }, byOperator)
    await addFilter(tx, owner, { ...own, action: 'star', argument: null }, byOperator)
  })
  const message = { from: 'ann@example.com', to: [ada.address, bob.address], subject: 'Hello', text: 'Hi' }
  await world.send(message)
  assert.equal((await arrived(ada, 'archive')).flagged, true)
  assert.equal((await arrived(bob, 'inbox')).flagged, false)
  await filter(organization, { action: 'move', argument: 'junk', position: 5 })
  await world.send({ ...message, subject: 'Again' })
  assert.equal((await arrived(ada, 'junk')).flagged, true)
})

test('A filter whose label is deleted leaves arriving mail alone', async () => {
  const organization = await world.organization()
  const ada = await mailbox(organization, 'ada')
  const { id } = await label(organization, 'Work')
  await filter(organization, { action: 'label', argument: 'work' })
  await organization.request('DELETE', `/v1/labels/${id}`)
  await world.send({ from: 'ann@example.com', to: ada.address, subject: 'Hello', text: 'Hi' })
  assert.deepEqual(await arrived(ada, 'inbox'), { seen: false, flagged: false, keywords: [], filteredBy: [] })
})
