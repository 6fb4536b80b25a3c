import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { updateIn, updateMessages } from '#/mail/store/update.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { each } from '#test/world/each.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { World } from '#test/world/world.ts'
import { recordedAtOnce } from './record.ts'

test('what one step has changed is put back in several, if it is much', async () => {
  await using world = await World.start()
  const { db } = world
  const organization = await world.organization()
  const mailbox = { organizationId: organization.id, mailboxId: (await organization.mailbox('ada')).id }
  const many = Array.from({ length: 601 }, (_, number) => {
    return { seen: false, receivedAt: Date.UTC(2026, 10, 21) + number, sender: 'ann@far.example', headers: '' }
  })
  await storeMessages(world, mailbox, many)
  const uids = many.map((_, index) => index + 1)
  const by = byOperator
  const recording = recordedAtOnce({
    organizationId: organization.id,
    mailboxes: [mailbox.mailboxId],
    kind: 'filters',
    by,
  })
  const at = { mailbox, name: 'inbox' }
  const { recorded } = await db.transaction().execute((tx) => updateIn(tx, at, uids, { flagged: true }, by, recording))
  // Somebody has been at one of the first and one of the last.
  await updateMessages(db, mailbox, 'inbox', [7, 590], { flagged: false }, by)

  const body = await organization.bodyOf(201, 'POST', `/v1/changes/${recorded}/undo`)
  const undo = async () => (await organization.request('GET', `/v1/changes/${body.id}`)).body
  await onceWritten(async () => (await undo()).state === 'done')
  const { messages, left_alone } = await undo()
  assert.deepEqual([messages, left_alone], [599, 2])
  const parts = await db
    .selectFrom('change_parts')
    .select(({ fn }) => fn<number>('cardinality', ['uids']).as('count'))
    .where('change_id', '=', body.id)
    .orderBy('id')
    .execute()
  assert.deepEqual(each(parts, 'count'), [499, 100])
  const held = await readSummaries(db, mailbox, 'inbox', uids)
  assert.ok(held.every(({ flagged }) => !flagged))
})
