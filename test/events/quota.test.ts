import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { logged } from './logged.ts'

const world = await World.ofFile()

async function organizationOn(plan: { storage_bytes: number; sends_per_day: number }): Promise<TestOrganization> {
  const name = `plan-${plan.storage_bytes}-${plan.sends_per_day}`
  await world.db
    .insertInto('plans')
    .values({ name, domains: 5, mailboxes: 5, ...plan })
    .execute()
  return await world.organization({ plan: name })
}

interface Told {
  readonly mailbox: string | null
  readonly percent?: number
}

async function readEvents(organization: TestOrganization, options: { key?: string } = {}): Promise<Told[]> {
  const data = await logged(organization, 'quota', options)
  return data.map(({ mailbox, quota }) => ({ mailbox, ...quota }))
}

const storage = { mailbox: null, quota: 'storage', limit: 10_000 }
const sending = { mailbox: null, quota: 'sending', limit: 5 }

test('storage has an event at 80 and at 100 percent, and again after it has been below', async () => {
  const organization = await organizationOn({ storage_bytes: 10_000, sends_per_day: 0 })
  const { id, address } = await organization.mailbox('ada')
  const arrive = async () =>
    assert.equal(await hand(world, 'ann@peer.example', address, letter({}, filling)), '250 2.6.0')
  const percents = async () => (await readEvents(organization)).map(({ percent }) => percent)
  const filling = `${'x'.repeat(76)}\r\n`.repeat(26)
  for (let count = 0; count < 3; count++) await arrive()
  assert.deepEqual(await percents(), [])
  await arrive()
  const { body } = await organization.request('GET', '/v1/usage')
  assert.deepEqual(await readEvents(organization), [{ ...storage, percent: 80, used: body.storage.used_bytes }])
  await arrive()
  assert.deepEqual(await percents(), [80, 100])
  assert.equal(await hand(world, 'ann@peer.example', address), '452 4.2.2')
  const listed = (await organization.request('GET', `/v1/messages?mailbox=${address}`)).body.data
  const uids = listed.slice(0, 2).map(({ uid }: { uid: number }) => uid)
  await expungeMessages(world.db, { organizationId: organization.id, mailboxId: id }, 'inbox', uids, byOperator)
  await arrive()
  await arrive()
  assert.deepEqual(await percents(), [80, 100, 80, 100])
})

test('the allowance has events as it is used up, for those who see the organization’s usage', async () => {
  const organization = await organizationOn({ storage_bytes: 1_000_000, sends_per_day: 5 })
  const { id, address } = await organization.mailbox('ada')
  const send = (recipients: number) => {
    const to = Array.from({ length: recipients }, (_, index) => `b${index}@there.example`)
    return organization.request('POST', '/v1/send', { from: address, to, subject: 'x', text: 'x' })
  }
  assert.equal((await send(3)).status, 202)
  assert.deepEqual(await readEvents(organization), [])
  assert.equal((await send(3)).status, 402)
  assert.deepEqual(await readEvents(organization), [])
  assert.equal((await send(2)).status, 202)
  assert.deepEqual(await readEvents(organization), [
    { ...sending, percent: 80, used: 5 },
    { ...sending, percent: 100, used: 5 },
  ])
  assert.deepEqual(await readEvents(organization, { key: await organization.restrictedKey({ mailbox_ids: [id] }) }), [])
})
