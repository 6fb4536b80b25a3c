// On both databases: several change one address at once.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { each } from '#test/world/each.ts'
import { forwardsTo, mailboxThat, configure as set } from '#test/world/mail/forwarding.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, sink, organization, request, sentMail } = await sendingWorld({ plan: 'self_hosted' })
let count = 0
afterEach(() => {
  sink.act = () => undefined
  sink.taken.length = 0
})

const author = 'author@far.example'

async function mailbox(): Promise<string> {
  return (await organization.mailbox(`box${++count}`)).address
}

const configure = (address: string, change: object) => set(organization, address, change)
const forwarding = async (to: string) => (await mailboxThat(organization, forwardsTo(to))).address

async function folder(address: string, name = 'inbox') {
  return (await request('GET', `/v1/messages?mailbox=${address}&folder=${name}`)).body
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
  assert.match(taken.from, new RegExp(`^SRS0=[0-9a-f]{16}=[a-z2-7]{2}=far\\.example=author@${organization.domain}$`))
  const text = taken.bytes.toString()
  assert.equal((await request('GET', '/v1/usage')).body.sending.sent_today, 0)
  assert.ok(text.endsWith(raw), text)
  assert.match(text, new RegExp(`^Delivered-To: ${ada}\r\nMailroom-Relayed: `))
  assert.equal((await folder(ada)).total, 1)
})

/** The number of messages in each of the mailboxes. */
async function totals(addresses: readonly string[]): Promise<number[]> {
  return await Promise.all(addresses.map(async (address) => (await folder(address)).total))
}

test('forwarding to an alias that came to be later comes to rest', async () => {
  const ada = await mailbox()
  const alias = `alias-of-${ada}`
  await configure(ada, forwardsTo(alias))
  const mailboxes = world.db.selectFrom('mailboxes').select('id').where('address', '=', ada)
  const { id } = await mailboxes.executeTakeFirstOrThrow()
  const row = { address: alias, organization_id: organization.id, mailbox_id: id, alias: true }
  await world.db.insertInto('addresses').values(row).execute()
  await write(ada)
  await world.outbound.processAll()
  assert.deepEqual([await totals([ada]), sink.taken], [[1], []])
})

test('out and back through a remote stores one copy, and no bounce reaches the author', async () => {
  const ada = await forwarding('ada@remote.example')
  await write(ada)
  const [out] = await sentMail()
  assert.ok(out)
  const raw = Buffer.concat([Buffer.from('Received: by remote; x\r\n'), out.bytes])
  await world.send({ envelope: { from: out.from, to: ada }, raw })
  await world.outbound.processAll()
  assert.deepEqual([await totals([ada]), sink.taken], [[1], []])
})

test('whoever has the mark of a message cannot have the message itself dropped where it comes later', async () => {
  const [ada, bob] = [await forwarding('ada@away.example'), await mailbox()]
  const raw = `From: ${author}\r\nTo: ${ada}, ${bob}\r\nSubject: Hello\r\nMessage-ID: <marked@far>\r\n\r\nHello\r\n`
  await world.send({ envelope: { from: author, to: ada }, raw })
  await world.outbound.processAll()
  const [mark = ''] = /^Mailroom-Relayed: .*\r\n\t.*\r\n/m.exec(String(sink.taken[0]?.bytes)) ?? []
  assert.notEqual(mark, '')
  for (let n = 0; n < 2; n++) {
    const forged = `${mark}From: eve@far.example\r\nSubject: Eve ${n}\r\n\r\nHa\r\n`
    await world.send({ envelope: { from: 'eve@far.example', to: bob }, raw: forged })
    await world.send({ envelope: { from: author, to: bob }, raw })
  }
  const { data } = await folder(bob)
  assert.deepEqual(each(data, 'subject'), ['Hello', 'Eve 0'])
})

