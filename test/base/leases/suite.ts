import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import type { Lease } from '#/base/db/leases.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { testDatabase } from '#test/world/database/database.ts'
import type { QueueUnderTest } from './queue-under-test.ts'

const racers = 10

/** Tests of every queue with leases. */
export function leasesConformance(name: string, queue: QueueUnderTest): void {
  const { table, leases } = queue
  const lasts = leases.forMs
  /** The part of a lease that a busy machine may use. */
  const half = lasts / 2
  let database: Database
  let db: Db

  /** As if so many milliseconds had passed for all leases; with a negative number the clock is set back. */
  const pass = (milliseconds: number) =>
    sql`update ${sql.table(table)} set leased_until = leased_until - make_interval(secs => ${milliseconds / 1_000})`.execute(
      db,
    )
  const { claimed: begun, released = sql`organization_id = organization_id` } = queue.set ?? {}
  const write = (held: readonly Lease[]) => leases.release(db, held, released)
  const now = () => new Date()
  const sorted = (ids: Iterable<Lease['id']>) => [...ids].sort((a, b) => (a < b ? -1 : 1))

  async function rowOf(id: Lease['id']): Promise<Record<string, unknown>> {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} where id = ${id}`.execute(db)
    assert.ok(rows[0])
    return rows[0]
  }

  /** The only row there is, and a claim of it. */
  async function claimed(): Promise<Lease> {
    await queue.add(db, 1)
    return await claimedAgain()
  }

  async function claimedAgain(): Promise<Lease> {
    const [lease, ...others] = await queue.claim(db)
    assert.ok(lease)
    assert.equal(others.length, 0)
    return lease
  }

  /** The lease ends with the process that had it; long ago, since the clock may be set back by a little meanwhile. */
  async function expire(): Promise<void> {
    await pass(lasts + half)
    await queue.reclaimExpired?.(db)
  }

  describe(name, () => {
    before(async () => {
      database = await testDatabase()
      db = database.db
    })
    after(() => database[Symbol.asyncDispose]())
    beforeEach(() => sql`delete from ${sql.table(table)}`.execute(db))

    test('of ten processes that claim a row at once one gets it', async () => {
      for (let round = 0; round < 5; round++) {
        const [id] = await queue.add(db, 1)
        const claims = await Promise.all(Array.from({ length: racers }, () => queue.claim(db)))
        assert.deepEqual(
          claims.flat().map((lease) => lease.id),
          [id],
        )
        assert.equal((await rowOf(claims.flat()[0]?.id ?? 0)).lease_epoch, 1)
      }
    })

    test('ten processes that claim for as long as there is something get each row once', async () => {
      const ids = await queue.add(db, 40)
      const got: Lease['id'][] = []
      for (let before = -1; got.length > before; ) {
        before = got.length
        const claims = await Promise.all(Array.from({ length: racers }, () => queue.claim(db)))
        got.push(...claims.flat().map(({ id }) => id))
      }
      assert.deepEqual(sorted(got), sorted(ids))
    })

    test('a lease lasts for its time from the claim, and from when it is extended', async () => {
      const began = Date.now()
      const lease = await claimed()
      await assertLasts(lease, began)
      const extended = Date.now()
      await leases.extend(db, [lease], now())
      await assertLasts(lease, extended)
    })

    /** The database's clock is this machine's, which may be set back by a little meanwhile. */
    async function assertLasts({ id }: Lease, since: number): Promise<void> {
      const from = ((await rowOf(id)).leased_until as Date).getTime() - lasts
      const slack = lasts / 20
      assert.ok(since - slack <= from && from <= Date.now() + slack, `from ${from - since} ms after the claim`)
    }

    test('nobody else gets a claimed row before the lease ends, then another does, with a higher epoch', async () => {
      const { id, epoch } = await claimed()
      await pass(half)
      await queue.reclaimExpired?.(db)
      assert.deepEqual(await queue.claim(db), [])
      await expire()
      const next = await claimedAgain()
      assert.equal(next.id, id)
      assert.ok(next.epoch > epoch)
    })

    test('an extended lease lasts as long again', async () => {
      const lease = await claimed()
      await pass(half)
      assert.deepEqual(await leases.extend(db, [lease], now()), new Set([lease.id]))
      await pass(half)
      await queue.reclaimExpired?.(db)
      assert.deepEqual(await queue.claim(db), [])
      await expire()
      assert.equal((await claimedAgain()).id, lease.id)
    })

    test('a lease that has ended and that nobody has found is not lost', async () => {
      const lease = await claimed()
      await pass(2 * lasts)
      assert.deepEqual(await leases.extend(db, [lease], now()), new Set([lease.id]))
      assert.deepEqual(await queue.claim(db), [])
    })

    test('who has lost a lease writes nothing', async () => {
      const lost = await claimed()
      await expire()
      const held = await claimedAgain()
      const before = await rowOf(lost.id)
      assert.deepEqual(await leases.extend(db, [lost], now()), new Set())
      assert.deepEqual(await write([lost]), new Set())
      assert.deepEqual(await rowOf(lost.id), before)
      assert.deepEqual(await write([lost, held]), new Set([held.id]))
      assert.deepEqual(await leases.extend(db, [held], now()), new Set(), 'a lease that was released is over')
    })

    test('who has lost a lease that nobody has now writes nothing either', async () => {
      const lost = await claimed()
      await expire()
      await write([await claimedAgain()])
      const before = await rowOf(lost.id)
      assert.deepEqual([await leases.extend(db, [lost], now()), await write([lost])], [new Set(), new Set()])
      assert.deepEqual(await rowOf(lost.id), before)
    })

    test('a row that is released and still due is claimed again at once', async () => {
      const lease = await claimed()
      assert.deepEqual(await write([lease]), new Set([lease.id]))
      assert.equal((await claimedAgain()).epoch, lease.epoch + 1)
    })

    test('of many leases each is extended and released by its own epoch', async () => {
      await queue.add(db, 12)
      const held: Lease[] = []
      for (let got = await queue.claim(db); got.length > 0; got = await queue.claim(db)) held.push(...got)
      assert.equal(held.length, 12)
      const wrong = held.map(({ id, epoch }, nth) => ({ id, epoch: nth % 3 === 0 ? epoch + 1 : epoch }))
      const right = sorted(held.filter((_, nth) => nth % 3 > 0).map(({ id }) => id))
      assert.deepEqual(sorted(await leases.extend(db, wrong, now())), right)
      assert.deepEqual(sorted(await write(wrong)), right)
      assert.deepEqual([await leases.extend(db, [], now()), await write([])], [new Set(), new Set()])
    })

    test('a claim that is rolled back has not been made', async () => {
      const [id] = await queue.add(db, 1)
      assert.ok(id !== undefined)
      const before = await rowOf(id)
      await assert.rejects(
        db.transaction().execute(async (tx) => {
          assert.equal((await leasesOf(tx)).length, 1)
          throw new Error('The process has ended')
        }),
        /has ended/,
      )
      assert.deepEqual(await rowOf(id), before)
      assert.equal((await claimedAgain()).id, id)
    })

    /** What the queue's own claim does, within a transaction of the test's. */
    const leasesOf = (tx: Db) =>
      leases.claim(tx, now(), {
        chosen: sql`select id from ${sql.table(table)}`,
        due: sql`true`,
        ...(begun && { set: begun }),
      })

    test('a clock that is set back by forty days frees what was claimed, one that is set back by a moment does not', async () => {
      const lease = await claimed()
      await pass(-lasts + 1_000)
      await queue.reclaimExpired?.(db)
      assert.deepEqual(await queue.claim(db), [])
      await pass(-40 * 86_400_000)
      await queue.reclaimExpired?.(db)
      assert.equal((await claimedAgain()).id, lease.id)
    })

    test('a process suspended since it read the clock does not mistake a newer lease for one of a clock set back', async () => {
      const lease = await claimed()
      const [chosen, due] = [sql`select id from ${sql.table(table)}`, sql`true`]
      const stale = new Date(Date.now() - 3 * lasts)
      assert.deepEqual(await leases.claim(db, stale, { chosen, due }), [])
      assert.deepEqual(await write([lease]), new Set([lease.id]))
    })

    if (queue.counts) {
      test('each claim is an attempt from its first instant', async () => {
        const lease = await claimed()
        assert.equal((await rowOf(lease.id)).attempts, 1)
        await write([lease])
        await claimedAgain()
        assert.equal((await rowOf(lease.id)).attempts, 2)
      })
    }

    if (queue.counts === 'attempts and cut short') {
      test('an attempt that ended with its process is counted as cut short, and its row is under suspicion', async () => {
        const lease = await claimed()
        await leases.extend(db, [lease], now())
        assert.deepEqual(counted(await rowOf(lease.id)), [1, 0, 'sending'])
        await expire()
        assert.deepEqual(counted(await rowOf(lease.id)), [1, 1, 'suspect'])
        assert.deepEqual(await write([lease]), new Set())
        await expire()
        assert.deepEqual(counted(await rowOf(lease.id)), [1, 1, 'suspect'], 'it is counted once')
      })
    }
    const counted = ({ attempts, cut_short, state }: Record<string, unknown>) => [attempts, cut_short, state]

    const { addFor } = queue
    if (!addFor) return
    test('of two organizations the one that came last is not behind all that the other has', async () => {
      const newOrganization = async () =>
        (await createOrganization(db, { name: randomUUID(), plan: 'business' }, byOperator)).id
      await addFor(db, await newOrganization(), 200)
      const [id] = await addFor(db, await newOrganization(), 1)
      const first = await queue.claim(db)
      assert.ok(first.length > 1 && first.length < 200)
      assert.ok(first.some((lease) => lease.id === id))
    })
  })
}
