// On both databases: workers claim messages at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { LeaseLost } from '#/base/db/leases.ts'
import { Caller } from '#/http/access/caller.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { mailKey } from '#test/world/installation.ts'
import { addScheduled, addSent } from '#test/world/mail/queued.ts'
import {
  type Batch,
  claimScheduled,
  claimSuspect,
  claimWaiting,
  leases,
  markEndOfData,
  reclaimExpired,
} from './claims.ts'
import { composed } from './composed.ts'
import { encodingOf } from './enqueue.ts'
import { cancel, depart, endSent, fail, reschedule } from './lifecycle.ts'
import { type QueuedMessage, queuedMessage } from './message.ts'
import { claimPendingCopies, markCopiesStored } from './pending-copies.ts'
import { defer, lockClaimed, settle } from './recipients.ts'

let one: string
let now: Date
const database = await databaseOfFile()
beforeEach(async () => {
  await database.db.deleteFrom('outbound_messages').execute()
  one = await organization()
  now = new Date('2026-11-21T08:00:00Z')
})

async function organization(): Promise<string> {
  return (await createOrganization(database.db, { name: randomUUID(), plan: 'team' }, byOperator)).id
}

const raw = Buffer.from('Subject: Out\r\n\r\nHello\r\n')
const encoding = encodingOf({ raw, recipients: [] })

const sent = (organizationId: string, ...recipients: string[]) => addSent(database.db, organizationId, recipients, now)

const scheduled = (organizationId: string, ...recipients: string[]) =>
  addScheduled(database.db, organizationId, recipients, now)

const claimOne = async (): Promise<Batch> => {
  const [batch] = await claimWaiting(database.db, now, [], 10)
  assert.ok(batch)
  return batch
}

async function begin(): Promise<{ message: QueuedMessage; batch: Batch }> {
  const { claims } = await claimScheduled(database.db, mailKey, now)
  assert.ok(claims[0])
  return claims[0]
}

/** A worker dies, and its lease ends. */
async function die(): Promise<void> {
  now = new Date(now.getTime() + leases.forMs + 1_000)
  await reclaimExpired(database.db, now)
}

async function states(): Promise<unknown[]> {
  const { rows } = await sql<{ message: string; recipient: string; attempts: number; cut: number }>`
    select message.state as message, recipient.state as recipient, attempts, cut_short as cut from outbound_messages message
    left join outbound_recipients recipient on recipient.message_id = message.id order by recipient.id`.execute(
    database.db,
  )
  return rows.map(({ message, recipient, attempts, cut }) => [message, recipient, attempts, cut])
}

test('a claim takes all recipients of a message by one route, and counts one attempt of each', async () => {
  await sent(one, 'a@x', 'b@x', 'c@x')
  const batch = await claimOne()
  assert.deepEqual(batch.recipients.map(({ recipient }) => recipient).toSorted(), ['a@x', 'b@x', 'c@x'])
  assert.deepEqual(await states(), Array(3).fill(['queued', 'sending', 1, 0]))
  assert.deepEqual(await claimWaiting(database.db, now, [], 10), [])
})

test('of workers that claim at once one has the whole of a scheduled message', async () => {
  await scheduled(one, 'a@x', 'b@y')
  const claims = await Promise.all(Array.from({ length: 5 }, () => claimScheduled(database.db, mailKey, now)))
  const batches = claims.flatMap(({ claims }) => claims.map(({ batch }) => batch.recipients.length))
  assert.deepEqual(batches, [2])
  assert.deepEqual(await states(), Array(2).fill(['sending', 'sending', 1, 0]))
})

test('what is scheduled does not go before its time, and begins with the claim', async () => {
  const id = await scheduled(one, 'a@x')
  assert.deepEqual((await claimScheduled(database.db, mailKey, new Date(now.getTime() - 1))).claims, [])
  assert.deepEqual(await claimWaiting(database.db, now, [], 10), [])
  await begin()
  assert.equal(await database.db.transaction().execute((tx) => cancel(tx, Caller.unrestricted(one), id)), false)
})

test('an attempt whose worker died is counted apart, and its recipients are sent alone from then on', async () => {
  for (const to of ['a@x', 'b@x']) await sent(one, to)
  await claimWaiting(database.db, now, [], 10)
  await die()
  assert.deepEqual(await states(), Array(2).fill(['queued', 'suspect', 1, 1]))
  assert.deepEqual(await claimWaiting(database.db, now, [], 10), [])
  const suspect = await claimSuspect(database.db, now, [])
  const { recipients, attempts, cutShort, suspect: alone } = suspect ?? assert.fail()
  assert.deepEqual([recipients.length, attempts, cutShort, alone], [1, 2, 1, true])
})

