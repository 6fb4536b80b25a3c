import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import type { SendMailOptions } from 'nodemailer'
import { SmarthostRelay } from '#/out/relay/smarthost.ts'
import { each } from '#test/world/each.ts'
import { hostname } from '#test/world/installation.ts'
import { hand } from '#test/world/letters/letter.ts'
import { notice } from '#test/world/letters/notice.ts'
import { openPgpKey } from '#test/world/letters/openpgp-key.ts'
import { loggedIn, submissionSettings, submittingMailbox, written } from '#test/world/mail/submission.ts'
import { ofFile } from '#test/world/of-file.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'

/** Those ids, in the order of what was taken. */
const given: string[] = []
let count = 0
/** A relay that gives each message a Message-ID of its own, as Amazon SES does, and names it in its reply. */
const relay = ofFile(await Sink.start())
const host = 'email-smtp.eu-west-1.amazonaws.com'
const peer = { host, address: '127.0.0.1', port: relay.port, tls: 'never' } as const
const { env } = ofFile(await submissionSettings())
const world = await World.ofFile({ env, relay: ofFile(new SmarthostRelay({ peer, name: hostname })) })
const organization = await world.organization()
beforeEach(() => {
  relay.act = accepting
  relay.taken.length = 0
  given.length = 0
})

const accepting: Sink['act'] = (step) => {
  if (step !== 'end of data') return undefined
  const id = `0102019a3f5c7e21-${randomUUID()}-000000`
  given.push(`<${id}@eu-west-1.amazonses.com>`)
  return `250 Ok ${id}`
}

const bob = 'bob@there.example'
const minute = 60_000

async function mailbox(): Promise<string> {
  return (await organization.mailbox(`box${++count}`)).address
}

