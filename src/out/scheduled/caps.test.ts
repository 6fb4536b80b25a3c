// On both databases: requests reach a cap at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const cap = 3
const most = 2 * 2 ** 20

const world = await World.ofFile()
const plan = { domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 1_000 }
const few = { ...plan, name: 'few', scheduled_messages: cap }
await world.db
  .insertInto('plans')
  .values([few, { ...plan, name: 'small', scheduled_bytes: most }])
  .execute()

/** An organization that schedules messages in an hour. */
async function subscriber(plan: string) {
  const { organization, address: from } = await world.mailbox('ada', { plan })
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  const schedule = (text = 'Hello') =>
    organization.request('POST', '/v1/scheduled', { from, to: 'bob@there.example', text, send_at })
  return Object.assign(organization, { schedule })
}

/** What is counted, which must be what is there. */
async function counted({ id }: TestOrganization): Promise<{ messages: number; bytes: number }> {
  const { db } = world
  const messages = db.selectFrom('outbound_messages').select('size_bytes').where('kind', '=', 'scheduled')
  const rows = await messages.where('organization_id', '=', id).execute()
  const counts = db.selectFrom('scheduled_usage').select(['messages', 'bytes']).where('organization_id', '=', id)
  const usage = await counts.executeTakeFirstOrThrow()
  const bytes = rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  assert.deepEqual(usage, { messages: rows.length, bytes })
  return usage
}

test('as many are stored as the plan allows, and one that is cancelled makes room', async () => {
  const organization = await subscriber('few')
  const answers = []
  for (let n = 0; n <= cap; n++) answers.push(await organization.schedule())
  assert.deepEqual(each(answers, 'status'), [201, 201, 201, 402])
  const { code, message } = answers[cap]?.body.error ?? {}
  assert.deepEqual([code, message], ['quota_exceeded', `The plan allows ${cap} scheduled messages at a time`])
  await organization.request('DELETE', `/v1/scheduled/${answers[0]?.body.id}`)
  assert.equal((await organization.schedule()).status, 201)
  assert.equal((await counted(organization)).messages, cap)
})

test('of many at once no more are stored than the plan allows', async () => {
  const organization = await subscriber('few')
  const answers = await Promise.all(Array.from({ length: 12 }, () => organization.schedule()))
  const refused = answers.filter(({ status }) => status === 402)
  assert.equal(refused.length, 12 - cap)
  assert.equal((await counted(organization)).messages, cap)
})

test('nor more bytes, and what is refused leaves none', async () => {
  const organization = await subscriber('small')
  assert.equal((await organization.schedule('x'.repeat(most / 2))).status, 201)
  const { status, body } = await organization.schedule('y'.repeat(most / 2))
  assert.deepEqual([status, body.error.message], [402, 'The plan allows 2 MiB of scheduled messages at a time'])
  assert.ok((await counted(organization)).bytes < most)
  const stored = world.db.selectFrom('outbound_messages').select('id')
  const pieces = await world.db
    .selectFrom('outbound_pieces')
    .select('bytes')
    .where('message_id', 'not in', stored)
    .execute()
  assert.deepEqual(pieces, [])
})

test('what was sent makes room', async () => {
  const organization = await subscriber('few')
  for (let n = 0; n < cap; n++) assert.equal((await organization.schedule()).status, 201)
  const recipient = (await organization.mailbox('bea')).address
  const { id } = organization
  const send_at = new Date(world.clock.now())
  await world.db.updateTable('outbound_messages').set({ send_at }).where('organization_id', '=', id).execute()
  await world.db.updateTable('outbound_recipients').set({ recipient }).where('organization_id', '=', id).execute()
  await world.rounds.processAll()
  assert.deepEqual(await counted(organization), { messages: 0, bytes: 0 })
  assert.equal((await organization.schedule()).status, 201)
})