test('who lost the lease writes nothing: no end of data, no outcome, no octets', async () => {
  const id = await sent(one, 'a@x')
  const late = await claimOne()
  await die()
  const suspect = await claimSuspect(database.db, now, [])
  assert.ok(suspect)
  assert.deepEqual(await markEndOfData(database.db, [late.recipients, suspect.recipients]), [false, true])
  await database.db.transaction().execute(async (tx) => {
    assert.deepEqual(await lockClaimed(tx, late.recipients), [])
    const row = late.recipients[0]?.id ?? 0
    const later = { reply: null, reason: 'Late', host: null, delayNoticeAt: null, ambiguousAt: null }
    await defer(tx, late.recipients, [{ id: row, dueAt: now, ...later }])
    await settle(tx, id, late.recipients, [row])
  })
  assert.deepEqual(await states(), [['queued', 'sending', 2, 1]])
})

test('who lost the lease does not put in place what it has composed', async () => {
  const id = await addSent(database.db, one, ['a@x'], now, { source: {} })
  const late = await claimOne()
  await die()
  const suspect = await claimSuspect(database.db, now, [])
  const message = await queuedMessage(database.db, mailKey, one, id)
  assert.ok(message && suspect)
  const other = { sender: 'x@y', raw: Buffer.from('Other'), verdict: null }
  const put = ({ recipients }: Batch) =>
    database.db.transaction().execute((tx) => composed(tx, mailKey, { message, recipients }, other))
  await assert.rejects(put(late), LeaseLost)
  assert.deepEqual(await states(), [['uncomposed', 'sending', 2, 1]])
  assert.equal((await put(suspect)).state, 'queued')
  await assert.rejects(put(suspect), LeaseLost, 'it is composed once')
})

test('who lost the lease on a scheduled message neither ends it nor has it depart', async () => {
  await scheduled(one, 'a@x')
  const { message, batch } = await begin()
  await die()
  assert.ok(await claimSuspect(database.db, now, []))
  const { recipients } = batch
  assert.deepEqual(await endSent(database.db, [{ messageId: message.id, recipients }]), [false])
  const late = [{ message, recipients, raw, encoding, changed: false }]
  const departed = await database.db.transaction().execute((tx) => depart(tx, mailKey, late, now))
  assert.deepEqual([...departed], [])
  assert.deepEqual(await states(), [['sending', 'sending', 2, 1]])
})

test('a message departs once, so its allowance is claimed once, and again when it is put back', async () => {
  const id = await scheduled(one, 'a@x', 'b@x')
  const leave = async () => {
    const { message, batch } = await begin()
    const departing = [{ message, recipients: batch.recipients, raw, encoding, changed: false }]
    const all = []
    for (let times = 0; times < 2; times++)
      all.push([...(await database.db.transaction().execute((tx) => depart(tx, mailKey, departing, now)))])
    return [message.allowanceDue, ...all]
  }
  assert.deepEqual(await leave(), [2, [id], []])
  await database.db.transaction().execute((tx) => fail(tx, id, 'No', now))
  assert.deepEqual(await states(), Array(2).fill(['failed', 'held', 1, 0]))
  await database.db.transaction().execute((tx) => reschedule(tx, { caller: Caller.unrestricted(one), id }, now))
  assert.deepEqual(await states(), Array(2).fill(['scheduled', 'held', 0, 0]))
  assert.deepEqual(await leave(), [2, [id], []])
})

test('a pending copy is tried by one worker a minute, and stored once', async () => {
  const id = await scheduled(one, 'a@x')
  const { batch } = await begin()
  const { recipients } = batch
  assert.deepEqual(await endSent(database.db, [{ messageId: id, recipients }]), [true])
  assert.deepEqual(await states(), [['copy_pending', null, null, null]])
  const next = new Date(now.getTime() + 60_000)
  const ids = async (at: Date) => (await claimPendingCopies(database.db, at, next)).map((copy) => copy.id)
  assert.deepEqual([await ids(now), await ids(now), await ids(next)], [[id], [], [id]])
  const store = () => database.db.transaction().execute((tx) => markCopiesStored(tx, [id]))
  assert.deepEqual([await store(), await store(), await states()], [true, false, []])
})

test('a copy that is stored while some still wait leaves them in the queue', async () => {
  const id = await scheduled(one, 'a@x', 'b@x')
  await begin()
  await sql`update outbound_messages set state = 'copy_pending', copy_due_at = now()`.execute(database.db)
  await database.db.transaction().execute((tx) => markCopiesStored(tx, [id]))
  assert.deepEqual(await states(), Array(2).fill(['queued', 'sending', 1, 0]))
  const ours = database.db.selectFrom('scheduled_usage').select('messages').where('organization_id', '=', one)
  const usage = await ours.execute()
  assert.deepEqual(usage, [{ messages: 0 }])
})
