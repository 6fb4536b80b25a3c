// On both databases: workers lease messages from each other.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { pieceBytes } from '#/base/event-loop/pieces.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { mailKey } from '#test/world/installation.ts'
import { addScheduled, addSent } from '#test/world/mail/queued.ts'
import {
  claimScheduled,
  claimSuspect,
  claimWaiting,
  leases,
  markEndOfData,
  mostScheduled,
  reclaimExpired,
} from './claims.ts'

const minute = 60_000

let one: string
let now: Date
const database = await databaseOfFile()
const { db } = database
beforeEach(async () => {
  await db.deleteFrom('outbound_messages').execute()
  one = await anOrganization()
  now = new Date('2026-11-21T08:00:00Z')
})

const anOrganization = async () => (await createOrganization(db, { name: randomUUID(), plan: 'team' }, byOperator)).id
const many = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@x`)
const claimed = async (busy: readonly string[] = []) =>
  (await claimWaiting(db, now, busy, 10)).map(({ recipients }) => recipients.length)
const begun = async () => (await claimScheduled(db, mailKey, now)).claims.map(({ message }) => message.id)
const suspect = async (busy: readonly string[] = []) => (await claimSuspect(db, now, busy))?.messageId

/** The workers die, and what they have claimed is taken back. */
async function die(): Promise<void> {
  now = new Date(now.getTime() + leases.forMs + 1_000)
  await reclaimExpired(db, now)
}

test('of a message to many a hundred recipients go at a time', async () => {
  await addSent(db, one, many(150), now)
  assert.deepEqual([await claimed(), await claimed(), await claimed()], [[100], [50], []])
})

test('recipients that are due go, however many of their message wait for later', async () => {
  await addSent(db, one, many(150), now)
  await sql`update outbound_recipients set due_at = ${new Date(now.getTime() + 1)}
    where id in (select id from outbound_recipients order by id limit 120)`.execute(db)
  assert.deepEqual([await claimed(), await claimed()], [[30], []])
})

test('within an organization the longest due message is first', async () => {
  const late = await addSent(db, one, ['a@x'], now)
  const early = await addSent(db, one, ['b@x'], new Date(now.getTime() - 1))
  const next = async () => (await claimWaiting(db, now, [], 1)).map(({ messageId }) => messageId)
  assert.deepEqual([await next(), await next(), await next()], [[early], [late], []])
})

test('a batch has been tried as often as any of its recipients', async () => {
  await addSent(db, one, ['a@x', 'b@x', 'c@x'], now)
  await sql`update outbound_recipients set attempts = 4, cut_short = 2 where recipient = 'b@x'`.execute(db)
  const [batch] = await claimWaiting(db, now, [], 10)
  assert.deepEqual([batch?.attempts, batch?.cutShort, batch?.suspect], [5, 2, false])
})

test('messages of a suspended organization wait in every state', async () => {
  const suspend = (at: Date | null) =>
    db.updateTable('organizations').set({ suspended_at: at }).where('id', '=', one).execute()
  const ids = { suspect: await addSent(db, one, ['a@x'], now), scheduled: '' }
  await claimed()
  await die()
  await addSent(db, one, ['b@x'], now)
  ids.scheduled = await addScheduled(db, one, ['c@x'], now)
  await suspend(now)
  assert.deepEqual([await claimed(), await suspect(), await begun()], [[], undefined, []])
  await suspend(null)
  assert.deepEqual([await claimed(), await suspect(), await begun()], [[1], ids.suspect, [ids.scheduled]])
})

test('nothing is claimed for a busy route, neither waiting nor suspect', async () => {
  const busy = await addSent(db, one, ['a@x'], now, { route: 'busy' })
  await claimed()
  await die()
  await addSent(db, one, ['b@x', 'c@x'], now, { route: 'busy' })
  await addSent(db, one, ['d@x'], now, { route: 'free' })
  assert.deepEqual([await claimed(['busy']), await suspect(['busy'])], [[1], undefined])
  assert.deepEqual([await claimed(), await suspect()], [[2], busy])
})

test('suspects go one after the other, what is due for longest first, and none before it is due', async () => {
  const [late, early] = [await addSent(db, one, ['a@x'], now), await addSent(db, one, ['b@x'], now)]
  await claimed()
  await die()
  const at = (id: string, ms: number) =>
    sql`update outbound_recipients set due_at = ${new Date(now.getTime() + ms)} where message_id = ${id}`.execute(db)
  await at(late, 2)
  await at(early, 1)
  assert.equal(await suspect(), undefined)
  now = new Date(now.getTime() + 2)
  assert.deepEqual([await suspect(), await suspect(), await suspect()], [early, late, undefined])
})

test('scheduled messages are begun up to four MiB at a time, but one in any case', async () => {
  const ids = []
  for (const size of [4 * pieceBytes, 2 * pieceBytes, 2 * pieceBytes - 1, 1, 1]) {
    ids.push(await addScheduled(db, one, ['a@x'], new Date(now.getTime() - 10 + ids.length)))
    await sql`update outbound_messages set size_bytes = ${size} where id = ${ids.at(-1)}`.execute(db)
  }
  assert.deepEqual([await begun(), await begun(), await begun()], [ids.slice(0, 1), ids.slice(1, 4), ids.slice(4)])
})

test('scheduled messages of organizations are claimed in turn, however many have more than one claim', async () => {
  const few = await anOrganization()
  for (const organization of [one, await anOrganization(), await anOrganization()])
    for (let nth = 0; nth < mostScheduled; nth++) await addScheduled(db, organization, ['a@x'], now)
  now = new Date(now.getTime() + 1)
  const late: string[] = []
  for (let nth = 0; nth < 6; nth++) late.push(await addScheduled(db, few, ['b@x'], now))
  const first = (await claimScheduled(db, mailKey, now)).claims.slice(0, 24).map(({ message }) => message)
  for (let turn = 0; turn < 6; turn++) {
    const organizations = first.slice(4 * turn, 4 * turn + 4).map(({ organizationId }) => organizationId)
    assert.equal(new Set(organizations).size, 4, `in turn ${turn}`)
  }
  assert.deepEqual(first.flatMap(({ id }) => (late.includes(id) ? id : [])).toSorted(), late.toSorted())
})

test('many or large scheduled messages of one organization delay no other', async () => {
  const other = await anOrganization()
  for (let nth = 0; nth < 100; nth++) await addScheduled(db, one, ['a@x'], now)
  now = new Date(now.getTime() + 1)
  const late = await addScheduled(db, other, ['b@x'], now)
  assert.ok((await begun()).includes(late))
  await sql`update outbound_messages set state = 'scheduled', size_bytes = ${2 * pieceBytes}
    where organization_id = ${one}`.execute(db)
  await sql`update outbound_recipients set state = 'held', leased_until = null
    where organization_id = ${one}`.execute(db)
  now = new Date(now.getTime() + 1)
  const small = await addScheduled(db, other, ['b@x'], now)
  assert.ok((await begun()).includes(small))
})

test('an organization with large messages, however long due, is not the first each time', async () => {
  const other = await anOrganization()
  for (let nth = 0; nth < 40; nth++) await addScheduled(db, one, ['a@x'], now)
  await sql`update outbound_messages set size_bytes = ${4 * pieceBytes}`.execute(db)
  now = new Date(now.getTime() + 1)
  const small = await addScheduled(db, other, ['b@x'], now)
  let claims = 1
  for (let got = await begun(); !got.includes(small); got = await begun()) claims++
  assert.ok(claims <= 40, 'it comes before the last of the others')
})

for (const [what, add, waits] of [
  ['by one route waits longer each time', addSent, [0, 5, 10, 15]],
  ['for all its recipients together is tried three times, and not waited for to be given up', addScheduled, [0, 5, 0]],
] as const)
  test(`what ends workers ${what}`, async () => {
    await add(db, one, ['a@x'], now)
    if ((await claimed()).length === 0) await begun()
    for (const minutes of waits) {
      await die()
      const { due_at } = await db.selectFrom('outbound_recipients').select('due_at').executeTakeFirstOrThrow()
      assert.equal((due_at.getTime() - now.getTime()) / minute, minutes)
      now = due_at
      assert.ok(await suspect())
    }
  })

test('the reason of an attempt that was cut short is that of the one before, unless its end of data was sent', async () => {
  await addSent(db, one, ['a@x'], now)
  await addSent(db, one, ['b@x'], now)
  await sql`update outbound_recipients set reason = 'It asks to wait'`.execute(db)
  const [batch] = await claimWaiting(db, now, [], 10)
  assert.ok(batch)
  assert.deepEqual(await markEndOfData(db, [batch.recipients]), [true])
  assert.deepEqual(await markEndOfData(db, [batch.recipients]), [true], 'again, after a refusal')
  await die()
  const columns = ['recipient', 'reason', 'doubted_at', 'end_of_data_sent'] as const
  const rows = await db.selectFrom('outbound_recipients').select(columns).execute()
  const marked = rows.find(({ recipient }) => recipient === batch.recipients[0]?.recipient)
  const other = rows.find((row) => row !== marked)
  assert.deepEqual([marked?.doubted_at, marked?.end_of_data_sent], [now, false])
  assert.match(marked?.reason ?? '', /connection was lost/)
  assert.deepEqual([other?.doubted_at, other?.reason], [null, 'It asks to wait'])
})
