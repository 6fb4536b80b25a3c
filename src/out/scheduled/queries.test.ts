import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { Caller, everyLevel } from '#/http/access/caller.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import { sealedFields } from '#/out/queue/sealed.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { mailKey } from '#test/world/installation.ts'
import { addScheduled } from '#test/world/mail/queued.ts'
import { promisedOn, retryFailed, scheduledById, scheduledOf, statusOf } from './queries.ts'
import { retry } from './schedule.ts'

let organizationId: string
let caller: Caller
const now = new Date('2026-11-21T08:00:00Z')
const database = await databaseOfFile()
const { db } = database
beforeEach(async () => {
  await db.deleteFrom('organizations').execute()
  organizationId = await organization('team')
  caller = Caller.unrestricted(organizationId)
})

const organization = async (plan: 'free' | 'team') =>
  (await createOrganization(db, { name: randomUUID(), plan }, byOperator)).id
const add = (at = now, ...recipients: string[]) =>
  addScheduled(db, organizationId, recipients.length > 0 ? recipients : ['a@x'], at)
const become = (id: string, state: QueuedMessage['state']) => {
  const times = { failed_at: state === 'failed' ? now : null, copy_due_at: state === 'copy_pending' ? now : null }
  return db
    .updateTable('outbound_messages')
    .set({ state, ...times })
    .where('id', '=', id)
    .execute()
}

for (const [state, status] of [
  ['scheduled', 'pending'],
  ['sending', 'sending'],
  ['failed', 'failed'],
  ['copy_pending', undefined],
] as const)
  test(`a message that is ${state} in the queue is ${status ?? 'not'} in the list`, async () => {
    const [id] = [await add(), await add()]
    await become(id, state)
    const listed = await scheduledOf(db, mailKey, caller)
    const one = await scheduledById(db, mailKey, { caller, id })
    const found = [listed.find((each) => each.id === id)?.status, one?.status, await statusOf(db, { caller, id })]
    assert.deepEqual(found, [status, status, status])
    assert.equal(listed.length, status ? 2 : 1)
  })

test('a message is shown with what is sealed of it, and to its organization alone', async () => {
  const named = { caller, id: await add(now, 'a@x', 'b@x') }
  const [one] = [await scheduledById(db, mailKey, named), await add()]
  assert.deepEqual([one?.id, one?.to, one?.subject, one?.sendAt], [named.id, ['a@x', 'b@x'], 'Out', now])
  const others = { ...named, caller: Caller.unrestricted(await organization('team')) }
  assert.deepEqual([await scheduledById(db, mailKey, others), await statusOf(db, others)], [undefined, undefined])
  assert.deepEqual(await scheduledOf(db, mailKey, others.caller), [])
})

test('the list is soonest first, and a failed message that is put back is pending again', async () => {
  const [late, early] = [await add(), await add(new Date(now.getTime() - 1))]
  const ids = async () => (await scheduledOf(db, mailKey, caller)).map(({ id }) => id)
  assert.deepEqual(await ids(), [early, late])
  const retry = (id: string) => db.transaction().execute((tx) => retryFailed(tx, mailKey, { caller, id }, now))
  await become(early, 'failed')
  assert.deepEqual([(await retry(late))?.status, (await retry(early))?.status], [undefined, 'pending'])
})

test('at most 200 are listed, the soonest of them, with what members queued', async () => {
  const rows = Array.from({ length: 201 }, (_, n) => {
    const [id, at] = [randomUUID(), new Date(now.getTime() - n)]
    const fields = sealedFields(mailKey, id, { to: [`r${n}@x`], cc: [], bcc: [], subject: '' })
    return {
      ...{ id, organization_id: organizationId, sender: 'ada@here.example', size_bytes: 0, fields, send_at: at },
      ...{ smtp_utf8: false, eight_bit: false, attachment_count: 0, kind: 'scheduled' as const, queued_at: at },
      ...{ state: 'scheduled' as const, scheduled_by: 'member' as const, created_at: at },
    }
  })
  await db.insertInto('outbound_messages').values(rows).execute()
  const listed = await scheduledOf(db, mailKey, caller)
  assert.deepEqual([listed.length, listed[0]?.to, listed[199]?.to], [200, ['r200@x'], ['r1@x']])
  assert.equal(listed[0]?.scheduledBy, 'member')
})

test('a key that does not see the mailbox of a message neither sees it nor puts it back', async () => {
  const id = await add()
  await become(id, 'failed')
  const named = { caller: new Caller(organizationId, { mailboxes: everyLevel([randomUUID()]), recipients: null }), id }
  const seen = [await scheduledById(db, mailKey, named), await statusOf(db, named)]
  assert.deepEqual([seen, await scheduledOf(db, mailKey, named.caller)], [[undefined, undefined], []])
  assert.equal(await db.transaction().execute((tx) => retry(tx, mailKey, named, now)), undefined)
  assert.equal(await statusOf(db, { caller, id }), 'failed')
})

test('a key puts a message back only where it may write to all recipients', async () => {
  const id = await add(now, 'ann@there.example', 'bob@there.example')
  await become(id, 'failed')
  const back = (...recipients: string[]) => {
    const caller = new Caller(organizationId, { mailboxes: null, recipients })
    return db.transaction().execute((tx) => retry(tx, mailKey, { caller, id }, now))
  }
  await assert.rejects(back('ann@there.example'), { field: 'id', message: /may not send to bob@there\.example$/ })
  assert.equal(await statusOf(db, { caller, id }), 'failed')
  assert.equal((await back('@there.example'))?.status, 'pending')
})

test('promised of a day is what was sent on it and what is due on it, of the organization alone', async () => {
  const [first, last] = [new Date('2026-11-21T00:00:00Z'), new Date('2026-11-21T23:59:59.999Z')]
  await add(first, 'a@x', 'b@x')
  await become(await add(last, 'c@x'), 'sending')
  await become(await add(last, 'd@x'), 'failed')
  for (const at of [new Date(first.getTime() - 1), new Date(last.getTime() + 1)]) await add(at)
  for (const day of ['2026-11-20', '2026-11-21'])
    await db.insertInto('sends').values({ organization_id: organizationId, day, recipients: 10 }).execute()
  const other = await organization('free')
  const promised = async (id: string) => Object.values(await promisedOn(db, id, now))
  assert.deepEqual(await promised(organizationId), [2_000, 13])
  assert.deepEqual(await promised(other), [100, 0])
})
