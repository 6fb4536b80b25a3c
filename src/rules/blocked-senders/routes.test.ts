// On both databases: many requests block one sender at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { mostBlocked } from './pattern.ts'

const world = await World.ofFile()

async function block(organization: TestOrganization, pattern: string) {
  return await organization.bodyOf(201, 'POST', '/v1/blocked-senders', { pattern })
}

async function list(organization: TestOrganization) {
  return (await organization.request('GET', '/v1/blocked-senders')).body.data
}

test('Blocking an already blocked pattern succeeds with 200 and changes nothing', async () => {
  const organization = await world.organization()
  const blocked = await block(organization, '@example.com')
  for (const pattern of ['@example.com', '@EXAMPLE.com'])
    assert.deepEqual(await organization.bodyOf(200, 'POST', '/v1/blocked-senders', { pattern }), blocked)
  assert.deepEqual(await list(organization), [blocked])
  await organization.bodyOf(200, 'DELETE', '/v1/blocked-senders/@example.com')
  assert.deepEqual(await list(organization), [])
})

test('The list is newest first', async () => {
  const organization = await world.organization()
  const [one, two, three] = [
    await block(organization, '@z.test'),
    await block(organization, 'b@m.test'),
    await block(organization, '@a.test'),
  ]
  assert.deepEqual(await list(organization), [three, two, one])
})

for (const [what, path] of [
  ['its id', ({ id }: { id: string }) => id],
  ['its id in upper case', ({ id }: { id: string }) => id.toUpperCase()],
  ['its pattern', () => 'joe+x/y@xn--bcher-kva.example'.replaceAll('/', '%2F')],
  ['its pattern, URL-encoded', () => encodeURIComponent('joe+x/y@xn--bcher-kva.example')],
  ['its pattern in another case', () => encodeURIComponent('JOE+X/Y@XN--bcher-kva.example')],
  ['its pattern in Unicode form', () => encodeURIComponent('joe+x/y@BÜCHER.example')],
] as const)
  test(`GET and DELETE accept ${what}`, async () => {
    const organization = await world.organization()
    const blocked = await block(organization, 'joe+x/y@bücher.example')
    assert.deepEqual(await organization.bodyOf(200, 'GET', `/v1/blocked-senders/${path(blocked)}`), blocked)
    const body = await organization.bodyOf(200, 'DELETE', `/v1/blocked-senders/${path(blocked)}`)
    assert.deepEqual(body, { deleted: true, id: blocked.id, pattern: 'joe+x/y@xn--bcher-kva.example' })
    assert.deepEqual(await list(organization), [])
  })

test('50 blocks of one pattern at once: one 201, 49 times 200, one record', async () => {
  const organization = await world.organization()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => organization.request('POST', '/v1/blocked-senders', { pattern: '@race.test' })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(49).fill(200), 201])
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
})

test(`An organization blocks at most ${mostBlocked} senders`, async () => {
  const organization = await world.organization()
  const patterns = Array.from({ length: mostBlocked - 1 }, (_, index) => ({ pattern: `@${index}.test` }))
  const of = { organization_id: organization.id, member_id: null }
  const rows = patterns.map((one) => ({ ...of, ...one }))
  await world.db.insertInto('blocked_senders').values(rows).execute()
  await block(organization, '@last.test')
  const { error } = await organization.bodyOf(400, 'POST', '/v1/blocked-senders', { pattern: '@more.test' })
  assert.equal(error.message, 'At most 10,000 senders can be blocked')
  assert.equal((await organization.request('POST', '/v1/blocked-senders', { pattern: '@last.test' })).status, 200)
  assert.equal((await list(organization)).length, mostBlocked)
})
