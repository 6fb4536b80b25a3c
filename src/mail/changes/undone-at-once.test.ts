// On a server: requests undo one change at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { whileHeld } from '#test/world/database/while-held.ts'
import { World } from '#test/world/world.ts'

const skip = process.env.TEST_DATABASE_URL === undefined && 'the embedded database has one connection'

test('of requests that wait for each other, one undoes a change, and all answer its undo', { skip }, async () => {
  await using world = await World.start()
  const { organization, id: mailboxId, address } = await world.mailbox('ada')
  await storeMessages(world, { organizationId: organization.id, mailboxId }, [
    { seen: false, receivedAt: Date.UTC(2026, 10, 21), sender: 'ann@far.example', headers: '' },
  ])
  const path = `/v1/messages?mailbox=${address}&folder=inbox`
  const { change_id } = (await organization.request('PATCH', path, { uids: [1], starred: true })).body
  const undo = () => organization.request('POST', `/v1/changes/${change_id}/undo`)
  const answers = await whileHeld(
    world.db,
    (tx) => sql`select from changes where id = ${change_id} for update`.execute(tx),
    () => Promise.all([undo(), undo(), undo()]),
    { count: 3 },
  )
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
})
