import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendMailOptions } from 'nodemailer'
import { now, readEvents } from '#test/events/furnished.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, sink, organization, ada } = await sendingWorld()
const eve = (await organization.mailbox('eve')).address
const bob = 'bob@there.example'
const minute = 60_000

/** A message that was sent, and one that is to follow it unless it is answered. */
async function followUp(change: object = {}): Promise<{ id: string; sent: string }> {
  const { body } = await organization.request('POST', '/v1/send', { from: ada, to: bob, text: 'Well?' })
  const later = await organization.request('POST', '/v1/scheduled', {
    ...{ from: ada, to: bob, text: 'Did you see this?', in_reply_to: body.message_id, unless_replied: true },
    send_at: new Date(world.clock.now() + minute).toISOString(),
    ...change,
  })
  assert.equal(later.status, 201, JSON.stringify(later.body))
  await world.outbound.processAll()
  sink.taken.length = 0
  return { id: later.body.id, sent: body.message_id }
}

async function statusOf(id: string): Promise<string | undefined> {
  return (await organization.request('GET', `/v1/scheduled/${id}`)).body.status
}

async function textsSent(): Promise<string[]> {
  await world.rounds.processAll()
  return sink.taken.splice(0).map(({ bytes }) => bytes.toString())
}

const answer = (sent: string, change: SendMailOptions = {}) =>
  world.send({ from: bob, to: ada, subject: 'Re:', text: 'Yes', inReplyTo: sent, ...change })

test('an answer cancels it, with an event, and it can still be sent', async () => {
  const { id, sent } = await followUp()
  const since = await now(world, { organization })
  await answer(sent)
  const { body } = await organization.request('GET', `/v1/scheduled/${id}`)
  assert.deepEqual(
    [body.status, body.unless_replied, body.last_error],
    ['cancelled', true, 'Somebody answered before it was due'],
  )
  const [{ sending }] = await readEvents({ organization }, 1, `?after=${since}&types=scheduled.cancelled`)
  assert.deepEqual(sending, { id, reason: 'Somebody answered before it was due' })
  const listed = async (status: string) =>
    (await organization.request('GET', `/v1/scheduled?status=${status}`)).body.data.map((one: { id: string }) => one.id)
  assert.deepEqual([await listed('cancelled'), await listed('failed'), await listed('pending')], [[id], [], []])
  await world.advance(2 * minute)
  assert.deepEqual(await textsSent(), [])
  assert.equal((await organization.request('DELETE', `/v1/scheduled/${id}`)).status, 400)
  const retried = await organization.request('POST', `/v1/scheduled/${id}/retry`)
  assert.deepEqual([retried.status, retried.body.status, retried.body.unless_replied], [200, 'pending', false])
  assert.equal((await textsSent()).length, 1)
})

for (const [what, change, status] of [
  ['an answer to another mailbox of the organization', { to: eve }, 'cancelled'],
  ['another message', { inReplyTo: '<other@there.example>' }, 'pending'],
  ['an answer of the organization itself', { from: eve }, 'pending'],
] as const satisfies [string, SendMailOptions, string][])
  test(`with ${what} it is ${status}`, async () => {
    const { id, sent } = await followUp()
    await answer(sent, change)
    assert.equal(await statusOf(id), status)
    await world.advance(2 * minute)
    assert.equal((await textsSent()).length, status === 'pending' ? 1 : 0)
  })

for (const [what, change, status] of [
  ['is refused where somebody has answered already', {}, 400],
  ['is refused where an answer came after the one that it follows', { names: 'both' }, 400],
  ['is taken where the answer is the message that it follows', { follows: true }, 201],
  ['is taken where the organization itself answered', { from: 'eve' }, 201],
  ['is taken where a program answered', { headers: { 'Auto-Submitted': 'auto-replied' } }, 201],
  ['without unless_replied is taken', { unless_replied: false }, 201],
] as const satisfies [string, object, number][])
  test(`what is to be sent unless replied ${what}`, async () => {
    const { from, headers, follows, names, unless_replied = true } = { from: 'bob', ...change } as Already
    const asked = { from: ada, to: bob, text: 'Well?' }
    const { message_id: sent } = await organization.bodyOf(202, 'POST', '/v1/send', asked)
    await world.outbound.processAll()
    const id = (number: number) => `<${number}.${sent.slice(1)}`
    await answer(sent, { messageId: id(1), ...(from === 'eve' && { from: eve }), ...(headers && { headers }) })
    if (names) await answer(sent, { messageId: id(2) })
    const referred = follows || names ? { in_reply_to: id(1), references: [sent, id(1)] } : { in_reply_to: sent }
    const send_at = new Date(world.clock.now() + minute).toISOString()
    const later = await organization.request('POST', '/v1/scheduled', {
      ...{ from: ada, to: bob, text: 'Did you see this?', unless_replied, send_at },
      ...referred,
    })
    assert.equal(later.status, status, JSON.stringify(later.body))
    if (status === 400) assert.equal(later.body.error.field, 'unless_replied')
    else await organization.request('DELETE', `/v1/scheduled/${later.body.id}`)
  })

interface Already {
  readonly from: string
  readonly headers?: Record<string, string>
  readonly follows?: boolean
  readonly names?: string
  readonly unless_replied?: boolean
}

test('without unless_replied an answer cancels nothing, and another organization’s cancels nothing either', async () => {
  const { id, sent } = await followUp({ unless_replied: false })
  await answer(sent)
  assert.equal(await statusOf(id), 'pending')
  const { address: foreign } = await world.mailbox('fay')
  const waiting = await followUp()
  await answer(waiting.sent, { to: foreign })
  assert.equal(await statusOf(waiting.id), 'pending')
  await world.advance(2 * minute)
  await textsSent()
})

test('a message that answers nothing cannot wait for an answer', async () => {
  const send_at = new Date(world.clock.now()).toISOString()
  const given = { from: ada, to: bob, text: 'Hello', send_at, unless_replied: true }
  const { error } = await organization.bodyOf(400, 'POST', '/v1/scheduled', given)
  assert.equal(error.field, 'unless_replied')
})

test('an answer that comes while it is sent cancels it or not, and never both', async () => {
  for (let round = 0; round < 8; round++) {
    const { id, sent } = await followUp({ send_at: new Date(world.clock.now()).toISOString() })
    const [texts] = await Promise.all([textsSent(), answer(sent)])
    const all = [...texts, ...(await textsSent())]
    const status = await statusOf(id)
    assert.deepEqual([all.length, status], status === 'cancelled' ? [0, 'cancelled'] : [1, undefined])
  }
})
