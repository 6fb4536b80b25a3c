import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { SmtpClient } from '#test/sockets/smtp-client.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { blockSender } from './block.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

async function block(organization: TestOrganization, pattern: string) {
  const { status } = await organization.request('POST', '/v1/blocked-senders', { pattern })
  assert.equal(status, 201)
}

/** Whether the mailbox took the message: the reply's code where it did not. */
async function send(
  to: string,
  { sender = 'ok@fine.test', author = 'ok@fine.test', raw = '' },
): Promise<'taken' | number> {
  const message = {
    envelope: { from: sender, to },
    ...(raw ? { raw } : { from: author, to, subject: 'Hello', text: 'Hi' }),
  }
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

test('An address is blocked however it is written', async () => {
  const organization = await world.organization()
  const { address: ada } = await organization.mailbox('ada')
  await block(organization, 'bad@evil.example')
  for (const written of ['"bad"@evil.example', '"b\\ad"@EVIL.example', 'bad@evil .example', 'bad@ev\u00adil.example']) {
    assert.equal(await send(ada, { raw: `From: Bad <${written}>\r\n\r\nHi\r\n` }), 550)
    assert.equal(await send(ada, { raw: `From: ${written} <ok@fine.test>\r\n\r\nHi\r\n` }), 550)
  }
  await using client = await SmtpClient.greeted(world.smtp.port)
  assert.equal((await client.say('MAIL FROM:<"bad"@evil.example>')).code, 250)
  assert.equal((await client.say(`RCPT TO:<${ada}>`)).code, 550)
})

test('Sender is blocked as From is', async () => {
  const organization = await world.organization()
  const { address: ada } = await organization.mailbox('ada')
  await block(organization, '@list.example')
  const written = (sender: string) => `From: ok@fine.test\r\nSender: ${sender}\r\n\r\nHi\r\n`
  assert.equal(await send(ada, { raw: written('"The list" <owner@list.example>') }), 550)
  assert.equal(await send(ada, { raw: written('owner@other.example') }), 'taken')
})

test('Each address of a mailbox is reached however it is quoted', async () => {
  const organization = await world.organization()
  const { address: ada } = await organization.mailbox('ada')
  const { domain } = organization
  await using client = await SmtpClient.greeted(world.smtp.port)
  await client.say('MAIL FROM:<ok@fine.test>')
  for (const local of ['"ada"', '"a\\da"', '"ada+news"', 'ada']) {
    assert.equal((await client.say(`RCPT TO:<${local}@${domain}>`)).code, 250, local)
  }
  assert.equal((await client.say(`RCPT TO:<"a da"@${domain}>`)).code, 550)
  assert.equal(await send(ada, {}), 'taken')
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
  await world.db.transaction().execute((tx) => blockSender(tx, owner, '@example.com', byOperator))
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
