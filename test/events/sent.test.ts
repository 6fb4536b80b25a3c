import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropWaiting } from '#/out/queue/waiting.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import { logged } from './logged.ts'

const { world, sink } = await sendingWorld()

/** Ann's server accepts, Bob's defers, Cy's refuses. */
const thatDiffer = (step: string, { line }: { line: string }) => {
  if (step !== 'rcpt') return undefined
  if (line.includes('bob@')) return '451 4.7.1 Later'
  return line.includes('cy@') ? '550 5.1.1 Nobody' : undefined
}

async function withMailbox() {
  const { organization, address } = await world.mailbox('ada')
  const send = async (to: string | readonly string[], from = address) => {
    const body = await organization.bodyOf(202, 'POST', '/v1/send', { from, to, text: 'Hello' })
    return body.id as string
  }
  const sent = (id: string) => organization.bodyOf(200, 'GET', `/v1/sent/${id}`)
  const list = (query: Record<string, string> = {}) =>
    organization.bodyOf(200, 'GET', `/v1/sent?${new URLSearchParams(query)}`)
  const ids = async (query?: Record<string, string>) => idsOf(await list(query))
  return { organization, address, send, sent, list, ids }
}

const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id)

interface Shown {
  readonly address: string
  readonly state: string
}

const states = (recipients: readonly Shown[]) =>
  recipients.map(({ address, state }) => `${address.split('@')[0]} ${state}`).sort()

const all = ['ann@there.example', 'bob@there.example', 'cy@there.example']

test('each recipient is shown with what became of it, until it is delivered or given up', async () => {
  const { organization, address, send, sent } = await withMailbox()
  sink.act = () => '421 4.3.2 Not now'
  const id = await send(all)
  await world.outbound.processAll()
  assert.deepEqual(states((await sent(id)).recipients), ['ann deferred', 'bob deferred', 'cy deferred'])
  sink.act = thatDiffer
  await world.advance(3_600_000)
  await world.outbound.processAll()
  const { mailbox, from, recipients } = await sent(id)
  assert.deepEqual([mailbox, from], [address, address])
  assert.deepEqual(states(recipients), ['ann delivered', 'bob deferred', 'cy bounced'])
  const of = (name: string) => recipients.find(({ address }: Shown) => address.startsWith(name))
  assert.deepEqual([of('ann').code, of('ann').reason, of('ann').next_attempt_at], ['2.0.0', null, null])
  assert.match(of('ann').reply, /^250 /)
  assert.ok(of('ann').at)
  assert.deepEqual([of('cy').code, of('cy').reply], ['5.1.1', '550 5.1.1 Nobody'])
  assert.ok(of('cy').reason)
  assert.deepEqual([of('bob').at, of('bob').reply], [null, '451 4.7.1 Later'])
  assert.ok(Date.parse(of('bob').next_attempt_at) > world.clock.now())
  sink.act = () => undefined
  await world.advance(3_600_000)
  await world.outbound.processAll()
  assert.deepEqual(states((await sent(id)).recipients), ['ann delivered', 'bob delivered', 'cy bounced'])
  const events = await logged(organization, 'message.queued,message.deferred,message.delivered,message.bounced')
  const told = events.map(({ type, sending }) =>
    [type.split('.')[1], ...sending.recipients.map((one: Shown) => one.address.split('@')[0])].join(' '),
  )
  assert.deepEqual(told.sort(), [
    ...['bounced cy', 'deferred ann bob cy', 'deferred bob', 'delivered ann', 'delivered bob', 'queued ann bob cy'],
  ])
})

test('the list has the newest first, and goes on by its cursor', async () => {
  const { send, list, ids } = await withMailbox()
  sink.act = () => undefined
  const made: string[] = []
  for (let count = 0; count < 5; count++) {
    made.unshift(await send('ann@there.example'))
    await world.advance(1_000)
  }
  await world.outbound.processAll()
  sink.act = () => '421 4.3.2 Not now'
  made.unshift(await send('ann@there.example'))
  await world.outbound.processAll()
  assert.deepEqual(await ids(), made)
  const pages: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list({ limit: '4', cursor })
    pages.push(...idsOf(page))
    cursor = page.next_cursor
  }
  assert.deepEqual(pages, made)
})

test('the list is narrowed by state, mailbox, recipient and time', async () => {
  const { organization, address, send, ids } = await withMailbox()
  const other = (await organization.mailbox('grace')).address
  sink.act = thatDiffer
  const early = await send(['ann@there.example', 'cy@there.example'])
  await world.outbound.processAll()
  await world.advance(60_000)
  const since = new Date(world.clock.now()).toISOString()
  const late = await send('Bob@There.example', other)
  await world.outbound.processAll()
  for (const [query, expected] of [
    [{ state: 'delivered' }, [early]],
    [{ state: 'bounced' }, [early]],
    [{ state: 'deferred' }, [late]],
    [{ state: 'queued' }, []],
    [{ state: 'complained' }, []],
    [{ mailbox: address }, [early]],
    [{ mailbox: other }, [late]],
    [{ recipient: 'cy@there.example' }, [early]],
    [{ recipient: 'BOB@there.example' }, [late]],
    [{ recipient: 'nobody@there.example' }, []],
    [{ since }, [late]],
    [{ state: 'bounced', mailbox: address, recipient: 'cy@there.example', since: '2020-01-01T00:00:00Z' }, [early]],
    [{ state: 'bounced', recipient: 'ann@there.example' }, []],
  ] as const)
    assert.deepEqual(await ids(query), expected, JSON.stringify(query))
})

test('a scheduled message is here from its first attempt on, unless it has failed', async () => {
  const { organization, address, sent } = await withMailbox()
  const schedule = async (to: string) => {
    const send_at = new Date(world.clock.now() + 600_000).toISOString()
    const { body } = await organization.request('POST', '/v1/scheduled', { from: address, to, text: 'Hello', send_at })
    return body.id as string
  }
  const status = async (id: string) => (await organization.request('GET', `/v1/sent/${id}`)).status
  const ids = await Promise.all(all.map(schedule))
  const [ann = '', bob = '', cy = ''] = ids
  for (const id of ids) assert.equal(await status(id), 404)
  sink.act = thatDiffer
  await world.advance(700_000)
  await world.rounds.processAll()
  assert.deepEqual(states((await sent(ann)).recipients), ['ann delivered'])
  assert.deepEqual(states((await sent(bob)).recipients), ['bob deferred'])
  assert.equal(await status(cy), 404)
})

test('what the operator drops is given up', async () => {
  const { send, sent } = await withMailbox()
  sink.act = thatDiffer
  const id = await send(['ann@there.example', 'bob@there.example'])
  await world.outbound.processAll()
  await world.db.transaction().execute((tx) => dropWaiting(tx, id))
  const { recipients } = await sent(id)
  assert.deepEqual(states(recipients), ['ann delivered', 'bob bounced'])
  const { reason } = recipients.find(({ state }: Shown) => state === 'bounced')
  assert.equal(reason, 'Removed from the queue by the operator')
})

test('one who bounces and has no mailbox to be told of is still kept', async () => {
  const { organization, address, send, sent } = await withMailbox()
  sink.act = () => '421 4.3.2 Not now'
  const id = await send('cy@there.example')
  await world.outbound.processAll()
  await world.db.deleteFrom('mailboxes').where('organization_id', '=', organization.id).execute()
  sink.act = thatDiffer
  await world.advance(3_600_000)
  await world.outbound.processAll()
  const { mailbox, from, recipients } = await sent(id)
  assert.deepEqual([mailbox, from, states(recipients)], [null, address, ['cy bounced']])
})
