// On both databases: workers claim messages at once.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { insertDue, oneEach } from '#test/world/mail/due-mail.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const relay = new AcceptingRelay()
let organization: TestOrganization
let address: string
const world = await World.ofFile({ relay })
await world.db
  .insertInto('plans')
  .values({ name: 'three', domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 3 })
  .execute()
beforeEach(async () => {
  relay.taken.length = 0
  organization = await world.organization()
  address = (await organization.mailbox('ada')).address
})

/** Schedules so many messages that are due, one recipient each, and answers their ids. */
async function schedule(count: number): Promise<string[]> {
  const due = oneEach(count, new Date()).map((one, n) => ({ ...one, sendAt: new Date(world.clock.now() - 1_000 + n) }))
  await insertDue(world.db, { organizationId: organization.id, address }, due)
  return due.map(({ id }) => id)
}

async function listed(): Promise<Map<string, { status: string; last_error: string | null }>> {
  const { data } = (await organization.request('GET', '/v1/scheduled')).body
  return new Map(data.map(({ id, ...rest }: { id: string; status: string; last_error: string | null }) => [id, rest]))
}

const sent = () => relay.taken.map((recipient) => recipient.split('@')[0] ?? '').toSorted()
const sentToday = async () => (await organization.request('GET', '/v1/usage')).body.sending.sent_today
const total = async () => (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=sent`)).body.total

test('many that are due together are sent, each once and with its copy in Sent', async () => {
  const ids = await schedule(130)
  await world.rounds.processAll()
  assert.deepEqual([sent(), await total(), await sentToday()], [ids.toSorted(), 130, 130])
  assert.equal((await listed()).size, 0)
})

test('a message that cannot be dated is deferred alone, and the others are sent in the same round', async () => {
  const ids = await schedule(6)
  const [broken = '', ...others] = ids.toSorted()
  await world.db
    .updateTable('outbound_pieces')
    .set({ bytes: Buffer.from('Subject: No date\r\n\r\n'), sealed: false })
    .where('message_id', '=', broken)
    .execute()
  await world.rounds.processAll()
  assert.deepEqual([sent(), await sentToday()], [others, 5])
  const left = await listed()
  assert.deepEqual([...left.keys()], [broken])
  const last_error = 'Internal error; the next attempt is made in the next round'
  assert.partialDeepStrictEqual(left.get(broken), { status: 'sending', last_error })
})

test('where the day has room for some of them, as many go, and it is not passed', async () => {
  await world.db.updateTable('organizations').set({ plan: 'three' }).where('id', '=', organization.id).execute()
  const ids = await schedule(5)
  await world.rounds.processAll()
  assert.deepEqual([sent(), await sentToday()], [ids.slice(0, 3).toSorted(), 3])
  const left = await listed()
  for (const id of ids.slice(3)) assert.equal(left.get(id)?.last_error, 'Daily sending allowance reached')
})

test('where the copies cannot be stored together none is sent twice, and each is there in the end', async () => {
  const ids = await schedule(3)
  const removed = ids[1] ?? ''
  // Its mailbox is deleted between the claim and the end.
  const gone = await organization.mailbox('bea')
  await world.db
    .updateTable('outbound_messages')
    .set({ mailbox_id: gone.id, sender: gone.address })
    .where('id', '=', removed)
    .execute()
  relay.gate = async () => {
    relay.gate = async () => {}
    await world.db.deleteFrom('mail_folders').where('mailbox_id', '=', gone.id).execute()
    await world.db.deleteFrom('mailboxes').where('id', '=', gone.id).execute()
  }
  await world.rounds.processAll()
  assert.deepEqual([sent(), await total(), (await listed()).size], [ids.toSorted(), 2, 0])
})
