import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { MessageReader } from '#/formats/mime/reader.ts'
import { listMessages } from '#/mail/store/list.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { mailKey } from '#test/world/installation.ts'
import { insertDue } from '#test/world/mail/due-mail.ts'
import { idKey } from '#test/world/mail/mailboxes.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { insertOrganization } from '#test/world/organization/stored-organization.ts'
import { PendingCopies } from './pending-copies.ts'

/** Two messages that are sent, `a` and `b`, and whose copies are pending. */
async function sentTwo() {
  await using resources = new AsyncDisposableStack()
  const { db } = resources.use(await testDatabase())
  const reader = resources.use(new MessageReader())
  const clock = { now: new Date('2026-11-21T08:00:00Z') }
  const time = async () => clock.now
  const stored = { domain: 'copies.example', mailboxes: ['ada'] }
  const { organizationId, addresses } = await insertOrganization(db, stored)
  const [address = ''] = addresses
  const ids = { a: randomUUID(), b: randomUUID() }
  const due = Object.entries(ids).map(([subject, id]) => ({ id, subject, recipients: ['bob@x'], sendAt: clock.now }))
  await insertDue(db, { organizationId, address }, due)
  await db.deleteFrom('outbound_recipients').execute()
  await db.updateTable('outbound_messages').set({ state: 'copy_pending', copy_due_at: clock.now }).execute()
  const copies = resources.use(new PendingCopies({ db, idKey, time, reader, mailKey, log: pino({ level: 'silent' }) }))
  const { id: mailboxId } = await db.selectFrom('mailboxes').select('id').executeTakeFirstOrThrow()
  const inSent = async () => {
    const { messages } = await listMessages(db, { organizationId, mailboxId }, 'sent', { limit: 10, page: 0 })
    return messages.map(({ subject }) => subject).toSorted()
  }
  const made = resources.move()
  return { db, ids, clock, copies, inSent, [Symbol.asyncDispose]: () => made.disposeAsync() }
}

test('a copy that cannot be read delays no other, and is stored once it can be', async () => {
  await using world = await sentTwo()
  const { db, ids, clock, copies, inSent } = world
  const octets = db.selectFrom('outbound_pieces').select('bytes').where('message_id', '=', ids.a)
  const { bytes } = await octets.executeTakeFirstOrThrow()
  const set = (octets: Buffer) =>
    db.updateTable('outbound_pieces').set({ bytes: octets }).where('message_id', '=', ids.a).execute()
  await set(Buffer.from('damaged'))
  await copies.processAll()
  assert.deepEqual(await inSent(), ['b'])
  await set(bytes)
  clock.now = new Date(clock.now.getTime() + 20_000)
  await copies.processAll()
  assert.deepEqual(await inSent(), ['a', 'b'])
})

test('copies that a process left when it died, or could not store, wait for no round of scheduled mail', async (t) => {
  await using world = await sentTwo()
  const { clock, copies, inSent } = world
  t.mock.timers.enable({ apis: ['setInterval'] })
  clock.now = new Date(clock.now.getTime() - 1)
  copies.start()
  await copies.processAll()
  assert.deepEqual(await inSent(), [], 'none is due')
  clock.now = new Date(clock.now.getTime() + 1)
  t.mock.timers.tick(2_000)
  await onceWritten(async () => (await inSent()).length === 2)
})
