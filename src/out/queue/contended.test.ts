// On a server: what one connection has locked another passes over.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { mailKey } from '#test/world/installation.ts'
import { addScheduled, addSent } from '#test/world/mail/queued.ts'
import { claimScheduled, claimWaiting } from './claims.ts'
import { fail } from './lifecycle.ts'
import { claimPendingCopies, markCopiesStored } from './pending-copies.ts'

/** What one worker does while another is in the middle of a transaction or of a statement. For this two connections are
 *  needed: only on a server is anything ever in the middle. */
const skip = process.env.TEST_DATABASE_URL === undefined && 'the embedded database has one connection'

describe('while another worker is in the middle of something', { skip }, () => {
  let database: Database
  let db: Db
  let organizationId: string
  const now = new Date('2026-11-21T08:00:00Z')
  before(async () => {
    database = await testDatabase()
    db = database.db
    organizationId = (await createOrganization(db, { name: randomUUID(), plan: 'team' }, byOperator)).id
  })
  after(() => database[Symbol.asyncDispose]())
  beforeEach(() => db.deleteFrom('outbound_messages').execute())

  const scheduled = () => addScheduled(db, organizationId, ['a@x'], now)

  /** Does something while another worker has the rows of all messages locked. */
  async function whileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
    return await db.transaction().execute(async (tx) => {
      await sql`select from outbound_messages for update`.execute(tx)
      return await work()
    })
  }

  test('a message that another worker is just claiming something of is passed over, and not waited for', async () => {
    const id = await addSent(db, organizationId, ['a@x'], now)
    assert.deepEqual(await whileLocked(() => claimWaiting(db, now, [], 10)), [])
    const [batch] = await claimWaiting(db, now, [], 10)
    assert.equal(batch?.messageId, id)
  })

  test('a scheduled message that another worker is just claiming is passed over, and looked for again', async () => {
    await scheduled()
    const during = await whileLocked(() => claimScheduled(db, mailKey, now))
    assert.deepEqual(during, { claims: [], contended: true })
    assert.equal((await claimScheduled(db, mailKey, now)).claims.length, 1)
    assert.deepEqual(await claimScheduled(db, mailKey, now), { claims: [], contended: false })
  })

  test('a pending copy that another worker is just claiming is passed over, and not waited for', async () => {
    await scheduled()
    await sql`update outbound_messages set state = 'copy_pending', copy_due_at = ${now}`.execute(db)
    assert.deepEqual(await whileLocked(() => claimPendingCopies(db, now, now)), [])
    assert.equal((await claimPendingCopies(db, now, now)).length, 1)
  })

  test('of two workers that store a pending copy at once one does, and the other gets false', async () => {
    const id = await scheduled()
    await sql`update outbound_messages set state = 'copy_pending', copy_due_at = ${now}`.execute(db)
    const store = () => db.transaction().execute((tx) => markCopiesStored(tx, [id]))
    assert.deepEqual((await Promise.all([store(), store()])).toSorted(), [false, true])
  })

  test('a scheduled message that another worker has begun and given up meanwhile is not sent', async () => {
    await scheduled()
    await db.connection().execute(async (worker) => {
      // The worker asks who is suspended: there it gives lock 2 back, and waits for as long as somebody else has lock 1.
      await sql`create temp view organizations as
        select one.* from public.organizations one
        where (select true from pg_advisory_xact_lock(1 + 0 * pg_advisory_unlock(2)::integer))`.execute(worker)
      await sql`select pg_advisory_lock(2)`.execute(worker)
      const claiming = await db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(1)`.execute(tx)
        const claims = claimScheduled(worker, mailKey, now)
        await sql`select pg_advisory_xact_lock(2)`.execute(tx)
        const [begun] = (await claimScheduled(db, mailKey, now)).claims
        assert.ok(begun)
        await db.transaction().execute((tx) => fail(tx, begun.message.id, 'No', now))
        return { claims }
      })
      assert.deepEqual((await claiming.claims).claims, [])
      await sql`drop view pg_temp.organizations`.execute(worker)
    })
  })
})