async function posted(path: string, body: object) {
  const answer = await organization.request('POST', path, body)
  assert.ok([200, 201, 202].includes(answer.status), `${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  await world.outbound.processAll()
  // Messages of one time have no order.
  world.clock.advance(1_000)
  return answer.body
}

/** Sends a message. Answers our id, and that by which its recipients know it. */
async function sent(from: string, more: object = {}): Promise<{ own: string; theirs: string }> {
  const { message_id: own } = await posted('/v1/send', { from, to: bob, subject: 'Plan', text: 'Well?', ...more })
  return { own, theirs: given.at(-1) ?? '' }
}

const answer = (to: string | string[], inReplyTo: string, more: SendMailOptions = {}) =>
  world.send({ from: bob, to, subject: 'Re: Plan', text: 'Yes', inReplyTo, ...more })

/** The subjects of each conversation of a mailbox, with the folders, oldest first. */
async function conversations(address: string): Promise<string[][]> {
  const { body } = await organization.request('GET', `/v1/conversations?mailbox=${address}`)
  const found = body.data.map(async ({ id }: { id: string }) => {
    const { body } = await organization.request('GET', `/v1/conversations/${id}?mailbox=${address}`)
    return body.messages.map(({ folder, subject }: Record<string, string>) => `${folder}: ${subject}`)
  })
  return await Promise.all(found)
}

async function inboxOf(address: string, of = organization) {
  return (await of.request('GET', `/v1/messages?mailbox=${address}`)).body.data
}

for (const [what, send] of [
  ['over HTTP', (from: string) => posted('/v1/send', { from, to: bob, subject: 'Plan', text: 'Well?' })],
  [
    'in a batch',
    (from: string) =>
      posted('/v1/send/batch', { messages: ['cy@there.example', bob].map((to) => ({ from, to, text: 'x' })) }),
  ],
  [
    'later',
    async (from: string) => {
      const send_at = new Date(world.clock.now() + minute).toISOString()
      await posted('/v1/scheduled', { from, to: bob, subject: 'Plan', text: 'Well?', send_at })
      world.clock.advance(2 * minute)
      await world.rounds.processAll()
      world.clock.advance(1_000)
    },
  ],
  [
    'by a mail program',
    async (from: string) => {
      await using client = await loggedIn(world.submission?.port ?? 0, from)
      assert.equal((await client.send(from, bob, written(from))).code, 250)
      await world.outbound.processAll()
      world.clock.advance(1_000)
    },
  ],
] as const)
  test(`an answer to what was sent ${what} joins its conversation`, async () => {
    const { address } = await submittingMailbox(organization, `box${++count}`)
    await send(address)
    const at = relay.taken.findIndex(({ to }) => to.includes(bob))
    await answer(address, given[at] ?? '')
    const joined = (await conversations(address)).filter((one) => one.some((text) => text.startsWith('inbox')))
    const folders = joined.map((one) => one.map((text) => text.split(':')[0]))
    assert.deepEqual(folders, [['sent', 'inbox']])
  })

test('an answer joins it in every mailbox of the organization that has the message, and in no other organization', async () => {
  const [ada, eve] = [await mailbox(), await mailbox()]
  const { organization: other, address: others } = await world.mailbox('ada')
  const { own, theirs } = await sent(ada, { cc: eve })
  await answer([ada, eve, others], theirs)
  assert.deepEqual(await conversations(ada), [['sent: Plan', 'inbox: Re: Plan']])
  assert.deepEqual(await conversations(eve), [['inbox: Plan', 'inbox: Re: Plan']])
  const [message] = await inboxOf(others, other)
  const { bytes } = await other.request('GET', `/v1/messages/${message.uid}/raw?mailbox=${others}`)
  assert.ok(bytes.toString().includes(theirs) && !bytes.toString().includes(own))
})

test('of a message that reached its recipients one after the other, each answer joins', async () => {
  const ada = await mailbox()
  relay.act = (step, scene) => {
    const later = step === 'rcpt' && scene.recipient.startsWith('cy') && given.length === 0
    return later ? '452 4.5.3 One at a time' : accepting(step, scene)
  }
  await sent(ada, { to: [bob, 'cy@there.example'] })
  world.clock.advance(2 * minute)
  await world.outbound.processAll()
  assert.deepEqual(each(relay.taken, 'to'), [[bob], ['cy@there.example']])
  for (const theirs of given) await answer(ada, theirs)
  assert.deepEqual(await conversations(ada), [['sent: Plan', 'inbox: Re: Plan', 'inbox: Re: Plan']])
})

test('our answer to an answer stays with our first message, also once the answer between is gone', async () => {
  const ada = await mailbox()
  const { theirs } = await sent(ada)
  await answer(ada, theirs)
  const [{ uid }] = await inboxOf(ada)
  await posted(`/v1/messages/${uid}/reply?mailbox=${ada}`, { text: 'Good' })
  const gone = await organization.request('DELETE', `/v1/messages?mailbox=${ada}`, { uids: [uid] })
  assert.equal(gone.status, 200, JSON.stringify(gone.body))
  assert.deepEqual(await conversations(ada), [['sent: Plan', 'sent: Re: Plan']])
})

test('an answer cancels what was to be sent unless replied, and is an answer to what is scheduled afterwards', async () => {
  const ada = await mailbox()
  const { own, theirs } = await sent(ada)
  const send_at = new Date(world.clock.now() + minute).toISOString()
  const later = { from: ada, to: bob, text: 'Did you see this?', in_reply_to: own, unless_replied: true, send_at }
  const { id } = await posted('/v1/scheduled', later)
  await answer(ada, theirs)
  assert.equal((await organization.request('GET', `/v1/scheduled/${id}`)).body.status, 'cancelled')
  const { status, body } = await organization.request('POST', '/v1/scheduled', later)
  assert.deepEqual([status, body.error?.field], [400, 'unless_replied'])
})

test('a notice that returns the relay’s id says of the message whom it has not reached', async () => {
  const ada = await mailbox()
  const { own, theirs } = await sent(ada)
  assert.equal(await hand(world, '', ada, notice(theirs, [bob])), '250 2.6.0')
  const { body } = await organization.request('GET', `/v1/conversations?mailbox=${ada}`)
  assert.equal(body.data.length, 1)
  const { body: one } = await organization.request('GET', `/v1/conversations/${body.data[0].id}?mailbox=${ada}`)
  const [message] = one.messages
  assert.equal(message.message_id, own)
  assert.deepEqual(each(message.not_delivered, 'recipient'), [bob])
})

test('an answer to a forwarded message joins that', async () => {
  const ada = await mailbox()
  const change = { mailbox: ada, forward_to: 'ada@away.example', forward_enabled: true }
  assert.equal((await organization.request('PATCH', '/v1/forwarding', change)).status, 200)
  await world.send({ from: bob, to: ada, subject: 'News', text: 'x' })
  await world.outbound.processAll()
  await world.send({ from: 'ada@away.example', to: ada, subject: 'Re: News', text: 'y', inReplyTo: given[0] })
  assert.deepEqual(await conversations(ada), [['inbox: News', 'inbox: Re: News']])
})

test('nothing is kept of what a Private mailbox sends, and nothing of an organization that is removed', async () => {
  const other = await world.organization()
  const ids = () =>
    world.db.selectFrom('replaced_message_ids').where('organization_id', '=', other.id).select('given').execute()
  const { publicKey: public_key } = await openPgpKey()
  const { address: hidden } = await submittingMailbox(other, 'ada', { kind: 'private', public_key })
  const { address: shown } = await submittingMailbox(other, 'eve')
  for (const [from, kept] of [
    [hidden, 0],
    [shown, 1],
  ] as const) {
    await using client = await loggedIn(world.submission?.port ?? 0, from)
    assert.equal((await client.send(from, bob, written(from))).code, 250)
    await world.outbound.processAll()
    assert.equal((await ids()).length, kept)
  }
  assert.equal(relay.taken.length, 2)
  await world.db.deleteFrom('organizations').where('id', '=', other.id).execute()
  assert.deepEqual(await ids(), [])
})
