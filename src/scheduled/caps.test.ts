// On both databases: requests reach a cap at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/each.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const cap = 3
const most = 2 * 2 ** 20

const world = await World.ofFile()
const plan = { domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 1_000 }
await world.db
  .insertInto('plans')
  .values([
    { ...plan, name: 'few', scheduled_messages: cap },
    { ...plan, name: 'small', scheduled_bytes: most },
  ])
  .execute()

async function subscriber(plan: string): Promise<TestOrganization & { schedule: ReturnType<typeof scheduling> }> {
  const { organization, address } = await world.mailbox('ada', { plan })
  return Object.assign(organization, { schedule: scheduling(organization, address) })
}

const scheduling =
  (organization: TestOrganization, from: string) =>
  (text = 'Hello') =>
    organization.request('POST', '/v1/scheduled', {
      ...{ from, to: 'bob@there.example', text },
      send_at: new Date(world.clock.now() + 3_600_000).toISOString(),
    })

/** What is counted, which must be what is there. */
async function counted({ id }: TestOrganization): Promise<{ messages: number; bytes: number }> {
  const rows = await world.db
    .selectFrom('outbound_messages')
    .select('size_bytes')
    .where('kind', '=', 'scheduled')
    .where('organization_id', '=', id)
    .execute()
  const usage = await world.db
    .selectFrom('scheduled_usage')
    .select(['messages', 'bytes'])
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow()
  const bytes = rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  assert.deepEqual(usage, { messages: rows.length, bytes })
  return usage
}

test('as many are stored as the plan allows, and one that is cancelled makes room', async () => {
  const organization = await subscriber('few')
  const answers = []
  for (let n = 0; n <= cap; n++) answers.push(await organization.schedule())
  assert.deepEqual(each(answers, 'status'), [201, 201, 201, 402])
  const { error } = answers[cap]?.body ?? {}
  assert.deepEqual(
    [error.code, error.message],
    ['quota_exceeded', `The plan allows ${cap} scheduled messages at a time`],
  )
  await organization.request('DELETE', `/v1/scheduled/${answers[0]?.body.id}`)
  assert.equal((await organization.schedule()).status, 201)
  assert.equal((await counted(organization)).messages, cap)
})

test('of many at once no more are stored than the plan allows', async () => {
  const organization = await subscriber('few')
  const answers = await Promise.all(Array.from({ length: 12 }, () => organization.schedule()))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
    ...Array(cap).fill(201),
    ...Array(12 - cap).fill(402),
  ])
  assert.equal((await counted(organization)).messages, cap)
})

test('nor more bytes, and what is refused leaves none', async () => {
  const organization = await subscriber('small')
  assert.equal((await organization.schedule('x'.repeat(most / 2))).status, 201)
  const { status, body } = await organization.schedule('y'.repeat(most / 2))
  assert.deepEqual([status, body.error.message], [402, 'The plan allows 2 MiB of scheduled messages at a time'])
  assert.ok((await counted(organization)).bytes < most)
  const pieces = await world.db
    .selectFrom('outbound_pieces')
    .select('bytes')
    .where('message_id', 'not in', world.db.selectFrom('outbound_messages').select('id'))
    .execute()
  assert.deepEqual(pieces, [])
})

test('what was sent makes room', async () => {
  const organization = await subscriber('few')
  for (let n = 0; n < cap; n++) assert.equal((await organization.schedule()).status, 201)
  await world.db
    .updateTable('outbound_messages')
    .set({ send_at: new Date(world.clock.now()) })
    .where('organization_id', '=', organization.id)
    .execute()
  await world.db
    .updateTable('outbound_recipients')
    .set({ recipient: await inbox(organization) })
    .where('organization_id', '=', organization.id)
    .execute()
  await world.rounds.processAll()
  assert.deepEqual(await counted(organization), { messages: 0, bytes: 0 })
  assert.equal((await organization.schedule()).status, 201)
})

async function inbox(organization: TestOrganization): Promise<string> {
  return (await organization.mailbox('bea')).address
}
