// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { reclaimExpired } from '#/out/queue/claims.ts'
import { each } from '#test/world/each.ts'
import { ofFile } from '#test/world/of-file.ts'
import { fieldOf, type Killing, killedAt, leasesRunOut, PostOffice, timePasses } from '../letters/post-office.ts'

const office = ofFile(await PostOffice.open())
beforeEach(async () => {
  office.sink.act = () => undefined
  await office.behindClosedDoors((db) => db.deleteFrom('outbound_messages').execute())
  office.sink.taken.length = 0
  office.sink.lines.length = 0
})

/** Four due messages, of which the second kills each worker that claims it. */
async function scheduleFour(): Promise<{ fatal: string; others: string[] }> {
  return await office.behindClosedDoors(async (db) => {
    const due = Date.now() - 10_000
    const schedule = (name: string, place: number) =>
      office.schedule(db, { subject: name, recipients: [`${name}@there.example`], sendAt: new Date(due + place) })
    const first = await schedule('one', 1)
    const fatal = await schedule('fatal', 2)
    return { fatal, others: [first, await schedule('three', 3), await schedule('four', 4)] }
  })
}

/** Runs one service after the other until all messages are settled, and answers how many were killed. */
async function deathsUntilSettled(killing?: Killing): Promise<number> {
  let deaths = 0
  for (; (await office.life(killing)) === 'killed'; deaths++) {
    await office.behindClosedDoors(async (db) => {
      await takeBack(db)
      await timePasses(db)
    })
  }
  return deaths
}

/** Takes from a killed worker what it had. */
async function takeBack(db: Db): Promise<void> {
  await leasesRunOut(db)
  await reclaimExpired(db, new Date())
}

async function assertFailedAlone(fatal: string): Promise<void> {
  const left = await office.behindClosedDoors((db) =>
    db.selectFrom('outbound_messages').select(['id', 'state', 'last_error']).execute(),
  )
  assert.deepEqual(each(left, 'id', 'state'), [[fatal, 'failed']])
  assert.match(left[0]?.last_error ?? '', /interrupted three times$/)
}

const messagesTaken = () => office.sink.taken.map(({ bytes }) => fieldOf(bytes, 'Message-ID')).toSorted()
const messageIds = (ids: readonly string[]) => ids.map((id) => `Message-ID: <${id}@x>`).toSorted()

test('one that ends workers as it is handed over fails after three, and the others of its batch go at their first attempt', async () => {
  const { fatal, others } = await scheduleFour()
  const killing = { statements: ['set allowance_due = 0'], about: fatal, when: 'before' } as const
  assert.equal(await office.life(killing), 'killed')
  // The next worker continues with the others while the poison message must wait.
  await office.behindClosedDoors(async (db) => {
    await takeBack(db)
    await sql`update outbound_recipients set due_at = now() + interval '1 hour' where message_id = ${fatal}`.execute(db)
  })
  const next = await office.start(killedAt(killing))
  await office.sink.until(({ taken }) => taken.length === others.length)
  assert.deepEqual(await next.end('SIGTERM'), { code: 0, signal: null })
  await office.behindClosedDoors(timePasses)
  assert.equal(1 + (await deathsUntilSettled(killing)), 3)
  await assertFailedAlone(fatal)
  assert.deepEqual(messagesTaken(), messageIds(others))
  assert.equal(office.sink.lines.filter((line) => line.startsWith('MAIL')).length, others.length)
})

test('a poison message fails after three attempts, and all messages in progress with it are sent', async () => {
  const { fatal, others } = await scheduleFour()
  office.sink.act = (step, { recipient }) => {
    if (step !== 'rcpt' || recipient !== 'fatal@there.example') return undefined
    office.kill()
    return { next: 'stall' }
  }
  assert.equal(await deathsUntilSettled(), 3)
  await assertFailedAlone(fatal)
  assert.deepEqual([...new Set(messagesTaken())], messageIds(others))
})
