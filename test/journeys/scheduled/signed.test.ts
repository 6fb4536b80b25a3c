import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { messageDate } from '#/mime/header/date.ts'
import { signaturesOf } from '#/outbound/compose/sign.ts'
import { octetsInOnePiece } from '#/queue/message.ts'
import { mailKey } from '#test/world/installation.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const minute = 60_000

const { world, sink } = await sendingWorld()

/** What an organization schedules for in a minute, and the octets that are stored. */
async function scheduled(organization: TestOrganization) {
  const { address: from } = await organization.mailbox('ada')
  const sendAt = new Date(world.clock.now() + minute)
  const { status, body } = await organization.request('POST', '/v1/scheduled', {
    ...{ from, to: 'bob@there.example', subject: 'Grüße', text: 'Hello', send_at: sendAt.toISOString() },
  })
  assert.equal(status, 201)
  const stored = (await octetsInOnePiece(world.db, mailKey, [{ id: body.id, sizeBytes: 0 }])).get(body.id)
  assert.ok(stored)
  return { id: body.id as string, sendAt, stored }
}

/** What the sink is given so much later, with its Date; signed twice, and both signatures hold. */
async function sentAfter(milliseconds: number) {
  await world.advance(milliseconds)
  await world.rounds.processAll()
  const [taken, ...more] = sink.taken.splice(0)
  assert.ok(taken)
  assert.deepEqual(more, [])
  const resolver = (name: string) => world.dns.txt(name)
  const { results } = await dkimVerify(taken.bytes, { resolver, curTime: new Date(world.clock.now()) })
  assert.deepEqual(
    results.map(({ status }) => status.result),
    ['pass', 'pass'],
  )
  return { octets: taken.bytes, date: /^Date: (.*)\r$/m.exec(taken.bytes.toString('latin1'))?.[1] }
}

const selectorsOf = (octets: Buffer) => signaturesOf(octets).selectors.toSorted()
const now = () => messageDate(new Date(world.clock.now()))

test('a message sent in time has the Date of that time and the octets signed when it was scheduled', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { sendAt, stored } = await scheduled(organization)
  const { octets, date } = await sentAfter(16 * minute)
  assert.equal(date, messageDate(sendAt))
  assert.deepEqual(octets, stored)
})

test('a message sent late is dated and signed again, once', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { stored } = await scheduled(organization)
  const { octets, date } = await sentAfter(16 * minute + 1)
  assert.equal(date, now())
  assert.deepEqual(selectorsOf(octets), selectorsOf(stored))
  assert.notDeepEqual(octets, stored)
})

test('what was signed with keys that have been followed by others is signed with those alone', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { stored } = await scheduled(organization)
  await signingDomain(world, organization)
  const { octets } = await sentAfter(minute)
  assert.equal(selectorsOf(octets).length, 2)
  for (const one of selectorsOf(octets)) assert.ok(!selectorsOf(stored).includes(one), one)
})

test('a message scheduled before its domain had keys is signed when it is sent', async () => {
  const organization = await world.organization()
  const { stored } = await scheduled(organization)
  assert.deepEqual(selectorsOf(stored), [])
  await signingDomain(world, organization)
  await sentAfter(minute)
})

test('a failed message that is retried has another Date, however soon', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { id } = await scheduled(organization)
  sink.act = (step) => (step === 'rcpt' ? '550 5.1.1 Nobody' : undefined)
  await world.advance(minute)
  await world.rounds.processAll()
  sink.act = () => undefined
  await world.advance(minute)
  assert.equal((await organization.request('POST', `/v1/scheduled/${id}/retry`)).status, 200)
  const { date } = await sentAfter(minute)
  assert.equal(date, now())
})
