import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Sink } from '#test/sockets/sink.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { until } from '#test/world/until.ts'
import { World } from '#test/world/world.ts'

let sink: Sink
let world: World
before(async () => {
  sink = await Sink.start()
  world = await World.start({ sink })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

/** Waits for so many events of sending: their types and recipients. */
async function readEvents(organization: TestOrganization, count: number): Promise<string[]> {
  const found: string[] = []
  let next = ''
  await until(async () => {
    const types = 'message.queued,message.delivered,message.deferred,message.bounced,scheduled,auto_reply'
    const { status, body } = await organization.request('GET', `/v1/events?types=${types}&wait=50${next}`)
    assert.equal(status, 200)
    for (const { type, sending } of body.data) {
      const addresses = (sending.recipients ?? []).map(({ address }: { address: string }) => address)
      found.push([type, ...addresses].join(' '))
    }
    next = `&after=${body.next}`
    return found.length >= count
  })
  assert.equal(found.length, count, found.join(', '))
  return found
}

async function withMailbox() {
  const organization = await world.organization()
  const { address } = await organization.mailbox('ada')
  const later = () => new Date(world.clock.now() + 600_000).toISOString()
  const message = { from: address, text: 'Hello' }
  const schedule = async (to: string) => {
    const { status, body } = await organization.request('POST', '/v1/scheduled', { ...message, to, send_at: later() })
    assert.equal(status, 201)
    return body.id as string
  }
  const send = (to: readonly string[]) => organization.request('POST', '/v1/send', { ...message, to })
  return { organization, address, schedule, send }
}

test('the outcome of each recipient of a sent message has an event', async () => {
  const { organization, send } = await withMailbox()
  sink.act = (step, { line }) => {
    if (step !== 'rcpt') return undefined
    if (line.includes('bob@')) return '451 4.7.1 Later'
    return line.includes('cy@') ? '550 5.1.1 Nobody' : undefined
  }
  assert.equal((await send(['ann@there.example', 'bob@there.example', 'cy@there.example'])).status, 202)
  await world.outbound.processAll()
  assert.deepEqual((await readEvents(organization, 4)).sort(), [
    'message.bounced cy@there.example',
    'message.deferred bob@there.example',
    'message.delivered ann@there.example',
    'message.queued ann@there.example bob@there.example cy@there.example',
  ])
  sink.act = () => undefined
  await world.advance(3_600_000)
  await world.outbound.processAll()
  assert.equal((await readEvents(organization, 5)).at(-1), 'message.delivered bob@there.example')
})

test('a scheduled message has events when it is created, cancelled and sent', async () => {
  const { organization, schedule } = await withMailbox()
  await schedule('ann@there.example')
  const cancelled = await schedule('ann@there.example')
  assert.equal((await organization.request('DELETE', `/v1/scheduled/${cancelled}`)).status, 200)
  await world.advance(700_000)
  await world.rounds.processAll()
  assert.deepEqual(await readEvents(organization, 5), [
    'scheduled.created',
    'scheduled.created',
    'scheduled.cancelled',
    'scheduled.sent',
    'message.delivered ann@there.example',
  ])
})

test('a scheduled message that everybody refuses has an event of its failure', async () => {
  const { organization, schedule } = await withMailbox()
  sink.act = (step) => (step === 'rcpt' ? '550 5.1.1 Nobody' : undefined)
  const id = await schedule('ann@there.example')
  await world.advance(700_000)
  await world.rounds.processAll()
  sink.act = () => undefined
  assert.deepEqual(await readEvents(organization, 2), ['scheduled.created', 'scheduled.failed'])
  const { data } = (await organization.request('GET', '/v1/events?types=scheduled.failed')).body
  assert.deepEqual([data[0].sending.id, /550 5.1.1 Nobody/.test(data[0].sending.reason)], [id, true])
})

test('an auto-reply has an event once it is delivered', async () => {
  const { organization, address } = await withMailbox()
  const settings = { mailbox: address, reply_body: 'I am away.', reply_enabled: true }
  assert.equal((await organization.request('PATCH', '/v1/forwarding', settings)).status, 200)
  world.dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  const from = 'ann@far.example'
  await world.send({ envelope: { from, to: address }, from, to: address, subject: 'Tea', text: 'Today?' })
  await world.outbound.processAll()
  assert.deepEqual(await readEvents(organization, 1), ['auto_reply.sent ann@far.example'])
})
