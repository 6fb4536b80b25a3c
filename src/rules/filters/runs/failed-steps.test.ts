import assert from 'node:assert/strict'
import { beforeEach, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { Refusal } from '#/base/errors.ts'
import { answering } from '#test/world/observe/meanwhile.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

let organization: TestOrganization
let runId: string
beforeEach(async () => {
  await world.db.deleteFrom('filter_runs').execute()
  organization = await world.organization()
  for (const name of ['ada', 'bea']) {
    const { address } = await organization.mailbox(name)
    await world.send({ from: 'ann@far.example', to: address, subject: 'Invoice', text: 'Hi' })
  }
  const filter = { name: 'One', field: 'subject', op: 'contains', value: 'invoice', action: 'star' }
  assert.equal((await organization.request('POST', '/v1/filters', filter)).status, 201)
  runId = (await organization.request('POST', '/v1/filters/runs', {})).body.id
})

/** Of the statement that reads messages for filters. */
const reading = 'as subjects'

/** Each step that reads messages fails so. */
function failing(t: TestContext, error: Error) {
  return answering(t, world.db, reading, () => Promise.reject(error))
}

/** What is due now, and what has become of the run. */
async function processed() {
  await world.filterRunner.processAll()
  const { body } = await organization.request('GET', `/v1/filter-runs/${runId}`)
  const { state, last_error, finished_at, starred } = body
  return { state, last_error, ended: finished_at !== null, starred }
}

const becomeDue = () => sql`update filter_runs set due_at = now() where finished_at is null`.execute(world.db)

const waiting = { state: 'running', ended: false, starred: 0 }

test('a step that fails is tried five times, not at once each time, and then the run has failed', async (t) => {
  const failure = failing(t, new TypeError('Not foreseen'))
  for (let attempt = 1; attempt < 5; attempt++) {
    assert.deepEqual(await processed(), { ...waiting, last_error: 'Internal error' })
    assert.deepEqual(await processed(), { ...waiting, last_error: 'Internal error' })
    assert.equal(failure.count(), attempt)
    await becomeDue()
  }
  assert.deepEqual(await processed(), { ...waiting, state: 'failed', ended: true, last_error: 'Internal error' })
  await becomeDue()
  await processed()
  assert.equal(failure.count(), 5)
})

test('attempts are those of one step: the next one has as many', async (t) => {
  let attempts = 0
  answering(t, world.db, reading, (ask) =>
    ++attempts % 5 === 0 ? ask() : Promise.reject(new TypeError('Not foreseen')),
  )
  for (let round = 0; round < 8; round++) {
    assert.equal((await processed()).state, 'running')
    await becomeDue()
  }
  assert.deepEqual(await processed(), { state: 'done', ended: true, last_error: null, starred: 2 })
})

test('a database that does not answer is waited for, however long that is', async (t) => {
  const error = Object.assign(new Error('gone'), { code: 'ECONNRESET' })
  const failure = failing(t, error)
  for (let attempt = 1; attempt < 8; attempt++) {
    assert.deepEqual(await processed(), { ...waiting, last_error: 'The database did not answer' })
    await becomeDue()
  }
  failure.restore()
  assert.deepEqual(await processed(), { state: 'done', ended: true, last_error: null, starred: 2 })
})

test('what is refused ends the run at once, and says why', async (t) => {
  failing(t, new Refusal('quota_exceeded', 'There is no room'))
  assert.deepEqual(await processed(), { ...waiting, state: 'failed', ended: true, last_error: 'There is no room' })
})