test('in any graph of 20 mailboxes each stores one copy at most, and all comes to rest', async () => {
  const boxes: string[] = []
  for (let n = 0; n < 20; n++) boxes.push(await mailbox())
  const any = <T>(of: readonly T[]) => fc.sample(fc.constantFrom(...of), 1)[0] as T
  for (let round = 0; round < 4; round++) {
    for (const from of boxes) {
      const to = any([...boxes.filter((box) => box !== from), undefined])
      await configure(from, to ? forwardsTo(to) : { forward_enabled: false })
    }
    const before = await totals(boxes)
    const starts = new Set([any(boxes), any(boxes), any(boxes)])
    await write([...starts], { subject: `Round ${round}` })
    await world.outbound.processAll()
    const gained = (await totals(boxes)).map((total, at) => total - (before[at] ?? 0))
    assert.ok(Math.max(...gained) <= 1, JSON.stringify(gained))
    assert.ok([...starts].every((box) => gained[boxes.indexOf(box)] === 1))
    assert.deepEqual([sink.taken, await world.db.selectFrom('outbound_messages').select('id').execute()], [[], []])
  }
})

for (const [what, change] of [
  ['switched off', { forward_enabled: false }],
  ['switched on anew', { forward_enabled: true }],
  ['led elsewhere', { forward_to: 'other@away.example' }],
] as const)
  test(`neither what came before forwarding was switched on nor what waits when it is ${what} is relayed`, async () => {
    const ada = await mailbox()
    await configure(ada, { forward_to: 'ada@away.example' })
    await write(ada, { subject: 'Before' })
    await configure(ada, { forward_enabled: true })
    assert.deepEqual(await sentMail(), [])
    sink.act = (step) => (step === 'end of data' ? '451 4.7.1 Later' : undefined)
    await write(ada, { subject: 'Waits' })
    await world.outbound.processAll()
    await world.advance(1_000)
    await configure(ada, change)
    sink.act = () => undefined
    // Not before: the worker looks by itself, too, for what is due.
    await world.advance(10 * 60_000)
    assert.deepEqual(await sentMail(), [])
    assert.deepEqual(await world.db.selectFrom('outbound_recipients').select('id').execute(), [])
  })

test('past forward_until nothing is relayed, and the settings say that it is off', async () => {
  const ada = await forwarding('ada@away.example')
  const until = new Date(world.clock.now() + 60_000).toISOString()
  assert.equal((await configure(ada, { forward_until: until })).forward.enabled, true)
  await world.advance(60_000)
  await write(ada)
  assert.deepEqual(await sentMail(), [])
  const { forward } = (await request('GET', `/v1/forwarding?mailbox=${ada}`)).body
  assert.deepEqual([forward.enabled, forward.until], [false, until])
})

test('a mailbox relays a thousand messages in a day, and more on the next', async () => {
  const ada = await forwarding('ada@away.example')
  const rows = world.db.selectFrom('forwarding').innerJoin('mailboxes', 'mailboxes.id', 'mailbox_id').select('relayed')
  const counted = () => rows.where('mailboxes.address', '=', ada).executeTakeFirstOrThrow()
  await write(ada)
  assert.deepEqual(await counted(), { relayed: 1 })
  await sql`update forwarding set relayed = 999 where forward_to = 'ada@away.example'`.execute(world.db)
  await Promise.all([write(ada), write(ada), write(ada)])
  await world.outbound.processAll()
  assert.deepEqual([await totals([ada]), sink.taken.splice(0).length, await counted()], [[4], 2, { relayed: 1_000 }])
  await world.advance(86_400_000)
  await write(ada)
  await world.outbound.processAll()
  assert.deepEqual([sink.taken.length, await counted()], [1, { relayed: 1 }])
})

test('ten hard failures in 24 hours pause it, the settings say so, and no notice is sent', async () => {
  const ada = await forwarding('gone@away.example')
  const forward = async () => (await request('GET', `/v1/forwarding?mailbox=${ada}`)).body.forward
  sink.act = (step) => (step === 'rcpt' ? '550 5.1.1 No such user' : undefined)
  const fail = async (times: number) => {
    for (let n = 0; n < times; n++) await write(ada)
    await world.outbound.processAll()
  }
  await fail(9)
  await world.advance(25 * 3_600_000)
  await fail(9)
  assert.deepEqual([(await forward()).paused_at, (await forward()).paused_because], [null, null])
  await fail(1)
  const { enabled, paused_at, paused_because } = await forward()
  assert.deepEqual([enabled, paused_at], [true, new Date(world.clock.now()).toISOString()])
  assert.match(paused_because, /550 5\.1\.1 No such user/)
  sink.act = () => undefined
  await fail(1)
  assert.deepEqual([sink.taken, await totals([ada])], [[], [20]])
  await configure(ada, { forward_enabled: true })
  await fail(1)
  assert.deepEqual([sink.taken.length, (await forward()).paused_at], [1, null])
})
