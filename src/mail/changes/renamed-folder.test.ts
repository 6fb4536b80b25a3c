import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listMessages } from '#/mail/store/list.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { World } from '#test/world/world.ts'

// In the database alone: an IMAP server knows a folder by its name.

test('an undo follows folders to their new names', async () => {
  await using world = await World.start()
  const { organization, id: mailboxId, address } = await world.mailbox('ada')
  const mailbox = { organizationId: organization.id, mailboxId }
  const message = { seen: false, receivedAt: Date.UTC(2026, 10, 21), sender: 'ann@x.test', headers: '' }
  await storeMessages(world, mailbox, [message], 'From')
  const path = `/v1/messages?mailbox=${address}&folder=From`
  const { body } = await organization.request('PATCH', path, { uids: [1], folder: 'To' })
  for (const name of ['From', 'To'])
    await organization.bodyOf(200, 'PATCH', `/v1/folders/${name}?mailbox=${address}`, { name: `${name} now` })
  assert.equal((await organization.request('POST', `/v1/changes/${body.change_id}/undo`)).body.messages, 1)
  const { messages } = await listMessages(world.db, mailbox, 'From now', { limit: 1, page: 0 })
  assert.equal(messages.length, 1)
})
