// On both databases: workers lease messages from each other.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { pieceBytes } from '#/base/event-loop/pieces.ts'
import { Caller, everyLevel } from '#/http/access/caller.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { mailKey } from '#test/world/installation.ts'
import { addScheduled, addSent } from '#test/world/mail/queued.ts'
import { claimScheduled } from './claims.ts'
import { cancel, depart, endSent, fail, forgetFailed, markSentToSome, noteReason, reschedule } from './lifecycle.ts'
import { queuedOctets } from './message.ts'
import { claimPendingCopies, markCopiesStored } from './pending-copies.ts'
import { settle } from './recipients.ts'
import { dropWaiting, retryNow } from './waiting.ts'

let one: string
const now = new Date('2026-11-21T08:00:00Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const database = await databaseOfFile()
const { db } = database
beforeEach(async () => {
  await db.deleteFrom('outbound_messages').execute()
  one = (await createOrganization(db, { name: randomUUID(), plan: 'team' }, byOperator)).id
})

const within = <Result>(work: (tx: Tx) => Promise<Result>) => db.transaction().execute(work)
const scheduled = (...recipients: string[]) => addScheduled(db, one, recipients, now)
const begin = async () => (await claimScheduled(db, mailKey, now)).claims

async function states(): Promise<Record<string, string>> {
  const rows = await db.selectFrom('outbound_messages').select(['id', 'state']).execute()
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]))
}

async function octets(id: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(queuedOctets(db, mailKey, id))).toString()
}

test('a message departs with other octets if they have changed, and those of a worker that comes late are not kept', async () => {
  const [id, other] = [await scheduled('a@x'), await scheduled('b@x')]
  const claim = (await begin()).find(({ message }) => message.id === id)
  assert.ok(claim)
  const { message, batch } = claim
  const leave = async (text: string) => {
    const encoding = { smtpUtf8: false, eightBit: false }
    const departing = { message, recipients: batch.recipients, raw: Buffer.from(text), encoding, changed: true }
    return [...(await within((tx) => depart(tx, mailKey, [departing], now)))]
  }
  assert.deepEqual([await leave('Signed'), await octets(id)], [[id], 'Signed'])
  assert.deepEqual([await leave('Signed later'), await octets(id)], [[], 'Signed'])
  const rows = db.selectFrom('outbound_messages').select(['allowance_due', 'size_bytes']).where('id', '=', other)
  const { allowance_due, size_bytes } = await rows.executeTakeFirstOrThrow()
  assert.deepEqual([allowance_due, size_bytes], [1, (await octets(other)).length], 'the other has not departed')
})

test('a message of which a worker has lost a recipient is not ended, and another in the same statement is', async () => {
  const [id, other] = [await scheduled('a@x', 'b@x'), await scheduled('c@x')]
  const claims = await begin()
  await sql`update outbound_recipients set lease_epoch = lease_epoch + 1 where recipient = 'b@x'`.execute(db)
  const sent = [id, other].map((messageId) => {
    const claim = claims.find(({ message }) => message.id === messageId)
    return { messageId, recipients: claim?.batch.recipients ?? [] }
  })
  assert.deepEqual(await endSent(db, sent), [false, true])
  assert.deepEqual(await states(), { [id]: 'sending', [other]: 'copy_pending' })
  const left = await db.selectFrom('outbound_recipients').select('recipient').orderBy('id').execute()
  assert.deepEqual(each(left, 'recipient'), ['a@x', 'b@x'])
})

test('a change of state affects its message only', async () => {
  const [id, other] = [await scheduled('a@x'), await scheduled('b@x')]
  const { message } = (await begin()).find((claim) => claim.message.id === id) ?? {}
  assert.ok(message)
  await within((tx) => noteReason(tx, message, 'Full'))
  const full = await db.selectFrom('outbound_messages').select('id').where('last_error', '=', 'Full').execute()
  assert.deepEqual(full, [{ id }])
  await within((tx) => markSentToSome(tx, message))
  assert.deepEqual(await states(), { [id]: 'copy_pending', [other]: 'sending' })
  await within((tx) => fail(tx, other, 'No', now))
  assert.deepEqual(await states(), { [id]: 'copy_pending', [other]: 'failed' })
  await within((tx) => fail(tx, id, 'No', now))
  assert.deepEqual(await states(), { [id]: 'copy_pending', [other]: 'failed' }, 'somebody has it')
})

test('a message that everybody has stays until its copy is in Sent', async () => {
  const id = await scheduled('a@x')
  const [claim] = await begin()
  assert.ok(claim)
  const { message, batch } = claim
  await within(async (tx) => {
    await markSentToSome(tx, message)
    await settle(tx, id, batch.recipients, each(batch.recipients, 'id'))
  })
  assert.deepEqual(await states(), { [id]: 'copy_pending' })
  assert.equal(await within((tx) => markCopiesStored(tx, [id])), true)
  assert.deepEqual(await states(), {})
})

