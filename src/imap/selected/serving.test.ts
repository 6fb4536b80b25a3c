import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '#/base/secrets/password.ts'
import { Serving } from '#test/world/imap/serving.ts'

const serving = await Serving.ofFile()
const { world, organization } = serving

async function idle() {
  const mailbox = await serving.newMailbox()
  const client = await serving.signedIn(mailbox)
  await client.run('SELECT INBOX')
  client.write('i IDLE\r\n')
  await client.continuation()
  return { mailbox, client }
}

test('a program that is idle is told of a message as it arrives, and of what is done to it over HTTP', async () => {
  const { mailbox, client } = await idle()
  await using _client = client
  await world.send({ from: 'ann@far.example', to: mailbox.address, subject: 'News', text: 'Hello' })
  assert.equal(await client.untagged(/EXISTS/), '1 EXISTS')
  const place = `mailbox=${mailbox.address}&folder=inbox`
  await organization.request('PATCH', `/v1/messages/1?${place}`, { unread: false })
  assert.equal(await client.untagged(/FETCH/), '1 FETCH (FLAGS (\\Seen))')
  await organization.request('PATCH', `/v1/messages/1?${place}`, { folder: 'trash' })
  assert.equal(await client.untagged(/EXPUNGE/), '1 EXPUNGE')
  client.write('DONE\r\n')
  assert.deepEqual(await client.answer('i'), { status: 'OK', text: 'Idle completed', untagged: [] })
})

test('IDLE and DONE may come together', async () => {
  await using client = await serving.signedIn()
  client.write('i IDLE\r\nDONE\r\nn NOOP\r\n')
  assert.equal((await client.answer('i')).status, 'OK')
  assert.equal((await client.answer('n')).status, 'OK')
})

test('a program that is idle as its password changes is told BYE', async () => {
  const { mailbox, client } = await idle()
  await using _client = client
  const password_hash = await hashPassword('another battery staple', { organization: '', key: '' })
  await world.db.updateTable('mailboxes').set({ password_hash }).where('id', '=', mailbox.mailboxId).execute()
  assert.match(await client.untagged(/^BYE/), /sign in again/)
  assert.equal(await client.ended(), '')
})

test('NOTIFY has a program told between its commands, never within their answers', async () => {
  await using one = await serving.signedIn()
  await using other = await serving.signedIn()
  await one.run('SELECT INBOX')
  await one.run('NOTIFY SET (SELECTED (MessageNew (UID) MessageExpunge))')
  await other.run('APPEND INBOX ', { literal: 'Subject: One\r\n\r\n' })
  assert.equal(await one.untagged(/FETCH/), '1 FETCH (UID 1)')
  await other.run('SELECT INBOX')
  await other.run('UID MOVE 1 Archive')
  assert.equal(await one.untagged(/EXPUNGE/), '1 EXPUNGE')
})
