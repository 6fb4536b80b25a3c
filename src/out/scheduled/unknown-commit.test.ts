// On both databases: a connection is lost while it commits.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, mock, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { addScheduled } from '#test/world/mail/queued.ts'
import { World } from '#test/world/world.ts'
import { isStored, lockCommit, removeOnceReachable } from './unknown-commit.ts'

let organizationId: string
const database = await databaseOfFile()
beforeEach(async () => {
  organizationId = (await createOrganization(database.db, { name: randomUUID(), plan: 'team' }, byOperator)).id
})

type Work = (tx: Tx) => Promise<unknown>
type Run = (work: Work) => Promise<unknown>

/** The database, with transactions that are run in another manner. */
function running(transaction: (run: Run, work: Work) => Promise<unknown>): Db {
  const { db } = database
  const run: Run = (work) => db.transaction().execute(work)
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') return () => ({ execute: (work: Work) => transaction(run, work) })
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** One that answers once it is told to. */
function unreachable() {
  const state = { reachable: false, asked: 0 }
  const db = running(async (run, work) => {
    state.asked += 1
    if (!state.reachable) throw new Error('nobody answers')
    return run(work)
  })
  return Object.assign(state, { db })
}

/** What is asked of a message, and what is logged of it. */
function asking(db: Db) {
  const closing = new AbortController()
  const logged = Promise.withResolvers<Record<string, unknown>>()
  const log = pino({}, { write: (line: string) => logged.resolve(JSON.parse(line)) })
  const ask = (id: string) => isStored({ db, log, closing: closing.signal }, { organizationId, id })
  return { ask, closing, logged: logged.promise }
}

const schedule = () => addScheduled(database.db, organizationId, ['bob@there.example'], new Date())
const rows = () =>
  database.db.selectFrom('outbound_messages').select('id').where('organization_id', '=', organizationId).execute()

test('an unreachable database is asked about a message until the service closes, and no longer', async () => {
  const closing = new AbortController()
  const { db } = unreachable()
  const removing = removeOnceReachable(db, { organizationId, id: randomUUID() }, closing.signal)
  closing.abort()
  await assert.rejects(removing, { name: 'AbortError' })
})

test('once the database is reachable the message is deleted, and the answer says whether it was stored', async () => {
  const id = await schedule()
  const { signal } = new AbortController()
  for (const removed of [true, false])
    assert.equal(await removeOnceReachable(database.db, { organizationId, id }, signal), removed)
  assert.deepEqual(await rows(), [])
})

test('a message is stored or not, also where the database answers only when it is asked again', async () => {
  const id = await schedule()
  const { ask } = asking(database.db)
  assert.deepEqual([await ask(id), await ask(randomUUID())], [true, false])
  const later = unreachable()
  const asked = asking(later.db).ask(id)
  later.reachable = true
  assert.equal(await asked, true)
  assert.equal(later.asked, 2)
})

for (const closes of [false, true])
  test(`one that nobody can say anything of for ten seconds counts as not stored, ${closes ? 'also where the service closes' : 'and is removed'}`, async (t) => {
    const id = await schedule()
    const silent = unreachable()
    const { ask, closing, logged } = asking(silent.db)
    const now = performance.now()
    const clock = mock.method(performance, 'now', () => now + (silent.asked > 1 ? 10_000 : 0))
    t.after(() => clock.mock.restore())
    assert.equal(await ask(id), false)
    assert.equal(silent.asked, 3, 'twice, and to remove it')
    if (closes) closing.abort()
    else silent.reachable = true
    const { scheduled, removed } = await logged
    assert.deepEqual([scheduled, removed], [id, closes ? undefined : true])
    assert.equal((await rows()).length, closes ? 1 : 0)
  })

/** The locks that a transaction has. */
async function locksOf(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ lock: string }>`
    select classid || ' ' || objid as lock from pg_locks
    where locktype = 'advisory' and pid = pg_backend_pid() order by 1`.execute(tx)
  return rows.map(({ lock }) => lock)
}

test('what asks about a message waits for the transaction that stores it, and for no other', async () => {
  const locks = (...ids: string[]) =>
    database.db.transaction().execute(async (tx) => {
      for (const id of ids) await lockCommit(tx, id)
      return await locksOf(tx)
    })
  const [one, other] = [randomUUID(), randomUUID()]
  const [first, both] = [await locks(one), await locks(one, other)]
  assert.deepEqual([first.length, both.length, both.includes(first[0] ?? '')], [1, 2, true])
  const taken: string[][] = []
  const db = running((run, work) =>
    run(async (tx) => {
      const answer = await work(tx)
      taken.push(await locksOf(tx))
      return answer
    }),
  )
  await asking(db).ask(one)
  await removeOnceReachable(db, { organizationId, id: one }, new AbortController().signal)
  assert.deepEqual(taken, [first, first])
})

test('where the connection breaks once the message is committed, the answer is 201 all the same, and once', async () => {
  let breaks = false
  let locks: string[] = []
  const db = running(async (run, work) => {
    if (!breaks) return run(work)
    breaks = false
    await run(async (tx) => {
      await work(tx)
      locks = await locksOf(tx)
    })
    throw new Error('the connection is gone')
  })
  const relay = new AcceptingRelay()
  await using world = await World.start({ database: { ...database, db }, relay })
  const { organization, address } = await world.mailbox('ada')
  const send_at = new Date(world.clock.now() + 60_000).toISOString()
  const letter = { from: address, to: 'bob@there.example', text: 'Hello', send_at }
  breaks = true
  const { status, body, headers } = await organization.request('POST', '/v1/scheduled', letter)
  assert.deepEqual([status, headers.get('location')], [201, `/v1/scheduled/${body.id}`])
  const own = await database.db.transaction().execute(async (tx) => {
    await lockCommit(tx, body.id)
    return await locksOf(tx)
  })
  assert.deepEqual(locks, own, 'whoever asks has waited for it')
  const { data } = (await organization.request('GET', '/v1/scheduled')).body
  assert.deepEqual(each(data, 'id'), [body.id])
})