test('a message is put back and cancelled by its own organization, and no other is with it', async () => {
  const [id, other] = [await scheduled('a@x'), await scheduled('b@x')]
  await begin()
  for (const each of [id, other]) await within((tx) => fail(tx, each, 'No', now))
  const caller = Caller.unrestricted
  const back = (organizationId: string) => within((tx) => reschedule(tx, { caller: caller(organizationId), id }, now))
  assert.deepEqual([await back(randomUUID()), await back(one), await back(one)], [false, true, false])
  assert.deepEqual(await states(), { [id]: 'scheduled', [other]: 'failed' })
  await within((tx) => reschedule(tx, { caller: caller(one), id: other }, now))
  const cancelFor = (organizationId: string) => within((tx) => cancel(tx, caller(organizationId), id))
  assert.deepEqual([await cancelFor(randomUUID()), await cancelFor(one)], [false, true])
  assert.deepEqual(await states(), { [other]: 'scheduled' })
})

test('a key that does not see the mailbox of a message neither puts it back nor cancels it', async () => {
  const [failed, waiting] = [await scheduled('a@x'), await addScheduled(db, one, ['b@x'], later(1))]
  await begin()
  await within((tx) => fail(tx, failed, 'No', now))
  const caller = new Caller(one, { mailboxes: everyLevel([randomUUID()]), recipients: null })
  assert.equal(await within((tx) => reschedule(tx, { caller, id: failed }, now)), false)
  assert.equal(await within((tx) => cancel(tx, caller, waiting)), false)
  assert.deepEqual(await states(), { [failed]: 'failed', [waiting]: 'scheduled' })
})

test('what has failed is forgotten after thirty days', async () => {
  const [id, other] = [await scheduled('a@x'), await scheduled('b@x')]
  await begin()
  await within((tx) => fail(tx, id, 'No', now))
  const days = 24 * 60 * 60_000
  await forgetFailed(db, later(30 * days - 1))
  assert.deepEqual(await states(), { [id]: 'failed', [other]: 'sending' })
  await forgetFailed(db, later(30 * days))
  assert.deepEqual(await states(), { [other]: 'sending' })
})

test('pending copies are read up to four MiB at a time, those that have waited longest first, but one in any case', async () => {
  const ids: string[] = []
  for (const size of [4 * pieceBytes, 1, 4 * pieceBytes - 1]) {
    ids.push(await scheduled('a@x'))
    await sql`update outbound_messages set state = 'copy_pending', size_bytes = ${size},
      copy_due_at = ${later(ids.length - 3)} where id = ${ids.at(-1)}`.execute(db)
  }
  const due = async () => (await claimPendingCopies(db, now, later(1))).map(({ id }) => id).toSorted()
  assert.deepEqual([await due(), await due(), await due()], [ids.slice(0, 1), ids.slice(1).toSorted(), []])
})

test('copies are stored of the messages that are pending, and only where all of them are', async () => {
  const [gone, waits, other] = [await scheduled('a@x'), await scheduled('b@x'), await scheduled('c@x')]
  await begin()
  await sql`update outbound_messages set state = 'copy_pending', copy_due_at = ${now}`.execute(db)
  await sql`delete from outbound_recipients where recipient in ('a@x', 'c@x')`.execute(db)
  const store = (...ids: string[]) => within((tx) => markCopiesStored(tx, ids))
  assert.equal(await store(gone, waits), true)
  assert.deepEqual(await states(), { [waits]: 'queued', [other]: 'copy_pending' })
  for (const lost of [gone, waits]) assert.equal(await store(lost), false)
  assert.deepEqual(await states(), { [waits]: 'queued', [other]: 'copy_pending' })
})

test('a scheduled message removed from the queue has failed, and names recipients who may have it', async () => {
  const [id, other] = [await scheduled('a@x'), await scheduled('b@x')]
  const queued = await addSent(db, one, ['c@x'], now)
  assert.equal(await retryNow(db, id), undefined, 'it goes at its time')
  await begin()
  assert.deepEqual(await within((tx) => dropWaiting(tx, id)), { dropped: [] }, 'it is being sent')
  await sql`update outbound_recipients set state = 'waiting', leased_until = null`.execute(db)
  await sql`update outbound_recipients set doubted_at = ${now} where recipient = 'b@x'`.execute(db)
  for (const each of [id, other, queued]) assert.equal((await within((tx) => dropWaiting(tx, each)))?.dropped.length, 1)
  assert.deepEqual([await within((tx) => dropWaiting(tx, id)), await retryNow(db, id)], [undefined, undefined])
  assert.deepEqual(await states(), { [id]: 'failed', [other]: 'failed' })
  const rows = await db.selectFrom('outbound_messages').select(['id', 'last_error']).execute()
  const reasons = new Map(rows.map((row) => [row.id, row.last_error ?? '']))
  assert.equal(reasons.get(id), 'Removed from the queue by the operator')
  const doubt = /^Removed from the queue by the operator\. It may have arrived: .* to b@x, and no reply had come by/
  assert.match(reasons.get(other) ?? '', doubt)
})
