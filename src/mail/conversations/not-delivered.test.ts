import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hand, letter } from '#test/world/letters/letter.ts'
import { notice } from '#test/world/letters/notice.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const refusal = '550 5.1.1 No such mailbox'

const { world, sink, organization } = await sendingWorld()
sink.act = (step, { recipient }) => (step === 'rcpt' && recipient.startsWith('nobody') ? refusal : undefined)

/** Sends a message, and says by which id. */
async function sent(from: string, to: readonly string[], cc: readonly string[] = []): Promise<string> {
  const mail = { from, to, cc, subject: 'Plan', text: 'Hello' }
  const body = await organization.bodyOf(202, 'POST', '/v1/send', mail)
  world.clock.advance(1_000)
  await world.outbound.processAll()
  world.clock.advance(1_000)
  return body.message_id
}

interface Shown {
  readonly message_id: string
  readonly subject: string
  readonly not_delivered: readonly Record<string, unknown>[]
}

/** The conversations of a mailbox, each with its messages. */
async function conversations(address: string): Promise<{ awaiting: string | null; messages: Shown[] }[]> {
  const { body } = await organization.request('GET', `/v1/conversations?mailbox=${address}`)
  const found = body.data.map(({ id }: { id: string }) =>
    organization.request('GET', `/v1/conversations/${id}?mailbox=${address}`),
  )
  return (await Promise.all(found)).map(({ body }) => body)
}

/** What is said at each message of the only one of a mailbox, by subject. */
async function saidIn(address: string) {
  const [conversation, ...others] = await conversations(address)
  assert.ok(conversation && others.length === 0)
  const messages = conversation.messages.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
  return messages.map(({ subject, not_delivered }) => {
    return { subject, said: not_delivered.map(({ at: _, ...said }) => said) }
  })
}

test('a notice of ours is in the conversation of the message, which says whom it has not reached', async () => {
  const { address } = await organization.mailbox('amy')
  await sent(address, ['bob@there.example', 'nobody@there.example'])
  const nobody = { recipient: 'nobody@there.example', status: '5.1.1', diagnostic: refusal, proven: true }
  assert.deepEqual(await saidIn(address), [
    { subject: 'Plan', said: [nobody] },
    { subject: 'Undelivered mail returned to its sender', said: [] },
  ])
})

test('one that another server sends joins by what it returns; that nobody knows otherwise whether it is true is said', async () => {
  const { address } = await organization.mailbox('ben')
  const id = await sent(address, ['bob@there.example'])
  const recipients = ['bob@there.example', 'eve@there.example']
  assert.equal(await hand(world, '', address, notice(id, recipients)), '250 2.6.0')
  const said = { status: '5.1.1', diagnostic: '550 It says no', proven: false }
  assert.deepEqual(await saidIn(address), [
    { subject: 'Plan', said: recipients.map((recipient) => ({ recipient, ...said })) },
    { subject: 'Undelivered', said: [] },
  ])
  assert.equal((await conversations(address))[0]?.awaiting, null)
})

test('one that comes to the bounce address is proven, and the newest about a recipient counts', async () => {
  const { address } = await organization.mailbox('cho')
  sink.taken.splice(0)
  const id = await sent(address, ['bob@there.example'])
  const [{ from } = { from: '' }] = sink.taken.splice(0)
  assert.equal(await hand(world, '', address, notice(id, ['bob@there.example'], '5.2.2')), '250 2.6.0')
  assert.equal(await hand(world, '', from, notice(id, ['bob@there.example'])), '250 2.6.0')
  const [message] = await saidIn(address)
  const bob = { recipient: 'bob@there.example', status: '5.1.1', diagnostic: '550 It says no', proven: true }
  assert.deepEqual(message?.said, [bob])
})

test('a recipient in Cc is named by the address that the message was sent to, though its server forwards mail', async () => {
  const { address } = await organization.mailbox('fay')
  sink.taken.splice(0)
  const id = await sent(address, ['bob@there.example'], ['eve@there.example'])
  const [{ from } = { from: '' }] = sink.taken.splice(0)
  const forwarded = 'eve@elsewhere.example\r\nOriginal-Recipient: rfc822; eve@there.example'
  assert.equal(await hand(world, '', from, notice(id, [forwarded])), '250 2.6.0')
  const [message] = await saidIn(address)
  const eve = { recipient: 'eve@there.example', status: '5.1.1', diagnostic: '550 It says no', proven: true }
  assert.deepEqual(message?.said, [eve])
})

test('a notice about a message of others is not shown', async () => {
  const { address } = await organization.mailbox('dan')
  const others = letter({ 'Message-ID': '<1@peer.example>' })
  assert.equal(await hand(world, 'ann@peer.example', address, others), '250 2.6.0')
  assert.equal(await hand(world, '', address, notice('<1@peer.example>', [address])), '250 2.6.0')
  const said = (await saidIn(address)).flatMap((one) => one.said)
  assert.deepEqual(said, [])
})

test('a notice about a message that is not here is a conversation of its own, until that comes', async () => {
  const { address } = await organization.mailbox('eva')
  assert.equal(await hand(world, '', address, notice('<later@own.example>', ['bob@there.example'])), '250 2.6.0')
  assert.equal((await conversations(address)).length, 1)
  const own = letter({ From: address, Subject: 'Plan', 'Message-ID': '<later@own.example>' })
  assert.equal(await hand(world, 'ann@peer.example', address, own), '250 2.6.0')
  const [conversation, ...others] = await conversations(address)
  assert.equal(others.length, 0)
  const said = new Map(conversation?.messages.map((one) => [one.subject, one.not_delivered.length]))
  assert.deepEqual(Object.fromEntries(said), { Undelivered: 0, Plan: 1 })
})
