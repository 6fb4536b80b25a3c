import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { LeaseLost } from '#/base/db/leases.ts'
import { Foreground } from '#/base/event-loop/foreground.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { watchStatements } from '#test/world/observe/statements.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import type { ClaimedRun } from './run.ts'
import type { RunFolder } from './run-folder.ts'
import { FilterRunner } from './runner.ts'
import { beginRunChange, claimRun, deferRun, endRun, settleStep } from './steps.ts'

const world = await World.ofFile()
const { db } = world

let organization: TestOrganization
let mailboxId: string
let address: string
let runId: string
beforeEach(async () => {
  await db.deleteFrom('filter_runs').execute()
  organization = await world.organization()
  const mailbox = await organization.mailbox('ada')
  mailboxId = mailbox.id
  address = mailbox.address
  await world.send({ from: 'ann@far.example', to: address, subject: 'Invoice', text: 'Hi' })
  const filter = { name: 'One', field: 'subject', op: 'contains', value: 'invoice', action: 'star' }
  assert.equal((await organization.request('POST', '/v1/filters', filter)).status, 201)
  runId = await begun()
})

async function begun(): Promise<string> {
  const body = await organization.bodyOf(201, 'POST', '/v1/filters/runs', { folders: ['inbox', 'archive'] })
  return body.id
}

async function claimed(): Promise<ClaimedRun> {
  const run = await claimRun(db)
  assert.ok(run)
  return run
}

/** All that is stored of runs. */
async function stored() {
  const runs = await db.selectFrom('filter_runs').selectAll().orderBy('id').execute()
  const folders = await db
    .selectFrom('filter_run_folders')
    .selectAll()
    .orderBy(['run_id', 'mailbox_id', 'folder'])
    .execute()
  return { runs, folders, changes: await db.selectFrom('changes').select('id').execute() }
}

const inbox = (): RunFolder => {
  return { mailboxId, address, folder: 'inbox', uidValidity: 1, lastUid: 1, uid: 0, plan: null }
}
for (const [what, write] of [
  ['ends no step', (run) => settleStep(db, run, { seen: 9, folder: { ...inbox(), done: true }, continues: false })],
  ['begins no change', (run) => beginRunChange(db, run)],
  ['does not end the run', (run) => endRun(db, run, 'failed', 'No')],
  ['does not have it tried later', (run) => deferRun(db, run, { error: 'No', seconds: 60, attempts: 3 })],
] as const satisfies readonly (readonly [string, (run: ClaimedRun) => Promise<unknown>])[])
  test(`who lost the lease on a run ${what}`, async () => {
    const lost = await claimed()
    await sql`update filter_runs set leased_until = now() - interval '1 second'`.execute(db)
    await claimed()
    const before = await stored()
    await assert.rejects(write(lost), LeaseLost)
    assert.deepEqual(await stored(), before)
  })

test('requests pass between the steps of a run: after a look at each of two folders, and the messages of one', async () => {
  const foreground = new Foreground()
  const passedThrice = Promise.withResolvers<void>()
  let passed = 0
  mock.method(foreground, 'letPass', async () => {
    if (++passed === 3) passedThrice.resolve()
  })
  const log = pino({ level: 'silent' })
  await using runner = new FilterRunner({ db: world.db, foreground, embedded: true, log })
  runner.start()
  await passedThrice.promise
})

test('an answer of the service is one that passed', async () => {
  const answered = new Promise<void>((resolve) => mock.method(world.foreground, 'answered', () => resolve()))
  await organization.request('GET', '/v1/labels')
  await answered
})

for (const [where, embedded] of Object.entries({ 'on a server': false, 'on an embedded database': true }))
  test(`${where} the next messages are read before those before are changed, and each is gone through once`, async () => {
    const { foreground } = world
    const many = Array.from({ length: 600 }, (_, number) => {
      return { seen: false, receivedAt: Date.UTC(2026, 10, 21) + number, sender: 'invoice@far.example', headers: '' }
    })
    await storeMessages(world, { organizationId: organization.id, mailboxId }, many)
    const did: string[] = []
    using _watched = watchStatements(({ text, values }) => {
      if (text.includes('as subjects')) did.push(`read from ${(values as unknown[]).slice(1, 2)}`)
      if (text.includes('update mail_messages')) did.push('change')
      return undefined
    })
    const log = pino({ level: 'silent' })
    await using runner = new FilterRunner({ db, foreground, embedded, log })
    await runner.processAll()
    const { body } = await organization.request('GET', `/v1/filter-runs/${runId}`)
    const { state, ...counts } = body
    assert.equal(state, 'done')
    assert.partialDeepStrictEqual(counts, { total: 601, seen: 601, matched: 601, changed: 601 })
    assert.match(did.slice(0, 3).join(', '), /^read from 0, read from \d+, change$/)
    const reads = did.filter((one) => one !== 'change')
    assert.equal(new Set(reads).size, reads.length, 'nothing is read twice')
  })
