import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { SmarthostRelay } from '#/adapters/relay/smarthost.ts'
import { Sink } from '../sink.ts'
import { type TestOrganization, World } from '../world.ts'

let sink: Sink
let world: World
let organization: TestOrganization
let count = 0
before(async () => {
  sink = await Sink.start()
  const peer = { host: '127.0.0.1', address: '127.0.0.1', port: sink.port, tls: 'never' } as const
  world = await World.start({ relay: new SmarthostRelay({ peer, name: 'mx.mailroom.test' }) })
  organization = await world.organization({ plan: 'self_hosted' })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})
afterEach(() => {
  sink.act = () => undefined
  sink.taken.length = 0
})

const author = 'author@far.example'

async function mailbox(): Promise<string> {
  return (await organization.mailbox(`box${++count}`)).address
}

function configure(address: string, change: object) {
  return organization.request('PATCH', '/v1/forwarding', { mailbox: address, ...change })
}

async function forwarding(to: string): Promise<string> {
  const address = await mailbox()
  assert.equal((await configure(address, { forward_to: to, forward_enabled: true })).status, 200)
  return address
}

async function folder(address: string, name = 'inbox') {
  return (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=${name}`)).body
}

const write = (to: string | string[], more: object = {}) =>
  world.send({ envelope: { from: author, to }, from: author, to, subject: 'Hello', text: 'Hello', ...more })

test('a copy goes on with its bytes, under a sender of ours, and a copy stays', async () => {
  const ada = await forwarding('ada@away.example')
  const raw = `From: Author <${author}>\r\nTo: ${ada}\r\nSubject: As\tit is \r\nMessage-ID: <1@far>\r\n\r\n.dot\r\n`
  await world.send({ envelope: { from: author, to: ada }, raw })
  await world.outbound.processAll()
  const [taken, ...others] = sink.taken
  assert.ok(taken)
  assert.deepEqual([others, taken.to], [[], ['ada@away.example']])
  assert.match(taken.from, new RegExp(`^SRS0=[0-9a-f]{8}=[a-z2-7]{2}=far\\.example=author@${organization.domain}$`))
  const text = taken.bytes.toString()
  assert.ok(text.endsWith(raw), text)
  assert.match(text, new RegExp(`^Delivered-To: ${ada}\r\nMailroom-Relayed: `))
  assert.equal((await folder(ada)).total, 1)
})

test('what comes back to that sender goes to its author, and nothing else does', async () => {
  const ada = await forwarding('ada@away.example')
  await write(ada)
  await world.outbound.processAll()
  const back = sink.taken.splice(0)[0]?.from ?? ''
  const bounce = { from: 'mailer-daemon@away.example', subject: 'Undelivered', text: 'Sorry' }
  const shouted = back.toUpperCase()
  for (const address of [back, shouted]) {
    await world.send({ ...bounce, envelope: { from: '', to: address } })
    await world.outbound.processAll()
    const [taken] = sink.taken.splice(0)
    assert.deepEqual([taken?.from, taken?.to[0]?.toLowerCase()], ['', author])
  }
  await assert.rejects(world.send({ ...bounce, envelope: { from: 'x@y.example', to: back } }), /550 5\.7\.1/)
  const forged = back.replace(/=([0-9a-f])/, (_, digit: string) => (digit === '0' ? '=1' : '=0'))
  await assert.rejects(world.send({ ...bounce, envelope: { from: '', to: forged } }), /550 5\.1\.1/)
  await world.advance(22 * 86_400_000)
  await assert.rejects(world.send({ ...bounce, envelope: { from: '', to: back } }), /550 5\.1\.1/)
})

test('an author whose address is too long gets bounces too', async () => {
  const ada = await forwarding('ada@away.example')
  const long = `${'a'.repeat(60)}@${'far.'.repeat(10)}example`
  await write(ada, { envelope: { from: long, to: ada } })
  await world.outbound.processAll()
  const back = sink.taken.splice(0)[0]?.from ?? ''
  assert.match(back, /^srs=[0-9a-f]{32}@/)
  await world.send({ envelope: { from: '', to: back }, from: 'm@away.example', subject: 'Undelivered', text: 'Sorry' })
  await world.outbound.processAll()
  assert.deepEqual(sink.taken[0]?.to, [long])
})

test('the null sender stays null', async () => {
  const ada = await forwarding('ada@away.example')
  await write(ada, { envelope: { from: '', to: ada } })
  await world.outbound.processAll()
  assert.deepEqual(
    sink.taken.map(({ from }) => from),
    [''],
  )
})

test('row 21: two that forward to each other store one copy each, and nothing goes out', async () => {
  const [a, b] = [await mailbox(), await mailbox()]
  await configure(a, { forward_to: b, forward_enabled: true })
  await configure(b, { forward_to: a, forward_enabled: true })
  await write(a)
  await world.outbound.processAll()
  assert.deepEqual([(await folder(a)).total, (await folder(b)).total, sink.taken], [1, 1, []])
})

test('row 22: what came before it was switched on, or waits when it is switched off, is not relayed', async () => {
  const ada = await mailbox()
  await configure(ada, { forward_to: 'ada@away.example' })
  await write(ada, { subject: 'Before' })
  await configure(ada, { forward_enabled: true })
  await world.outbound.processAll()
  assert.deepEqual(sink.taken, [])

  sink.act = (step) => (step === 'dot' ? '451 4.7.1 Later' : undefined)
  await write(ada, { subject: 'Waits' })
  await world.outbound.processAll()
  await configure(ada, { forward_enabled: false })
  sink.act = () => undefined
  await world.advance(10 * 60_000)
  await world.outbound.processAll()
  assert.deepEqual(sink.taken, [])
  assert.deepEqual(await world.db.selectFrom('outbound_recipients').select('id').execute(), [])
})
