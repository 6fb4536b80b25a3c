import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { endAccess, giveAccess } from '#/mail/mailboxes/access/access.ts'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization()
/** Her own mailbox. */
const ada = await organization.mailbox('ada')
const adasSession = await signIn(organization, (await organization.member(ada.address)).id)
let grace = await signIn(organization, (await organization.member('grace@people.example')).id)

async function listOf(member: SignedInMember) {
  const { status, body } = await member.request('GET', '/v1/me/signatures')
  assert.equal(status, 200)
  return body.data
}

const set = (member: SignedInMember, body: object, address = ada.address) =>
  member.request('PUT', `/v1/me/signatures/${address}`, body)

const toGrace = () => {
  const mailbox = { organizationId: organization.id, mailboxId: ada.id }
  return { mailbox, memberId: grace.id, shares: 'all', by: byOperator } as const
}

/** Grace gets a level, or none, and a session that knows of it. */
async function share(level: 'read' | 'send' | undefined): Promise<void> {
  await world.db.transaction().execute((tx) => (level ? giveAccess(tx, toGrace(), level) : endAccess(tx, toGrace())))
  grace = await signIn(organization, grace.id)
}

test('a member sets a signature, changes it and removes it', async () => {
  assert.deepEqual(await listOf(adasSession), [])
  const first = { text: 'Ada\nEngines', html: '<div>Ada</div>' }
  const { status, body } = await set(adasSession, first)
  assert.deepEqual([status, body], [200, { mailbox: ada.address, ...first }])
  assert.deepEqual(await listOf(adasSession), [{ mailbox: ada.address, ...first }])
  await set(adasSession, { text: 'A.' })
  assert.deepEqual(await listOf(adasSession), [{ mailbox: ada.address, text: 'A.', html: null }])
  await set(adasSession, { text: ' \n', html: null })
  assert.deepEqual(await listOf(adasSession), [])
})

test('it is for who may send from the mailbox, each has their own, and it comes back with the access', async () => {
  await set(adasSession, { text: 'Ada' })
  assert.equal((await set(grace, { text: 'Grace' })).status, 404)
  await share('read')
  assert.equal((await set(grace, { text: 'Grace' })).status, 403)
  await share('send')
  assert.equal((await set(grace, { text: 'Grace' })).status, 200)
  const texts = async () =>
    [await listOf(adasSession), await listOf(grace)].map((list) => list.map(({ text }: { text: string }) => text))
  assert.deepEqual(await texts(), [['Ada'], ['Grace']])
  await share('read')
  assert.deepEqual(await texts(), [['Ada'], []])
  await share('send')
  assert.deepEqual(await texts(), [['Ada'], ['Grace']])
  await share(undefined)
  assert.deepEqual(await texts(), [['Ada'], []])
})

test('it goes with the mailbox, and is nobody’s in another organization', async () => {
  const other = await world.organization()
  const boss = await signIn(other, (await other.member('boss@people.example', 'owner')).id)
  assert.equal((await set(boss, { text: 'Boss' })).status, 404)
  const { address } = await organization.mailbox('spare')
  const spare = await signIn(organization, (await organization.member(address)).id)
  assert.equal((await set(spare, { text: 'Spare' }, address)).status, 200)
  assert.equal((await organization.request('DELETE', `/v1/mailboxes/${address}`)).status, 404, 'a key may not')
  await world.db.deleteFrom('mailboxes').where('address', '=', address).execute()
  assert.deepEqual(await listOf(spare), [])
})
