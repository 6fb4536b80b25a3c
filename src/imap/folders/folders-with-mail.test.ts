import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logged } from '#test/events/logged.ts'
import { type ReadingMailbox, Serving } from '#test/world/imap/serving.ts'
import { hand, letter } from '#test/world/letters/letter.ts'

const serving = await Serving.ofFile()
const { world, organization } = serving

/** A mailbox with two messages in its inbox, and a client of it. */
async function withMail() {
  const mailbox = await serving.newMailbox()
  for (const subject of ['One', 'Two'])
    assert.equal(await hand(world, 'ann@peer.example', mailbox.address, letter({ subject })), '250 2.6.0')
  return { mailbox, client: await serving.signedIn(mailbox) }
}

async function foldersOf({ address }: ReadingMailbox): Promise<Record<string, number>> {
  const { body } = await organization.request('GET', `/v1/folders?mailbox=${address}`)
  return Object.fromEntries(body.data.map(({ name, total }: { name: string; total: number }) => [name, total]))
}

async function eventsOf({ address }: ReadingMailbox): Promise<string[]> {
  const events = await logged(organization, 'message.changed,message.deleted')
  return events
    .filter(({ mailbox }) => mailbox === address)
    .map(({ type, by, message: { folder, uid } }) => `${type} by ${by.kind}: ${folder} ${uid}`)
}

test('INBOX is renamed by moving its messages to a new folder; those within it stay', async () => {
  const { mailbox, client: opened } = await withMail()
  await using client = opened
  await client.run('CREATE INBOX/kept')
  assert.equal((await client.run('RENAME INBOX Old/mail')).status, 'OK')
  const folders = await foldersOf(mailbox)
  assert.deepEqual([folders.inbox, folders['Old/mail'], folders['INBOX/kept']], [0, 2, 0])
  assert.deepEqual(
    await eventsOf(mailbox),
    [1, 2].map((uid) => `message.changed by mail_program: Old/mail ${uid}`),
  )
})

test('a deleted folder takes its messages along, and the session that had selected it has none', async () => {
  const { mailbox, client: opened } = await withMail()
  await using client = opened
  await client.run('RENAME INBOX Old')
  const before = await eventsOf(mailbox)
  assert.equal((await client.run('SELECT Old')).status, 'OK')
  const { status, text } = await client.run('DELETE Old')
  assert.equal(status, 'OK', text)
  assert.equal((await foldersOf(mailbox)).Old, undefined)
  const events = (await eventsOf(mailbox)).slice(before.length)
  assert.deepEqual(
    events,
    [1, 2].map((uid) => `message.deleted by mail_program: Old ${uid}`),
  )
  assert.equal((await client.run('CHECK')).status, 'BAD')
})

test('what is made and renamed over HTTP is listed with its subscription', async () => {
  const mailbox = await serving.newMailbox()
  await using client = await serving.signedIn(mailbox)
  const path = (name: string) => `/v1/folders${name && `/${name}`}?mailbox=${mailbox.address}`
  await organization.request('POST', path(''), { name: 'Made' })
  await client.run('UNSUBSCRIBE Made')
  await organization.request('PATCH', path('Made'), { name: 'Named' })
  await organization.request('POST', path(''), { name: 'Made' })
  const { untagged } = await client.run('LIST "" (Made Named) RETURN (SUBSCRIBED)')
  assert.deepEqual(untagged, ['LIST (\\HasNoChildren \\Subscribed) "/" Made', 'LIST (\\HasNoChildren) "/" Named'])
})
