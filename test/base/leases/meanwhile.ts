import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { databaseNow, type Lease, Leases, type Now } from '#/base/db/leases.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { testDatabase } from '#test/world/database/database.ts'

/**
 * Tests in which another process changes a row after a statement has begun, and before it has locked the row. A
 * statement sees rows as they were when it began, so it must check the locked rows again. This needs two
 * connections, so it happens on a server only.
 */
export function leasesMeanwhile(): void {
  const leases = new Leases('domains', 20_000)
  const [all, due] = [sql`select id from domains`, sql`next_check_at <= clock_timestamp()`]
  /** Gives lock 2 of its connection back, and waits for as long as the other process is in its transaction. */
  const gate = sql<Date>`(
    select clock_timestamp() from pg_advisory_xact_lock(1 + 0 * pg_advisory_unlock(2)::integer))`
  const gated = { chosen: sql`${all} where ${gate} is not null`, due }

  let database: Database
  let db: Db
  /** Begins a statement, lets another process act during it, and answers the statement's result. */
  function meanwhile<Result>(begin: (by: Db) => Promise<Result>, other: (tx: Db) => Promise<unknown>): Promise<Result> {
    return db.connection().execute(async (by) => {
      await sql`select pg_advisory_lock(2)`.execute(by)
      const under = await db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(1)`.execute(tx)
        const result = begin(by)
        await sql`select pg_advisory_xact_lock(2)`.execute(tx)
        await other(tx)
        return { result }
      })
      return await under.result
    })
  }

  const claim = (by: Db) => leases.claim(by, new Date(), { chosen: all, due })
  const release = (by: Db, held: readonly Lease[], set: RawBuilder<unknown>) => leases.release(by, held, set)

  const reclaimExpired = (now: Now, by = db) => leases.reclaimExpired(by, now, sql`status = status`)

  async function claimed(): Promise<Lease[]> {
    const held = await claim(db)
    assert.equal(held.length, 1)
    return held
  }

  describe('while a statement is under way', () => {
    before(async () => {
      database = await testDatabase()
      db = database.db
    })
    after(() => database[Symbol.asyncDispose]())
    beforeEach(async () => {
      await sql`delete from domains`.execute(db)
      const { id } = await createOrganization(db, { name: randomUUID(), plan: 'self_hosted' }, byOperator)
      await sql`
        insert into domains (organization_id, domain, next_check_at)
        values (${id}, ${`${id}.test`}, clock_timestamp())`.execute(db)
    })

    test('a row that another process has claimed is not claimed', async () => {
      let held: Lease[] = []
      const claims = await meanwhile(
        (by) => leases.claim(by, new Date(), gated),
        async (tx) => {
          held = await claim(tx)
        },
      )
      assert.deepEqual(claims, [])
      assert.equal((await release(db, held, sql`next_check_at = null`)).size, 1)
    })

    test('a row that another process has done is not claimed', async () => {
      const claims = await meanwhile(
        (by) => leases.claim(by, new Date(), gated),
        async (tx) => release(tx, await claim(tx), sql`next_check_at = clock_timestamp() + interval '1 day'`),
      )
      assert.deepEqual(claims, [])
    })

    test('a row that another process has locked is neither claimed nor reclaimed, nor waited for', async () => {
      await db.transaction().execute(async (tx) => {
        assert.equal((await claim(tx)).length, 1)
        assert.deepEqual(await claim(db), [])
      })
      await sql`update domains set leased_until = clock_timestamp()`.execute(db)
      await db.transaction().execute(async (tx) => {
        await sql`select from domains for no key update`.execute(tx)
        assert.equal(await reclaimExpired(databaseNow), 0)
      })
      assert.equal(await reclaimExpired(databaseNow), 1)
    })

    test('a lease that its process has extended is not reclaimed', async () => {
      const held = await claimed()
      await sql`update domains set leased_until = clock_timestamp()`.execute(db)
      const taken = await meanwhile(
        (by) => reclaimExpired(gate, by),
        (tx) => leases.extend(tx, held, new Date()),
      )
      assert.equal(taken, 0)
      assert.equal((await release(db, held, sql`next_check_at = null`)).size, 1)
    })
  })
}
