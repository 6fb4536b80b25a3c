import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import { onceAnswered } from '#test/world/observe/statements.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { now } from './furnished.ts'
import { EventStream } from './reader.ts'

const world = await World.ofFile()

const conversation = 'q83vEjRWeJASNFZ4'

interface Desk {
  readonly organization: TestOrganization
  readonly address: string
  readonly ada: SignedInMember
  readonly bob: SignedInMember
  /** Does not read the mailbox. */
  readonly eve: SignedInMember
}

/** Ada's mailbox, which is shared with Bob. */
async function desk({ client }: Pick<World, 'client'> = world): Promise<Desk> {
  const { organization, address } = await world.mailbox('ada')
  const member = async (localPart: string, role: 'owner' | 'member') =>
    (await organization.member(`${localPart}@${organization.domain}`, role)).id
  const [adaId, bobId, eveId] = [
    await member('ada', 'owner'),
    await member('bob', 'member'),
    await member('eve', 'member'),
  ]
  const ada = await signIn(organization, adaId)
  const shared = await ada.request('PUT', `/v1/mailboxes/${address}/access/${bobId}`, { level: 'read' })
  assert.equal(shared.status, 200)
  const bob = await signIn(organization, bobId, { client })
  return { organization, address, ada, bob, eve: await signIn(organization, eveId) }
}

/** Who else is there, as `address: doing`. */
async function say(who: SignedInMember, mailbox: string, doing: string | null): Promise<string[]> {
  const { status, body, bytes } = await who.request('PUT', '/v1/me/presence', { mailbox, conversation, doing })
  assert.equal(status, 200, bytes.toString())
  return body.data.map((one: { email: string; doing: string }) => `${one.email.split('@')[0]}: ${one.doing}`)
}

test('members see what others do in a conversation, until they leave', async () => {
  const { address, ada, bob } = await desk()
  assert.deepEqual(await say(ada, address, 'reading'), [])
  assert.deepEqual(await say(bob, address, 'reading'), ['ada: reading'])
  assert.deepEqual(await say(ada, address, 'writing'), ['bob: reading'])
  assert.deepEqual(await say(bob, address, 'reading'), ['ada: writing'])
  assert.deepEqual(await say(ada, address, null), ['bob: reading'])
  assert.deepEqual(await say(bob, address, 'reading'), [])
})

test('who has not said it again for a minute is forgotten', async () => {
  const { address, ada, bob } = await desk()
  await say(ada, address, 'reading')
  world.clock.advance(59_999)
  assert.deepEqual(await say(bob, address, 'reading'), ['ada: reading'])
  world.clock.advance(1)
  assert.deepEqual(await say(bob, address, 'reading'), [])
})

test('a stream reports changes to members who read the mailbox, and repeats nothing', async () => {
  const { organization, address, ada, bob, eve } = await desk()
  const after = await now(world, { organization })
  const streamOf = ({ cookie }: { cookie: string }) => EventStream.open(world.base, { cookie, after })
  await using ours = await streamOf(bob)
  await using theirs = await streamOf(eve)
  await using program = await EventStream.open(world.base, { key: organization.key, after })
  await say(ada, address, 'reading')
  await say(ada, address, 'reading')
  const presence = { id: '', name: 'presence', event: { mailbox: address, conversation } }
  assert.deepEqual(await ours.next(), presence)
  // The next event is about a label, for those who do not read the mailbox too.
  await organization.request('POST', '/v1/labels', { name: 'After it' })
  for (const stream of [ours, theirs, program]) assert.equal((await stream.next())?.event.type, 'label.created')
  await say(ada, address, 'writing')
  assert.deepEqual(await ours.next(), presence)
  await say(ada, address, null)
  assert.deepEqual(await ours.next(), presence)
})

for (const [what, change, status, field] of [
  ['a mailbox that one does not read', {}, 404, undefined],
  ['no id of a conversation', { conversation: 'x' }, 400, 'conversation'],
  ['another word', { doing: 'sleeping' }, 400, 'doing'],
] as const)
  test(`${what} is ${status}, and says nothing`, async () => {
    const { address, ada, eve } = await desk()
    const who = status === 404 ? eve : ada
    const answer = await who.request('PUT', '/v1/me/presence', {
      ...{ mailbox: address, conversation, doing: 'reading' },
      ...change,
    })
    assert.equal(answer.status, status)
    assert.equal(answer.body.error.field, field)
  })

test('members of one process see those of another, and streams there tell of them', async (t) => {
  if (world.database.embedded) return t.skip('the embedded database has one process')
  const listening = onceAnswered('listen ')
  // Without a worker, which listens too.
  await using other = await World.start({ database: world.database, env: { MAILROOM_ROLES: 'api,mx' } })
  await listening
  const { organization, address, ada, bob } = await desk(other)
  const after = await now(world, { organization })
  await using stream = await EventStream.open(other.base, { cookie: bob.cookie, after })
  for (const doing of ['reading', 'writing']) {
    await say(ada, address, doing)
    assert.deepEqual((await stream.next())?.event, { mailbox: address, conversation })
    assert.deepEqual(await say(bob, address, 'reading'), [`ada: ${doing}`])
  }
})
