import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type TestOrganization, World } from '../../test/world.ts'
import { blockSender } from './store.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

async function block(organization: TestOrganization, pattern: string) {
  const { status } = await organization.request('POST', '/v1/blocked-senders', { pattern })
  assert.equal(status, 201)
}

/** Whether the mailbox took the message: the reply's code where it did not. */
async function send(to: string, { sender = 'ok@fine.test', author = 'ok@fine.test' }): Promise<'taken' | number> {
  const message = { envelope: { from: sender, to }, from: author, to, subject: 'Hello', text: 'Hi' }
  try {
    await world.send(message)
    return 'taken'
  } catch (error) {
    const { responseCode, response } = error as { responseCode: number; response: string }
    assert.match(response, /5\.7\.1/)
    return responseCode
  }
}

for (const [what, address, expected] of [
  ['x@Example.COM', 'x@Example.COM', 550],
  ['not x@sub.example.com', 'x@sub.example.com', 'taken'],
  ['not x@notexample.com', 'x@notexample.com', 'taken'],
  ['not example.com@other.test', 'example.com@other.test', 'taken'],
] as const) {
  test(`17. @example.com blocks ${what} in the envelope and in From`, async () => {
    const organization = await world.organization()
    const { address: ada } = await organization.mailbox('ada')
    await block(organization, '@EXAMPLE.com')
    assert.equal(await send(ada, { sender: address }), expected)
    assert.equal(await send(ada, { author: address }), expected)
  })
}

test('17. Mail to postmaster@ and abuse@ is never blocked', async () => {
  const organization = await world.organization()
  await organization.mailbox('ada')
  await block(organization, '@example.com')
  for (const local of ['postmaster', 'abuse']) {
    const to = `${local}@${organization.domain}`
    assert.equal(await send(to, { sender: 'x@example.com', author: 'x@example.com' }), 'taken')
  }
})

test('A block is in force at once, and so is its end', async () => {
  const organization = await world.organization()
  const { address: ada } = await organization.mailbox('ada')
  assert.equal(await send(ada, { sender: 'spam@example.com' }), 'taken')
  await block(organization, 'Spam@example.com')
  assert.equal(await send(ada, { sender: 'spam@example.com' }), 550)
  assert.equal(await send(ada, { sender: 'ham@example.com' }), 'taken')
  await organization.request('DELETE', '/v1/blocked-senders/spam@example.com')
  assert.equal(await send(ada, { sender: 'spam@example.com' }), 'taken')
})

test('Personal blocks touch the member’s own mailbox alone', async () => {
  const organization = await world.organization()
  const member = await organization.member(`ada@${organization.domain}`)
  const [ada, bob] = [await organization.mailbox('ada'), await organization.mailbox('bob')]
  const owner = { organizationId: organization.id, memberId: member.id }
  await world.db.transaction().execute((tx) => blockSender(tx, owner, '@example.com'))
  for (const from of [{ sender: 'x@example.com' }, { author: 'x@example.com' }]) {
    assert.equal(await send(ada.address, from), 550)
    assert.equal(await send(bob.address, from), 'taken')
  }
})

test('One organization’s block does not touch another’s mail', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  const { address } = await other.mailbox('bob')
  await block(one, '@example.com')
  assert.equal(await send(address, { sender: 'x@example.com', author: 'x@example.com' }), 'taken')
})
